/** Exponential backoff with full jitter: those who failed together do not come back together. */

/** The bounds of a backoff. */
export interface BackoffBounds {
  /** No wait is shorter; the range doubles from here with each attempt. */
  readonly baseMs: number;
  /** No wait is longer. */
  readonly capMs: number;
}

/** Somebody else wrote first: what is decided anew has a good chance. */
export const CONFLICT_BACKOFF: BackoffBounds = { baseMs: 20, capMs: 5_000 };

/** The API server is not able to now. */
export const LATER_BACKOFF: BackoffBounds = { baseMs: 500, capMs: 30_000 };

/** The API server will not have it until somebody changes something. */
export const REFUSAL_BACKOFF: BackoffBounds = { baseMs: 5_000, capMs: 300_000 };

/**
 * The wait before the retry that follows failure number `attempt` (0 for the first one): evenly spread between `baseMs`
 * and `min(capMs, baseMs × 2^(attempt + 1))`. With 500 and 30000: 0.5–1 s, 0.5–2 s, … 0.5–30 s.
 *
 * @param random answers a number in [0, 1), as Math.random does.
 */
export function backoffMs(attempt: number, { baseMs, capMs }: BackoffBounds, random: () => number): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** (Math.max(0, attempt) + 1));
  return Math.round(baseMs + random() * Math.max(0, ceiling - baseMs));
}
