/** One lead, from the write that took the Lease to its loss or release. */

import { monotonicMs } from '../model/time.ts';

/** Knows how long a lead is valid; what is over never is again. */
export class Term {
  /** By monotonicMs. */
  readonly beganMs: number = monotonicMs();
  /** Aborted when there is no lead any more, and when the process is to end: then the lead is still valid. */
  readonly signal: AbortSignal;
  readonly #over = new AbortController();
  #validUntilMs: number;

  /** @param validUntilMs of monotonicMs; without end if there is no Lease. */
  constructor(validUntilMs: number, ending: AbortSignal) {
    this.#validUntilMs = validUntilMs;
    this.signal = AbortSignal.any([ending, this.#over.signal]);
  }

  get validUntilMs(): number {
    return this.#validUntilMs;
  }

  /** Whether there is no Lease to renew. */
  get isAlone(): boolean {
    return this.#validUntilMs === Number.POSITIVE_INFINITY;
  }

  readonly isValid = (): boolean => !this.#over.signal.aborted && monotonicMs() < this.#validUntilMs;

  renew(validUntilMs: number): void {
    this.#validUntilMs = validUntilMs;
  }

  /** There is no lead any more. */
  finish(): void {
    this.#over.abort();
  }
}
