/** A set of digests in sixteen bytes or so each: there are millions of them. */

import type { Digest } from './canonical.ts';

const FIRST_CAPACITY = 2 ** 12;
/** Beyond this share the table is doubled. */
const MOST_FULL = 0.7;

/** Digests, by open addressing. */
export class DigestSet {
  #capacity = FIRST_CAPACITY;
  #high = new Uint32Array(FIRST_CAPACITY);
  #low = new Uint32Array(FIRST_CAPACITY);
  #size = 0;

  /** How many there are. */
  get size(): number {
    return this.#size;
  }

  /** Whether `digest` is there. */
  has(digest: Digest): boolean {
    const at = this.#placeOf(digest);
    return this.#high[at] !== 0 || this.#low[at] !== 0;
  }

  /** Adds `digest`; false: it is there already. */
  add(digest: Digest): boolean {
    const at = this.#placeOf(digest);
    if (this.#high[at] !== 0 || this.#low[at] !== 0) return false;
    this.#high[at] = digest.high;
    this.#low[at] = digest.low;
    this.#size += 1;
    if (this.#size > this.#capacity * MOST_FULL) this.#double();
    return true;
  }

  /** Where `digest` is, or would be: zero in both stands for nothing. */
  #placeOf({ high, low }: Digest): number {
    const mask = this.#capacity - 1;
    let at = low & mask;
    while (
      (this.#high[at] !== high || this.#low[at] !== low) &&
      (this.#high[at] !== 0 || this.#low[at] !== 0)
    ) {
      at = (at + 1) & mask;
    }
    return at;
  }

  #double(): void {
    const [highs, lows] = [this.#high, this.#low];
    this.#capacity *= 2;
    this.#high = new Uint32Array(this.#capacity);
    this.#low = new Uint32Array(this.#capacity);
    for (const [index, high] of highs.entries()) {
      const low = lows[index] ?? 0;
      if (high === 0 && low === 0) continue;
      const at = this.#placeOf({ high, low });
      this.#high[at] = high;
      this.#low[at] = low;
    }
  }
}
