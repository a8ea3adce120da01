/**
 * Workloads whose rollout failed, or was cancelled or aborted, so that their controller brought the pods of the version before
 * back: what these run is unknown. The same content would fail again, so only another one is rolled at once.
 */

import type { RolloutPlan } from '../model/rollout-plan.ts';
import type { Workload } from '../model/workload.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { liveStampOf } from './live-stamps.ts';

/** Whether the rollout of the present template failed, or was cancelled or aborted. */
export function hasFailed({ hold }: Workload): boolean {
  return hold?.type === 'failed' || hold?.type === 'aborted';
}

/** Whether the plan brings only contents with which the rollout of the present template failed. */
export function wouldFailAgain(store: Store, record: WorkloadRecord, { stamps }: RolloutPlan): boolean {
  if (record.workload.hold?.type !== 'failed') return false;
  return stamps.every(
    ({ config, stamp }) => liveStampOf(store, record, config).stamp?.digest === stamp.digest,
  );
}
