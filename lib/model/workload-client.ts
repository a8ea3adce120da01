/** What is asked of the API server about one workload. */

import type { WorkloadRef } from './object-ref.ts';
import type { RawWorkload } from './raw-objects.ts';
import type { RolloutPlan } from './rollout-plan.ts';
import type { RollResult, WriteResult } from './write-result.ts';

/** Knows how to read and roll workloads. Never throws. */
export interface WorkloadClient {
  /** Carries out the plan. Accepted without an object: the workload stays as it is. */
  readonly roll: (plan: RolloutPlan) => Promise<RollResult<RawWorkload | undefined>>;
  /** One strategic merge patch, which carries its own fence; the answer is as that of `roll`. Absent where nothing is patched. */
  readonly patch?: (ref: WorkloadRef, body: object) => Promise<WriteResult<RawWorkload | undefined>>;
  readonly get: (
    ref: WorkloadRef,
  ) => Promise<
    | { readonly kind: 'found'; readonly object: RawWorkload }
    | { readonly kind: 'gone' }
    | { readonly kind: 'failed'; readonly message: string; readonly retryAfterMs?: number }
  >;
}
