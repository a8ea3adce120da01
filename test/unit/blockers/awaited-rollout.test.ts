/** How long workloads wait for the rollouts of other clients. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { externalRollout } from '../../../lib/blockers/awaited-rollout.ts';
import { mockTime } from '../../mock-time.ts';
import { World } from '../tracking/world.ts';

const DEADLINE_MS = 600_000;

/** An outdated workload that another client rolls, and for how long it waits when that has come so far. */
function waiting() {
  const world = new World();
  world.config('cfg', 'a', { initial: true });
  world.workload('web', { follows: ['cfg'] }, { initial: true });
  world.config('cfg', 'b');
  const record = world.record('web');
  const blocker = externalRollout(world);
  const msAt = (progress: number, startedAfter = Number.POSITIVE_INFINITY): number => {
    record.workload = { ...record.workload, progressDeadlineMs: DEADLINE_MS };
    record.externalRollout = { startedAfter, from: undefined, revision: undefined, progress };
    const blocked = blocker.check(record, 1000);
    return blocked === undefined || blocked === 'unknown' ? 0 : Math.round(blocked.until - 1000);
  };
  return { record, blocker, msAt };
}

test('a rollout is waited for until it has come no further for its deadline', (t) => {
  const { jolt } = mockTime(t);
  const { record, blocker, msAt } = waiting();
  assert.equal(msAt(1), DEADLINE_MS);
  jolt();
  t.mock.timers.tick(400_000);
  assert.equal(msAt(1), 200_000);
  assert.equal(msAt(2), DEADLINE_MS, 'it has come further');
  jolt();
  t.mock.timers.tick(DEADLINE_MS);
  assert.equal(msAt(2), 0);
  blocker.begin?.(record);
  assert.equal(record.externalRollout, undefined, 'it does not count any more');
  assert.equal(msAt(1, Number.MAX_VALUE), DEADLINE_MS, 'the next one has a deadline of its own');
});
