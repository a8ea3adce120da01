/** The requests to the API server and their results, above all those for a workload. */

import type { ConfigRef, WorkloadRef } from './object-ref.ts';
import type { RawWorkload } from './raw-objects.ts';
import type { EventReason } from './reasons.ts';
import type { RolloutPlan } from './rollout-plan.ts';
import type { Operation } from './template-patch.ts';

/** A read without a result: the object may exist or not. */
export interface FailedRead {
  readonly kind: 'failed';
  /** An `ApiErrorCode`. */
  readonly code?: string;
  readonly message: string;
  readonly retryAfterMs?: number;
  /** The service account may not read it. */
  readonly isForbidden?: boolean;
}

/** The result of a read; `absent` only if the API server itself answered that the object does not exist. */
export type Reading<T> =
  | { readonly kind: 'found'; readonly object: T }
  | { readonly kind: 'absent' }
  | FailedRead;

/** The answer to one fenced write of a `T`. */
export type WriteResult<T> =
  /** The write is applied; `object` is the answer of the server. */
  | { readonly kind: 'accepted'; readonly object: T }
  /** Another client wrote first (409), or a test of a JSON patch failed, with its message: read again, decide again. */
  | { readonly kind: 'conflict'; readonly message?: string }
  /** The object itself no longer exists (404). */
  | { readonly kind: 'gone' }
  /** The server refuses this write (400, 403, 405, 413, 415, 422). */
  | { readonly kind: 'rejected'; readonly code: 'forbidden' | 'invalid'; readonly message: string }
  /** Not executed, try again later (429). */
  | { readonly kind: 'throttled'; readonly message: string; readonly retryAfterMs?: number }
  /** No answer, or a 5xx: it may have taken effect. */
  | { readonly kind: 'unanswered'; readonly message: string; readonly retryAfterMs?: number };

/** Whether the same was refused before, with a fresh read between: then it is a refusal, whatever the server calls it. */
export function isTwice(memory: { refused?: string | undefined }, refused?: string): boolean {
  const isSame = refused !== undefined && memory.refused === refused;
  memory.refused = refused;
  return isSame;
}

/** The answer to an attempt to roll a workload; `mayHaveRun`: a CronJob's run may have started although the attempt failed. */
export type RollResult<T> = WriteResult<T> & { readonly mayHaveRun?: true };

/** Reads and rolls workloads. Never throws. */
export interface WorkloadClient {
  /** Executes the plan. An accepted result without an object means that the workload stays as it is. */
  readonly roll: (plan: RolloutPlan) => Promise<RollResult<RawWorkload | undefined>>;
  /** One JSON patch, with its tests; the result is as that of `roll`. Absent if workloads are not patched. */
  readonly patch?: (
    ref: WorkloadRef,
    operations: readonly Operation[],
  ) => Promise<WriteResult<RawWorkload | undefined>>;
  readonly get: (ref: WorkloadRef) => Promise<Reading<RawWorkload>>;
}

/** One pod that runs or is to run. */
export interface Pod {
  readonly name: string;
  readonly uid: string;
  /** In seconds since 1970, by the API server's clock. */
  readonly createdAt: number | undefined;
  readonly isReady: boolean;
  /** It is being deleted. */
  readonly isLeaving: boolean;
  /** Why a container of it does not run, if that will not pass by itself. */
  readonly failure?: string | undefined;
}

/** The pods of one workload. */
export type PodsReading =
  /** `desired`: how many there should be, if the workload says so. */
  | { readonly kind: 'listed'; readonly pods: readonly Pod[]; readonly desired: number | undefined }
  | { readonly kind: 'gone' }
  /** `isUnreached`: no pod is known to be one of the workload, although it may have some. */
  | (FailedRead & { readonly isUnreached?: boolean });

/** Lists and evicts the pods of workloads. Never throws. */
export interface PodClient {
  /** All pods that the workload controls, itself or through what it made; `gone` if another one has its name now. */
  readonly podsOf: (workload: WorkloadRef, uid: string) => Promise<PodsReading>;
  /** Asks for the eviction of this very pod: `gone` or a conflict if it does not exist any more, `throttled` by a budget. */
  readonly evict: (namespace: string, pod: Pod) => Promise<WriteResult<unknown>>;
}

/** Why an attempt is made again. */
export const RETRIES = ['conflict', 'unavailable', 'refused', 'evicting'] as const;

/** An attempt that is made again. */
export interface Retry {
  readonly type: 'retry';
  /** Another client wrote first; the API server cannot execute it now, or refuses it; older pods are left. */
  readonly reason: (typeof RETRIES)[number];
  /** For people; of evictions, how many pods are gone, and what the next one waits for. */
  readonly message: string;
  readonly retryAfterMs?: number | undefined;
  readonly evictions?: EvictionProgress;
}

/** The server, or another client, refuses the rollout. */
export function refusal(message: string): Retry {
  return { type: 'retry', reason: 'refused', message };
}

/** How the evictions of a workload come on. */
export interface EvictionProgress {
  /** The attempts in a row that changed nothing. */
  readonly idle: number;
  /** Whether nothing has changed for longer than the progress deadline. */
  readonly isStalled: boolean;
  /** The changes that it is for. */
  readonly about: string;
}

/** The outcome of one attempt; rollout-controller.ts has the reaction to each. */
export type Outcome =
  /** The workload was up to date. */
  | { readonly type: 'current' }
  /** The patch is applied, or every older pod was evicted. */
  | { readonly type: 'rolled'; readonly plan: RolloutPlan; readonly evicted?: number }
  /** It may not be rolled now. */
  | { readonly type: 'blocked'; readonly blocked: Blocked }
  | Retry
  /** The workload no longer exists. */
  | { readonly type: 'gone' };

/** The outcomes of an attempt that sent a patch, or would have in a dry run; of a retry its reason. */
export const ATTEMPT_ENDS = ['rolled', 'conflict', 'unavailable', 'refused', 'gone'] as const;

/** One of ATTEMPT_ENDS. */
export type AttemptEnd = (typeof ATTEMPT_ENDS)[number];

/** Why an outdated workload is not being patched now, and when to ask again. */
export interface Blocked {
  /** A word for the log, metrics and pages. */
  readonly reason: string;
  /** For people. */
  readonly message: string;
  /** When to ask again, in ms since 1970; Infinity: once something changes. */
  readonly until: number;
  /** The Event that reports it; undefined: only the log does. */
  readonly event?: EventReason | undefined;
  /** Another workload of its namespace waits for the same, so that it has no Event of its own. */
  readonly isShared?: boolean;
  /** The token by which a person allows the rollout. */
  readonly token?: string;
  /** The state of the workload. @default it waits */
  readonly state?: 'refused' | 'failing' | 'halted' | undefined;
  /** Who brings the change in place of the reloader. */
  readonly by?: 'owner' | 'person';
  /** The message about a change that is only planned. @default message */
  readonly planned?: string;
}

/** The changes that wait to be rolled out to one workload. */
export interface PendingChanges {
  /** Changes since the last rollout, reverts included. */
  readonly changes: number;
  /** When the first of them was seen, by monotonicMs. */
  readonly since: number;
}

/** One workload, and the objects whose change it was rolled for. */
export interface RolloutInfo {
  readonly workload: WorkloadRef;
  /** Never empty. */
  readonly objects: readonly ConfigRef[];
}

/** A workload that is not rolled and needs a person. */
export interface FailureInfo extends RolloutInfo {
  readonly reason: EventReason;
  readonly message: string;
  /** Equal for all workloads with the same reason and the same contents; not for people. */
  readonly cause: string;
}
