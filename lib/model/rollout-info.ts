/** A rollout as those are told of it who did not decide it. */

import type { ConfigRef, WorkloadRef } from './object-ref.ts';

/** One workload, and the objects whose change it was rolled for. */
export interface RolloutInfo {
  readonly workload: WorkloadRef;
  /** Never empty. */
  readonly objects: readonly ConfigRef[];
}
