/** Whether the program's loops are alive: a loop that neither moves on nor is expected to is stuck. */

/** How long a loop may give no sign after it was expected to. */
export const STUCK_AFTER_MS = 60_000;

/**
 * What each loop last said of itself. Times are milliseconds on one clock that never jumps.
 * A loop that was never heard of is not judged.
 */
export class Heartbeat {
  /** Loop → the moment from which it is expected to move; Infinity while it only waits for work. */
  readonly #expectedFrom = new Map<string, number>();

  /** `loop` moved on just now, and goes on at once. */
  progress(loop: string, now: number): void {
    this.#expectedFrom.set(loop, now);
  }

  /** `loop` waits until `until` at the latest: a retry, a deadline, its next round. */
  sleeps(loop: string, until: number): void {
    this.#expectedFrom.set(loop, until);
  }

  /** `loop` has nothing to do until somebody gives it work. */
  idle(loop: string): void {
    this.#expectedFrom.set(loop, Number.POSITIVE_INFINITY);
  }

  /** `loop` has ended as it should. */
  ended(loop: string): void {
    this.#expectedFrom.delete(loop);
  }

  /** The loops with no progress and no scheduled wake-up for STUCK_AFTER_MS, in the order in which they began. */
  stuck(now: number): string[] {
    return [...this.#expectedFrom].filter(([, from]) => now - from >= STUCK_AFTER_MS).map(([loop]) => loop);
  }
}
