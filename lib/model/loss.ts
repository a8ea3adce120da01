/** What a workload followed, and follows no more by a write that also took our stamps of it back. */

import type { ConfigRef } from './object-ref.ts';
import type { Workload } from './workload.ts';

/** One such write. */
export interface Loss {
  /** What is not followed any more. */
  readonly refs: readonly ConfigRef[];
  readonly before: Workload;
  readonly after: Workload;
}
