/** One lead, from the write that took the Lease to its loss or release. */

import { monotonicMs } from '../model/clock.ts';

/** Knows how long a lead is valid; what is over never is again. */
export class Term {
  /** By monotonicMs. */
  readonly beganMs: number = monotonicMs();
  readonly #end = new AbortController();
  #validUntilMs: number;
  #isOver = false;

  /** @param validUntilMs of monotonicMs; without end if there is no Lease. */
  constructor(validUntilMs: number) {
    this.#validUntilMs = validUntilMs;
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  get validUntilMs(): number {
    return this.#validUntilMs;
  }

  /** Whether there is no Lease to renew. */
  get isAlone(): boolean {
    return this.#validUntilMs === Number.POSITIVE_INFINITY;
  }

  readonly isValid = (): boolean => !this.#isOver && monotonicMs() < this.#validUntilMs;

  renew(validUntilMs: number): void {
    this.#validUntilMs = validUntilMs;
  }

  /** The process is to end: what is under way may be finished while the lead is valid. */
  announceEnd(): void {
    this.#end.abort('ended');
  }

  /** There is no lead any more. */
  finish(): void {
    this.#isOver = true;
    this.#end.abort('lost');
  }
}
