/** When a round looks at entries, and what it writes between two batches. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addNote } from '../../../lib/tracking/halts.ts';
import { CommitterStage, OURS } from './committer-stage.ts';

const CFG = 'v1.ConfigMap_cfg';
const TLS = 'v1.ConfigMap_tls';
const TOLD = 'reloader.k8s.collaborne.com/state-shards';

test('between two batches the marks of all shards are written in one round', async (t) => {
  const names = ['one', 'two', 'three', 'four', 'five', 'six'];
  const entries = names.map((name) => ({ [`v1.ConfigMap_${name}`]: 'a.1' }));
  const further = { shardBytes: 60, further: entries };
  const stage = new CommitterStage(t, {}, { ...OURS, [TOLD]: '7' }, further);
  for (const name of names) stage.listed(name, 'a', `of-${name}`);
  stage.listed('new', 'a', 'of-new');
  stage.request('new');
  await stage.pass(100);
  for (const name of names) stage.world.config(name, 'b');
  const answers = Promise.all(names.map((name) => stage.committer.mark(stage.world.record(`of-${name}`))));
  await stage.pass(100);
  assert.deepEqual(
    await answers,
    names.map(() => true),
  );
});

test('what a crash would lose, and what is found during a write, is written in the next round, whatever the last batch wrote', async (t) => {
  const note = 'x'.repeat(655_360);
  const stage = new CommitterStage(
    t,
    { [CFG]: 'a.1', note },
    { ...OURS, [TOLD]: '2' },
    { further: [{ [TLS]: 'a.1' }] },
  );
  stage.listed('cfg', 'a', 'web').listed('tls', 'a', 'api').listed('new', 'a', 'of-new');
  stage.request('new');
  await stage.pass(200);
  const { promise, resolve } = Promise.withResolvers<void>();
  stage.store.faultsOf.set(0, [{ kind: 'held', until: promise }]);
  // Another writer starts pods while each change is open.
  for (const [config, workload] of [
    ['cfg', 'web'],
    ['tls', 'api'],
  ] as const) {
    stage.world.config(config, 'b');
    stage.world.workload(workload, { image: 'v2' });
  }
  stage.request('cfg', 'tls');
  await stage.pass(100);
  stage.world.config('cfg', 'a');
  stage.world.workload('late', { follows: ['cfg'] });
  stage.world.config('cfg', 'c');
  stage.world.workload('late', { image: 'v3' });
  stage.request('cfg');
  resolve();
  await stage.pass(200);
  assert.equal(stage.dataOf(1)?.[TLS], 'b.1?Deployment/api');
  assert.match(stage.data?.[CFG] ?? '', /late/);
});

test('a workload that has waited for long is marked', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }).listed('cfg', 'a', 'web');
  stage.world.config('cfg', 'b');
  stage.waiting.add('web');
  stage.request('cfg');
  await stage.pass(1000);
  stage.waiting.delete('web');
  await stage.pass(60_000);
  assert.equal(stage.data?.[CFG], 'b.1?Deployment/web');
});

test('a halt is written at once, whenever the last round was', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }).listed('cfg', 'a', 'web');
  stage.request('cfg');
  await stage.pass(0);
  const config = stage.world.store.configRecordOf(stage.world.configRef('cfg'));
  addNote(stage.world.store, config, { token: '0a', workload: '-' });
  stage.committer.demand([stage.world.configKey('cfg')]);
  await stage.pass(0);
  assert.equal(stage.data?.[CFG], 'a.1!0a=-');
});

test('requests do not postpone the round that is due', (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }).listed('cfg', 'a', 'web');
  const timers = t.mock.method(globalThis, 'setTimeout');
  for (let request = 0; request < 100; request += 1) stage.request('cfg');
  assert.equal(timers.mock.callCount(), 1);
});
