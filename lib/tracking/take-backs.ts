/**
 * Stamps that another writer takes back, again and again: for one content that costs a bounded number of rollouts. It is
 * counted in memory: a process that starts begins anew.
 */

import type { ObjectKey } from '../model/object-ref.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Effects } from './effects.ts';

/** How often a reverted stamp is written again as after any change; then with growing delays. */
const TRIED_LIKE_A_CHANGE = 3;
/** How often a stamp is written for one content, if it is reverted each time. */
export const MOST_TRIES = 10;

/** The stamp of `record` was reverted, so the workload needs the same rollout again. */
export function countTakeBack(effects: Effects, key: ObjectKey, record: WorkloadRecord): void {
  record.takeBacks += 1;
  const beyond = record.takeBacks - TRIED_LIKE_A_CHANGE;
  if (beyond > 0) effects.enqueue(key, { type: 'stamp-reverted', times: beyond });
}

/** Whether the workload is not rolled any more before an object that it follows, or its own template, changes. */
export function isGivenUp({ takeBacks }: Pick<WorkloadRecord, 'takeBacks'>): boolean {
  return takeBacks >= MOST_TRIES;
}

/** An object that the workload follows, or its own template, has changed: earlier reverts no longer count. */
export function beginAnew(effects: Effects, key: ObjectKey, record: WorkloadRecord): void {
  if (isGivenUp(record)) effects.enqueue(key, { type: 'retry-now' });
  record.takeBacks = 0;
}
