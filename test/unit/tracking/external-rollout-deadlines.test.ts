/** How long workloads wait for the rollouts of their owners. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkloadRecord } from '../../../lib/store/records.ts';
import { ExternalRolloutDeadlines } from '../../../lib/tracking/external-rollout-deadlines.ts';
import { mockTime } from '../../mock-time.ts';

const KEY = 'home/Deployment/web';
const DEADLINE_MS = 600_000;

/** A workload whose owner's rollout has come so far. */
function at(progress: number): WorkloadRecord {
  const workload = { progressDeadlineMs: DEADLINE_MS };
  return { workload, externalRollout: { startedAfter: 0, from: '', progress } } as unknown as WorkloadRecord;
}

test('a rollout is waited for until it has come no further for its deadline', (t) => {
  const { jolt } = mockTime(t);
  const turns = new ExternalRolloutDeadlines();
  assert.equal(turns.remaining(KEY, at(1)), DEADLINE_MS);
  jolt();
  t.mock.timers.tick(400_000);
  assert.equal(turns.remaining(KEY, at(1)), 200_000);
  assert.equal(turns.remaining(KEY, at(2)), DEADLINE_MS, 'it has come further');
  jolt();
  t.mock.timers.tick(DEADLINE_MS);
  assert.equal(turns.remaining(KEY, at(2)), 0);
});

test('the next rollout of the owner has a turn of its own, however little it has come', (t) => {
  const { jolt } = mockTime(t);
  const turns = new ExternalRolloutDeadlines();
  turns.remaining(KEY, at(2));
  jolt();
  t.mock.timers.tick(DEADLINE_MS);
  assert.equal(turns.remaining(KEY, at(2)), 0);
  assert.equal(turns.untilOf(KEY), undefined, 'nobody waits any more');
  assert.equal(turns.remaining(KEY, at(Number.NEGATIVE_INFINITY)), DEADLINE_MS);
});
