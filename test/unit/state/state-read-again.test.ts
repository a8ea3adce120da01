/** The state was written by others, or an answer was lost: what keeps it from being read again is said. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CommitterStage, OURS } from './committer-stage.ts';

const CFG = 'v1.ConfigMap_cfg';

/** Something has to be written to a state that others wrote meanwhile. */
function overtaken(t: TestContext): CommitterStage {
  const stage = new CommitterStage(t, {}).listed('cfg', 'a', 'web');
  stage.store.put({ note: 'of a person' }, OURS);
  stage.committer.notice(0, '2');
  stage.request('cfg');
  return stage;
}

test('a state that may not be read again is told of as often as it is tried, each time later', async (t) => {
  const stage = overtaken(t);
  stage.store.forbidden.add(0);
  stage.random = 1;
  await stage.pass(60_000);
  const { length } = stage.results;
  assert.equal(length, stage.store.calls.filter((call) => call === 'read 0').length);
  assert.ok(length > 3 && length < 100, `${length}`);
  assert.deepEqual([...new Set(stage.results.map(({ kind }) => kind))], ['rejected']);
  assert.ok(stage.results.every(({ nextTryMs }) => nextTryMs !== undefined && nextTryMs > 0));
  assert.deepEqual(stage.store.patches, []);
  stage.store.forbidden.clear();
  await stage.pass(300_000);
  assert.deepEqual(stage.data, { note: 'of a person', [CFG]: 'a.1' });
  assert.deepEqual(stage.results.at(-1), { kind: 'accepted', nextTryMs: undefined });
});

test('a state that is not read again now is read as late as the API server asks for', async (t) => {
  const stage = overtaken(t);
  stage.store.readFaults.push({ message: 'slow down', retryAfterMs: 7000 });
  await stage.pass(6900);
  assert.deepEqual(stage.results, [{ kind: 'unanswered', nextTryMs: 7000 }]);
  await stage.pass(200);
  assert.equal(stage.data?.[CFG], 'a.1');
});
