/** A token bucket: so many events in a second on average, and so many at once after a pause. */

import { monotonicMs } from '../model/time.ts';

/** Full at first. A rate of 0 means no limit. */
export class TokenBucket {
  readonly #msPerToken: number;
  readonly #burst: number;
  /** The moment from which the bucket is full, by monotonicMs: each token that is taken puts it off. */
  #fullAt = Number.NEGATIVE_INFINITY;

  /** `rate`: tokens in a second; `burst`: how many the bucket holds, at least 1. */
  constructor(rate: number, burst: number) {
    this.#msPerToken = rate === 0 ? 0 : 1000 / rate;
    this.#burst = burst;
  }

  /** In how many ms there is a token; 0: there is one. */
  get waitMs(): number {
    return Math.max(0, this.#fullAt - monotonicMs() - (this.#burst - 1) * this.#msPerToken);
  }

  /** Takes a token; if there is none, the one that comes after `waitMs`. -1 gives an unused one back. */
  take(tokens: 1 | -1 = 1): void {
    this.#fullAt = Math.max(this.#fullAt, monotonicMs()) + tokens * this.#msPerToken;
  }
}
