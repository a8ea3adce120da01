/** The clock of every wait that is measured here: it never jumps, whatever is done to the time of day. */

/** Milliseconds that only grow, from an arbitrary origin. Time of day, for people and other programs, is `Date`. */
export function monotonicMs(): number {
  return performance.now();
}
