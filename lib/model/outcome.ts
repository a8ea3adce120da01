/** What is sent to the API server for a workload, and what became of it. */

import type { ConfigRef, WorkloadRef } from './object-ref.ts';
import type { RawWorkload } from './raw-objects.ts';
import type { RolloutPlan } from './rollout-plan.ts';

/** The answer to one fenced write of a `T`. */
export type WriteResult<T> =
  /** It is in force; `object` is what the server answered. */
  | { readonly kind: 'accepted'; readonly object: T }
  /** Somebody else wrote first (409): read again, decide again. */
  | { readonly kind: 'conflict' }
  /** The object itself no longer exists (404). */
  | { readonly kind: 'gone' }
  /** The server will not have this write (400, 403, 405, 413, 415, 422). */
  | { readonly kind: 'rejected'; readonly code: 'forbidden' | 'invalid'; readonly message: string }
  /** Not carried out, try again later (429). */
  | { readonly kind: 'throttled'; readonly message: string; readonly retryAfterMs?: number }
  /** No answer, or a 5xx: it may have taken effect. */
  | { readonly kind: 'unanswered'; readonly message: string; readonly retryAfterMs?: number };

/** The answer to an attempt to roll a workload; `mayHaveRun`: what it starts may have been started although it failed. */
export type RollResult<T> = WriteResult<T> & { readonly mayHaveRun?: true };

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
  | { readonly type: 'waiting-for-dependency'; readonly needs: readonly ConfigRef[] }
  /** There is no such workload any more. */
  | { readonly type: 'gone' };

/** What waits to be rolled out to one workload. */
export interface PendingChanges {
  /** Changes since the last rollout, reverts included. */
  readonly changes: number;
  /** When the first of them was seen, by monotonicMs. */
  readonly since: number;
}

/** Why a workload that owes something is not being patched at this moment. */
export type PendingReason =
  | { readonly type: 'quiet'; readonly until: number }
  | { readonly type: 'queued' }
  | { readonly type: 'backoff'; readonly until: number; readonly message: string }
  /** Its stamp was taken back too often for one content: what it follows, or its own template, has to change. */
  | { readonly type: 'change'; readonly message: string }
  /** Its owner's rollout brings what is owed, if it comes further until then. */
  | { readonly type: 'external-rollout'; readonly until: number }
  /** Something that its pods need is not there. */
  | { readonly type: 'dependency' }
  /** Its namespace is not selected. */
  | { readonly type: 'selection' };

/** One workload, and the objects whose change it was rolled for. */
export interface RolloutInfo {
  readonly workload: WorkloadRef;
  /** Never empty. */
  readonly objects: readonly ConfigRef[];
}

/** Which one it is, and since when it is there. */
export interface PodsBirth {
  /** As the Deployment calls its template, see WorkloadKind. */
  readonly revision: string;
  /** In seconds since 1970, by the API server's clock. */
  readonly createdAt: number | undefined;
}
