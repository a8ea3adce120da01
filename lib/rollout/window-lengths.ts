/** How long the window of a change lasts: by the flags and the annotations of the workload. */

import type { ObjectKey } from '../model/object-ref.ts';
import { monotonicMs } from '../model/time.ts';
import type { WindowLength } from '../queue/quiet-period.ts';
import type { Store } from '../store/store.ts';
import { isUrgentFor } from '../tracking/edge-policy.ts';

/** The lengths by the flags. */
export interface WindowLengthsOptions extends WindowLength {
  readonly store: Store;
}

/** The least window once a stamp was reverted: two processes that both lead find out by the state's marks before it ends. */
const CONTESTED_WINDOW_MS = 1000;

/** The length of a window that opens now. One that the workload asks for is a least length, counted from the first change. */
export function windowOf({ store, quietMs, maxWaitMs }: WindowLengthsOptions, key: ObjectKey): WindowLength {
  const record = store.workloads.get(key);
  if (record === undefined) return { quietMs, maxWaitMs };
  const askedMs = isUrgentFor(store, record)
    ? 0
    : store.settings.vocabularies.pausing.windowMsOf(record.workload);
  const leastMs = Math.max(askedMs, record.takeBacks > 0 ? CONTESTED_WINDOW_MS : 0);
  return { quietMs: Math.max(quietMs, leastMs), maxWaitMs: Math.max(maxWaitMs, leastMs) };
}

/** Whether the open window, which ends at `end` by monotonicMs, is too long for what changed in it: that is urgent. */
export function isWindowOver(options: WindowLengthsOptions, key: ObjectKey, end: number): boolean {
  const record = options.store.workloads.get(key);
  if (record === undefined || !isUrgentFor(options.store, record)) return false;
  return end - monotonicMs() > windowOf(options, key).quietMs;
}
