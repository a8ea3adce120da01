/** What became of the attempt to roll one workload: the closed list on which one switch acts. */

import type { ConfigRef } from './object-ref.ts';
import type { RolloutPlan } from './rollout-plan.ts';

/** See rollout-controller.ts for what each leads to. */
export type Outcome =
  /** Nothing was owed any more. */
  | { readonly type: 'settled' }
  /** The patch is in force. */
  | { readonly type: 'done'; readonly plan: RolloutPlan }
  /** Decide again at once, from a fresh look. */
  | { readonly type: 'again' }
  /** The API server is not able to now. */
  | { readonly type: 'later'; readonly message: string; readonly retryAfterMs?: number }
  /** The API server will not have it, or another writer takes it back. */
  | { readonly type: 'refused'; readonly message: string }
  /** Another writer takes its stamp back each time: it is rolled once what it follows, or its own template, changes. */
  | { readonly type: 'given-up'; readonly message: string }
  /** Its namespace is not selected: it is rolled once that is. */
  | { readonly type: 'unselected' }
  /** Its owner is rolling it, and brings all that is owed. */
  | { readonly type: 'absorbing' }
  /** Pods that started now would wait for what is not there: it is rolled once that is. */
  | { readonly type: 'lacking'; readonly needs: readonly ConfigRef[] }
  /** There is no such workload any more. */
  | { readonly type: 'gone' };
