/** A counting semaphore: so many at a time, the others in the order in which they came. */

/** How long to wait for a place. */
export interface Patience {
  readonly withinMs: number;
  /** What is said when it was in vain. */
  readonly inVain: string;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** Every wait for a place has an end. */
export class Semaphore {
  #free: number;
  /** Those who wait; calling one gives it a place. */
  readonly #waiting = new Set<() => void>();

  constructor(places: number) {
    this.#free = places;
  }

  /**
   * Resolves when there is a place; what it answers gives the place back, and does nothing when called again.
   *
   * @throws an error that says `inVain`, or the signal's reason: then there is no place to give back.
   */
  acquire({ withinMs, inVain, signal }: Patience): Promise<() => void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#free > 0) {
        this.#free -= 1;
        resolve(this.#place());
        return;
      }
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.#waiting.delete(enter);
      };
      const enter = (): void => {
        settle();
        resolve(this.#place());
      };
      const giveUp = (why: unknown): void => {
        settle();
        reject(why);
      };
      const onAbort = (): void => giveUp(signal?.reason);
      const timer = setTimeout(() => giveUp(new Error(inVain)), withinMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(enter);
    });
  }

  #place(): () => void {
    let isHeld = true;
    return () => {
      if (isHeld) this.#release();
      isHeld = false;
    };
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else next();
  }
}
