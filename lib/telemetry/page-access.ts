/** Who may read the pages: those with a bearer token that the API server knows and that may get the path. */

import { createHash } from 'node:crypto';
import { monotonicMs } from '../model/time.ts';

/** The answer of the API server about a token and a path. */
export type Review = 'allowed' | 'unauthenticated' | 'forbidden';

/** A decision about a request; `unavailable`: the review failed, `busy`: too many reviews within a second. */
export type Access = Review | 'unavailable' | 'busy';

/** The parts of PageAccess. */
export interface PageAccessOptions {
  /** Asks the API server. Rejects without an answer. */
  readonly review: (token: string, path: string) => Promise<Review>;
  /** Called for each failed review; the error has no token. */
  readonly onFailure: (error: unknown) => void;
}

/** A right that was withdrawn counts for so long. */
const ALLOWED_MS = 60_000;
/** A right that was granted does not count for so long. */
const REFUSED_MS = 10_000;
/** The most answers that are remembered of either kind: who is refused displaces none who is allowed. */
const MOST_REMEMBERED = 100;
/** The most reviews of strangers that begin within a second; those of tokens that were allowed before are not limited. */
const MOST_REVIEWS = 20;
/** The length is bounded by that of all headers. */
const BEARER = /^bearer +(\S+)$/i;

interface Remembered {
  readonly access: Review;
  /** By monotonicMs. */
  readonly until: number;
}

/** Reviews each token and path, and remembers the answers for a while. It never allows anything without a review. */
export class PageAccess {
  readonly #options: PageAccessOptions;
  /** By the hash of the token and the path, the oldest first; no token is kept. */
  readonly #allowed = new Map<string, Remembered>();
  readonly #refused = new Map<string, Remembered>();
  readonly #underWay = new Map<string, Promise<Access>>();
  #second = { beganAt: Number.NEGATIVE_INFINITY, reviews: 0 };

  constructor(options: PageAccessOptions) {
    this.#options = options;
  }

  /** Decides by the Authorization header of a request; `path`: one of few. Never rejects. */
  async admit(authorization: string | undefined, path: string): Promise<Access> {
    const token = BEARER.exec(authorization ?? '')?.[1];
    if (token === undefined) return 'unauthenticated';
    const hash = createHash('sha256').update(token).digest('base64');
    const key = JSON.stringify([hash, path]);
    const known = this.#allowed.get(key) ?? this.#refused.get(key);
    if (known !== undefined && monotonicMs() < known.until) return known.access;
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return await underWay;
    if (!this.#allowed.has(key) && !this.#hasRoom()) return 'busy';
    const review = this.#review(key, token, path);
    this.#underWay.set(key, review);
    return await review.finally(() => this.#underWay.delete(key));
  }

  async #review(key: string, token: string, path: string): Promise<Access> {
    try {
      const access = await this.#options.review(token, path);
      this.#remember(key, access);
      return access;
    } catch (error) {
      this.#options.onFailure(error);
      return 'unavailable';
    }
  }

  #remember(key: string, access: Review): void {
    const isAllowed = access === 'allowed';
    this.#allowed.delete(key);
    this.#refused.delete(key);
    const remembered = isAllowed ? this.#allowed : this.#refused;
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size >= MOST_REMEMBERED) remembered.delete(oldest);
    remembered.set(key, { access, until: monotonicMs() + (isAllowed ? ALLOWED_MS : REFUSED_MS) });
  }

  /** Whether another review of a stranger may begin; counts it. */
  #hasRoom(): boolean {
    const now = monotonicMs();
    if (now - this.#second.beganAt >= 1000) this.#second = { beganAt: now, reviews: 0 };
    this.#second.reviews += 1;
    return this.#second.reviews <= MOST_REVIEWS;
  }
}
