/** What keeps a workload from doing what somebody may expect of it, for as long as it is so. */

import type { Reason } from './reasons.ts';

/** One answer to "why did nothing happen?". */
export interface Finding {
  readonly reason: Reason;
  /** What tells it from others of the same reason and workload: for as long as it stands it is said once. */
  readonly about: string;
  /** Where it is about several things: each of them. Nothing is said again before another thing comes to them. */
  readonly covers?: readonly string[];
  /** For people: what is wrong, and what would be right. */
  readonly message: string;
}
