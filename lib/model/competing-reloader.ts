/** Another program that reloads a workload that we follow: then each change rolls it twice. */

import type { TemplateStamp, Workload } from './workload.ts';

/** What showed it. */
export interface CompetingReloader {
  /** As it was written. */
  readonly workload: Workload;
  /** The stamp that is not ours. */
  readonly mark: TemplateStamp;
}
