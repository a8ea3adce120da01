/** Since when workloads are ready, and when to look at them again. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RolloutPlan } from '../../../lib/model/rollout-plan.ts';
import { monotonicMs } from '../../../lib/model/time.ts';
import type { WorkloadRecord } from '../../../lib/store/records.ts';
import { Vitals } from '../../../lib/tracking/vitals.ts';
import { mockTime } from '../../mock-time.ts';
import { RolloutStage } from '../rollout/rollout-stage.ts';
import { World } from '../tracking/world.ts';

const SOAK_MS = 30_000;

test('a soak that ends while the others are looked at causes another look', (t) => {
  mockTime(t);
  const world = new World();
  world.config('cfg', 'a', { initial: true });
  for (const name of ['early', 'late']) world.workload(name, { follows: ['cfg'] }, { initial: true });
  const vitals = new Vitals();
  const readyMs = (name: string): number | undefined => {
    const record = world.store.workloads.get(world.workloadKey(name));
    assert.ok(record);
    return vitals.of(record, undefined).readyMs;
  };
  readyMs('early');
  t.mock.timers.tick(10);
  readyMs('late');
  t.mock.timers.tick(SOAK_MS - 11);
  const since = monotonicMs();
  assert.equal(readyMs('early'), SOAK_MS - 1);
  assert.equal(vitals.nextMs(SOAK_MS, since), 1);
  t.mock.timers.tick(5);
  assert.equal(vitals.nextMs(SOAK_MS, since), 0);
  assert.equal(vitals.nextMs(SOAK_MS, monotonicMs()), 6);
  t.mock.timers.tick(6);
  assert.equal(vitals.nextMs(SOAK_MS, monotonicMs()), Number.POSITIVE_INFINITY);
});

test('what is seen of a workload while its patch is under way says nothing of the new content', async (t) => {
  const stage = new RolloutStage(t, ['w1']);
  stage.apply(stage.world.workload('w1', { failure: 'ProgressDeadlineExceeded', isRolledOut: false }));
  const record = stage.world.record('w1');
  const failureOf = (seen: WorkloadRecord): string | undefined => new Vitals().of(seen, 'pods').failure;
  assert.equal(failureOf(record), 'ProgressDeadlineExceeded');
  assert.equal(failureOf({ ...record, inFlight: {} as RolloutPlan }), undefined);
});

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
