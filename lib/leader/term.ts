/** One lead, from the write that took the Lease to its loss or release, and waits with a deadline. */

import { once } from 'node:events';
import { monotonicMs } from '../model/time.ts';

/** The validity of one lead; an expired term never becomes valid again. */
export class Term {
  /** By monotonicMs. */
  readonly beganMs: number = monotonicMs();
  /** Aborted when the lead is over, and when the process is to end; in the latter case the lead is still valid. */
  readonly signal: AbortSignal;
  /** By monotonicMs; infinite without a Lease. Prolonged only after an accepted renewal. */
  validUntilMs: number;
  readonly #over = new AbortController();

  constructor(validUntilMs: number, ending: AbortSignal) {
    this.validUntilMs = validUntilMs;
    this.signal = AbortSignal.any([ending, this.#over.signal]);
  }

  /** Whether there is no Lease to renew. */
  get isAlone(): boolean {
    return this.validUntilMs === Number.POSITIVE_INFINITY;
  }

  readonly isValid = (): boolean => !this.#over.signal.aborted && monotonicMs() < this.validUntilMs;

  /** Ends the lead. */
  finish(): void {
    this.#over.abort();
  }
}

/**
 * Resolves with the result of `work`, or with undefined after `ms` or when `end` is aborted; then the signal of `work` is aborted
 * too, and a later result is dropped. Without time left it does no work. Rejects if `work` rejects before that.
 */
export async function within<T>(
  ms: number,
  end: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  if (end?.aborted || ms <= 0) return undefined;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  const signal = end === undefined ? late.signal : AbortSignal.any([end, late.signal]);
  try {
    return await Promise.race([work(signal), once(signal, 'abort').then(() => undefined)]);
  } finally {
    clearTimeout(timer);
    late.abort();
  }
}
