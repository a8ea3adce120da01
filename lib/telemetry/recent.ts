/** Answers that many clients share instead of computing one for each. */

import { monotonicMs } from '../model/time.ts';

/** The maximum age of a shared answer, in ms. */
const FRESH_MS = 1000;

/** Returns the last result of `make` if that is younger than FRESH_MS, else calls it again. An error is not kept. */
export function recent<T>(make: () => T): () => T {
  let made: { readonly value: T; readonly at: number } | undefined;
  return () => {
    if (made !== undefined && monotonicMs() - made.at < FRESH_MS) return made.value;
    // Release the old value, so that it can be collected while the new one is made.
    made = undefined;
    const value = make();
    made = { value, at: monotonicMs() };
    return value;
  };
}

/** A text, and the time of the snapshot that it shows. */
export interface Shown {
  readonly body: Buffer;
  readonly asOf: Date;
}

/** The texts of one snapshot: each is made on its first request, and then shared. */
export class Texts {
  readonly asOf: Date;
  readonly #made = new Map<string, Shown>();

  /** @param asOf the time of the snapshot */
  constructor(asOf: Date) {
    this.asOf = asOf;
  }

  /** How many have been made. */
  get size(): number {
    return this.#made.size;
  }

  /** Whether the text with this key has been made. */
  has(key: string): boolean {
    return this.#made.has(key);
  }

  /** The text with this key. */
  text(key: string, write: () => string): Shown {
    const shown = this.#made.get(key) ?? { body: Buffer.from(write()), asOf: this.asOf };
    this.#made.set(key, shown);
    return shown;
  }
}
