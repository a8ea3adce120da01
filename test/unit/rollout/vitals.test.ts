/** For how long workloads are ready. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Vitals } from '../../../lib/rollout/vitals.ts';
import { RolloutStage } from './rollout-stage.ts';

test('a workload is ready since its present rollout, also where that was seen as it ended', async (t) => {
  const stage = new RolloutStage(t, ['w1']);
  const vitals = new Vitals();
  const readyMs = (): number | undefined => vitals.of(stage.world.record('w1'), undefined).readyMs;
  assert.equal(readyMs(), 0);
  await stage.pass(20_000);
  assert.equal(readyMs(), 20_000);
  stage.apply(stage.world.workload('w1', { image: 'v2' }));
  assert.equal(readyMs(), 0);
});
