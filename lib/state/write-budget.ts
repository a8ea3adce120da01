/**
 * How many bytes of the state may be stored: every write stores its ConfigMap whole. Each is paid for; what may wait does until
 * all of them are, but for as much as is stored in half a second.
 */

import { SHARD_BYTES } from '../model/state-shards.ts';
import { monotonicMs } from '../model/time.ts';

/** So much may be stored in each second. */
const BYTES_PER_MS = SHARD_BYTES / 1000;
/** A small write costs as much as one of this size: a request is one whatever it stores. */
const LEAST_MS = 250;
const BURST_MS = 500;

/** How long a write of so many bytes takes up. */
export function msFor(bytes: number): number {
  return bytes / BYTES_PER_MS;
}

/** See the file's comment. */
export class WriteBudget {
  #paidAt = Number.NEGATIVE_INFINITY;

  /** So much was stored. */
  spend(bytes: number): void {
    const from = Math.max(this.#paidAt, monotonicMs() - BURST_MS);
    this.#paidAt = from + Math.max(LEAST_MS, msFor(bytes));
  }

  /** From when on a write that may wait is sent. */
  get freeAt(): number {
    return this.#paidAt;
  }
}
