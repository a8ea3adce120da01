/** The interface of the blockers: each is one reason why an outdated workload may not be rolled now. */

import type { ObjectKey } from '../model/object-ref.ts';
import type { Blocked, Outcome } from '../model/outcome.ts';
import type { Annotations, Workload } from '../model/workload.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';

/** One reason to wait. Made once, with the readers that it needs. */
export interface Blocker {
  readonly name: string;
  /** The reasons of its answers. @default its name */
  readonly reasons?: readonly string[];
  /** It wakes the workloads that it blocks, and is not asked again before. */
  readonly wakes?: true;
  /** It blocks one content: after another change the workload is tried again. */
  readonly isPerContent?: true;
  /** A wait that no person has asked for: its length is a problem. */
  readonly isProblem?: true;
  /** Why the workload has to wait at `now`, in ms since 1970. No side effects. `unknown`: a reader is missing. */
  check(record: WorkloadRecord, now: number): Blocked | 'unknown' | undefined;
  /** Called after all checks have passed: reserves a slot or a token. */
  begin?(record: WorkloadRecord): void;
  /** Called at the end of each attempt, and when the workload is forgotten: gives back what no patch has used. */
  end?(workload: ObjectKey, outcome: Outcome): void;
}

/** What the blockers read. */
export interface Readers {
  readonly store: Store;
  /** Whether the pods of the workload are evicted in place of a patch. @default as its annotation says */
  readonly evicts?: (record: WorkloadRecord) => boolean;
  /** Whether older pods of the workload are being evicted. @default none are */
  readonly isEvicting?: (record: WorkloadRecord) => boolean;
  /** This process rolls nothing: what one that rolls remembers is unknown. @default false */
  readonly isObserver?: boolean | undefined;
  /** Those with a memory of their own. */
  readonly pace?: Blocker | undefined;
  readonly stages?: Blocker | undefined;
  readonly budget?: Blocker | undefined;
}

/** The annotations that count for the workload: its own, which come first, and those of its namespace. */
export function levelsOf(store: Store, { workload }: WorkloadRecord): readonly Annotations[] {
  return [workload.annotations, store.namespaceAnnotations.get(workload.ref.namespace) ?? {}];
}

/** A block that only another annotation, content or workload ends. */
export function untilChanged(reason: string, message: string, event?: Blocked['event']): Blocked {
  return { reason, message, until: Number.POSITIVE_INFINITY, event };
}

/** Another one stands for another rollout; other replicas do not. */
export function rolloutIdOf({ templateDigest, stamps }: Workload): string {
  return [templateDigest, ...stamps.map(({ value }) => value)].join();
}

/** A time of day, for people. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
