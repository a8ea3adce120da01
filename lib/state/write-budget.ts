/**
 * Limits the bytes of the state that are written per second, since each write makes etcd store the whole ConfigMap. A write
 * takes up time in proportion to that size; a write that may wait is sent when all earlier ones have used up their time, with
 * a burst of half a second.
 */

import { SHARD_BYTES } from '../model/shards.ts';
import { monotonicMs } from '../model/time.ts';

/** One full shard per second. */
const BYTES_PER_MS = SHARD_BYTES / 1000;
/** The least time that a write takes up, however small it is: a request has a cost of its own. */
const LEAST_MS = 250;
const BURST_MS = 500;

/** The milliseconds that a write of so many bytes takes up. */
export function msFor(bytes: number): number {
  return bytes / BYTES_PER_MS;
}

/** See the file's comment. */
export class WriteBudget {
  #paidAt = Number.NEGATIVE_INFINITY;

  /** Accounts for a write that was accepted. */
  spend(bytes: number): void {
    const from = Math.max(this.#paidAt, monotonicMs() - BURST_MS);
    this.#paidAt = from + Math.max(LEAST_MS, msFor(bytes));
  }

  /** The time, by monotonicMs, from which a write that may wait is sent. */
  get freeAt(): number {
    return this.#paidAt;
  }
}
