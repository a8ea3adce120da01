/**
 * Stamps that an external writer reverts again and again, such as a self-healing GitOps tool, or that another reloader writes
 * over: the number of rollouts for one content is bounded. Counted in memory only: a restart forgets the count.
 */

import type { ObjectKey } from '../model/object-ref.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Effects } from './effects.ts';

/** The number of reverts after which the stamp is written again without a backoff. */
const TRIED_LIKE_A_CHANGE = 3;
/** How often a stamp is written for one content, if it is reverted each time. */
export const MOST_TRIES = 10;

/** The stamp of `record` was reverted, so the workload needs the same rollout again. */
export function countTakeBack(effects: Effects, key: ObjectKey, record: WorkloadRecord): void {
  record.takeBacks += 1;
  const beyond = record.takeBacks - TRIED_LIKE_A_CHANGE;
  if (beyond > 0) effects.enqueue(key, { type: 'stamp-reverted', times: beyond });
}

/** Whether the workload is not rolled any more until an object that it follows, or its own template, changes. */
export function isGivenUp({ takeBacks }: Pick<WorkloadRecord, 'takeBacks'>): boolean {
  return takeBacks >= MOST_TRIES;
}
