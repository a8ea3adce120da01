/** What the controller of rollouts is given: its collaborators and times, and who is told. */

import type { Heartbeat } from '../model/health.ts';
import type { WorkloadRef } from '../model/object-ref.ts';
import type { Outcome, PendingChanges } from '../model/outcome.ts';
import type { RetryQueueOptions } from '../queue/retry-queue.ts';
import type { AttemptOptions } from './rollout-attempt.ts';
import type { Slots, SlotsOptions } from './slots.ts';
import type { Stages, StagesOptions } from './stages.ts';

/** The collaborators and times of the controller. */
export interface RolloutControllerOptions
  extends Omit<AttemptOptions, 'externalRolloutMs' | 'takeSlot' | 'stageOf' | 'isUnhealthy'>,
    Omit<RetryQueueOptions, 'reconcile'> {
  readonly heartbeat: Heartbeat;
  /**
   * An attempt ended, in this turn; `pending`: the changes that it was for; `nextTryMs`: in how many ms it is retried, undefined if it
   * is not.
   */
  readonly onOutcome: (
    ref: WorkloadRef,
    outcome: Outcome,
    pending: PendingChanges,
    nextTryMs: number | undefined,
  ) => void;
  /** The window of a workload that is rolled too often was lengthened: its next rollout comes in so many ms at the latest. */
  readonly onSlowed: (ref: WorkloadRef, atTheLatestMs: number) => void;
  /** The quiet period, unless a workload asks for a longer window. */
  readonly quietMs: number;
  /** The maximum wait from the first change; at least `quietMs`. */
  readonly maxWaitMs: number;
  /** Makes the slots of the budget of rollouts. @default there is none */
  readonly newSlots?: ((ways: Pick<SlotsOptions, 'evictedOf' | 'begin'>) => Slots) | undefined;
  /** Makes the stages of changes. */
  readonly newStages: (ways: Pick<StagesOptions, 'canBegin' | 'begin'>) => Stages;
}
