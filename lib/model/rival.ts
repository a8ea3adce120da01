/** Another program that reloads a workload that we follow: then each change rolls it twice. */

import type { Mark, Workload } from './workload.ts';

/** What showed it. */
export interface Rival {
  /** As it was written. */
  readonly workload: Workload;
  /** The stamp that is not ours. */
  readonly mark: Mark;
}
