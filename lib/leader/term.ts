/** One lead, from the write that took the Lease to its loss or release. */

import { monotonicMs } from '../model/time.ts';

/** The validity of one lead; an expired term never becomes valid again. */
export class Term {
  /** By monotonicMs. */
  readonly beganMs: number = monotonicMs();
  /** Aborted when the lead is over, and when the process is to end; in the latter case the lead is still valid. */
  readonly signal: AbortSignal;
  readonly #over = new AbortController();
  #validUntilMs: number;

  /** @param validUntilMs by monotonicMs; infinite without a Lease */
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

  /** Prolongs the lead, by monotonicMs; called only after an accepted renewal. */
  renew(validUntilMs: number): void {
    this.#validUntilMs = validUntilMs;
  }

  /** Ends the lead. */
  finish(): void {
    this.#over.abort();
  }
}
