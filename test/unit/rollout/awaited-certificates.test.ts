/** Temporary certificates: the window waits for the certificate of the issuer, and nothing waits for ever. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RolloutStage } from './rollout-stage.ts';

/** What stays of the annotations of a temporary certificate. */
const TEMPORARY = { marks: { 'cert-manager.io/certificate-name': 'web' } };
const ISSUED = { marks: {} };
const MINUTE_MS = 60_000;

/** A stage on which the certificate `cfg` of `web` has just become a temporary one. */
function stageWithTemporary(
  ...[t, workloads, settings]: ConstructorParameters<typeof RolloutStage>
): RolloutStage {
  const stage = new RolloutStage(t, workloads, settings);
  stage.apply(stage.world.config('cfg', 'b', TEMPORARY));
  return stage;
}

test('the certificate of the issuer is rolled out in place of the temporary one, after a quiet period', async (t) => {
  const stage = stageWithTemporary(t);
  await stage.pass(3 * MINUTE_MS);
  assert.deepEqual(stage.patches, []);
  stage.apply(stage.world.config('cfg', 'c', ISSUED));
  await stage.pass(20 * MINUTE_MS);
  assert.deepEqual(stage.patches, [{ workload: 'web', atMs: 3 * MINUTE_MS + 1000 }]);
  assert.equal(stage.world.edge('web').runningDigest, 'c'.repeat(40));
});

test('a temporary certificate that stays is rolled out after ten minutes, also if it is replaced by others', async (t) => {
  const stage = stageWithTemporary(t);
  for (const content of 'cdef') {
    await stage.pass(2 * MINUTE_MS);
    stage.apply(stage.world.config('cfg', content, TEMPORARY));
  }
  await stage.pass(2 * MINUTE_MS);
  assert.deepEqual(stage.patches, [{ workload: 'web', atMs: 10 * MINUTE_MS }]);
  assert.equal(stage.world.needsRollout('web'), false);
});

test('a commit does not wait for the certificate', (t) => {
  const stage = stageWithTemporary(t);
  assert.ok(stage.world.needsRollout('web'));
  assert.equal(stage.isWaiting('web'), false);
});

test('a change of another object is not delayed by a temporary certificate, and is rolled out with it', async (t) => {
  const stage = new RolloutStage(t);
  stage.world.config('other', 'a');
  stage.apply(stage.world.workload('web', { follows: ['cfg', 'other'] }));
  stage.apply(stage.world.config('cfg', 'b', TEMPORARY));
  await stage.pass(MINUTE_MS);
  stage.change('b', 'other');
  assert.ok(stage.isWaiting('web'));
  await stage.pass(MINUTE_MS);
  assert.deepEqual(stage.patches, [{ workload: 'web', atMs: MINUTE_MS + 1000 }]);
  assert.equal(stage.world.needsRollout('web'), false);
});

test('an open window keeps its length when a temporary certificate comes too', async (t) => {
  const stage = new RolloutStage(t);
  stage.change('b');
  await stage.pass(500);
  stage.apply(stage.world.config('cfg', 'c', TEMPORARY));
  await stage.pass(MINUTE_MS);
  assert.deepEqual(stage.patches, [{ workload: 'web', atMs: 1500 }]);
});

test('one that comes while the workload is patched waits for that of the issuer, which waits no longer', async (t) => {
  const stage = new RolloutStage(t);
  const before = (): void => stage.apply(stage.world.config('cfg', 'c', TEMPORARY));
  stage.faults.push({ before });
  stage.change('b');
  await stage.pass(MINUTE_MS);
  stage.apply(stage.world.config('cfg', 'd', ISSUED));
  await stage.pass(MINUTE_MS);
  assert.deepEqual(
    stage.patches.map(({ atMs }) => atMs),
    [1000, MINUTE_MS + 1000],
  );
});

test('after the certificate that pods run came back, the next change has the usual window', async (t) => {
  const stage = stageWithTemporary(t);
  stage.apply(stage.world.config('cfg', 'a', ISSUED));
  await stage.pass(MINUTE_MS);
  assert.deepEqual(stage.patches, []);
  stage.change('b');
  await stage.pass(MINUTE_MS);
  assert.deepEqual(stage.patches, [{ workload: 'web', atMs: MINUTE_MS + 1000 }]);
});
