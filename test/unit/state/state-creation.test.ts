import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommitterStage, OURS } from './committer-stage.ts';

const CFG = 'v1.ConfigMap_cfg';
test('what is asked for while the ConfigMap is being created is written after it', async (t) => {
  const stage = new CommitterStage(t).listed('cfg', 'a', 'web').listed('tls', 'a', 'api');
  const { promise, resolve } = Promise.withResolvers<void>();
  stage.store.creationFaults.push({ kind: 'held', until: promise });
  stage.request('cfg');
  await stage.pass(0);
  stage.request('tls');
  resolve();
  await stage.pass(60_000);
  assert.deepEqual(stage.data, { [CFG]: 'a.1', 'v1.ConfigMap_tls': 'a.1' });
});
test('a ConfigMap that others filled before our create is judged, not overwritten', async (t) => {
  const stage = new CommitterStage(t).listed('cfg', 'b', 'web');
  stage.store.put({ [CFG]: `${'b'.repeat(40)}.1?Deployment/web=garbage` }, OURS);
  stage.request('cfg');
  await stage.pass(10_000);
  assert.ok(stage.world.needsRollout('web'), 'any other text of a mark is a doubt');
  assert.match(stage.data?.[CFG] ?? '', /\?Deployment\/web/);
});
