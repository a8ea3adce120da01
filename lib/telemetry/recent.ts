/** What many clients ask for is made once for all of them, not once for each. */

import { monotonicMs } from '../model/time.ts';

/** How old what is shown may be. */
const FRESH_MS = 1000;

/** Answers what `make` made less than a second ago, else has it made anew. What throws is not kept. */
export function recent<T>(make: () => T): () => T {
  let made: { readonly value: T; readonly at: number } | undefined;
  return () => {
    if (made !== undefined && monotonicMs() - made.at < FRESH_MS) return made.value;
    // The old one can be collected while the new one is made.
    made = undefined;
    const value = make();
    made = { value, at: monotonicMs() };
    return value;
  };
}

/** A text that is shown, and of which moment it tells. */
export interface Shown {
  readonly body: Buffer;
  readonly asOf: Date;
}

/** Texts of one look at the program: each is made when it is first asked for, and then shared. */
export class Texts {
  readonly asOf: Date;
  readonly #made = new Map<string, Shown>();

  /** @param asOf the moment of that look */
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
