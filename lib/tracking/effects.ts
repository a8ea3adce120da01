/** The effects of an observation, as data: the rules of this folder decide them, the app carries them out. */

import type { CompetingReloader } from '../model/finding.ts';
import type { ConfigRef, ObjectKey, WorkloadRef } from '../model/object-ref.ts';
import type { Reason } from '../model/reasons.ts';

/** A decision, for the journal. */
export interface Note {
  readonly reason: Reason;
  readonly workload?: WorkloadRef;
  readonly config?: ConfigRef;
  /** The variable part of the reason's sentence, such as a digest or the name of a field manager. */
  readonly detail?: string;
}

/** The journal of decisions. */
export interface DecisionLog {
  /** Records a note, with the sentence of its reason. */
  readonly note: (note: Note) => void;
  /** Records `message` for `reason`. */
  readonly say: (reason: Reason, message: string, namespace?: string) => void;
}

/** Why a workload is passed to the rollout controller. */
export type EnqueueReason =
  /** It does not exist or follows nothing any more: its planned rollout is forgotten. */
  | { readonly type: 'forgotten' }
  /** It needs a rollout because of this object: its quiet period begins, or begins again. */
  | { readonly type: 'changed'; readonly config: ObjectKey }
  /** An external writer changed more of it than its replicas, or its external rollout is over: it is decided again. */
  | { readonly type: 'retry-now' }
  /** Its stamp was reverted; `times`: how often beyond the reverts after which it is retried at once. */
  | { readonly type: 'stamp-reverted'; readonly times: number };

/** A consequence for the journal, the counters, the findings or the look-up of objects. */
export type Report =
  | ({ readonly type: 'note' } & Note)
  /** A change of content that workloads follow. */
  | {
      readonly type: 'change';
      readonly config: ConfigRef;
      readonly change: 'created' | 'updated' | 'deleted';
    }
  /** Another reloader of the same workload. */
  | { readonly type: 'competitor'; readonly competitor: CompetingReloader }
  /** An object that workloads follow is not known to exist, or exists now. */
  | { readonly type: 'missing' | 'found'; readonly config: ObjectKey };

/**
 * The effects of one observation: workloads to roll, objects to commit, and reports. Collected in order; it does nothing
 * itself.
 */
export class Effects {
  readonly #enqueued: (readonly [workload: ObjectKey, reason: EnqueueReason])[] = [];
  /** The objects whose entries may have to be written. */
  readonly persisted: Set<ObjectKey> = new Set();
  readonly #reports: Report[] = [];

  /** Whether it has no effect, as for most objects that a start lists. */
  get isEmpty(): boolean {
    return this.#enqueued.length + this.persisted.size + this.#reports.length === 0;
  }

  /** Passes `workload` to the rollout controller. */
  enqueue(workload: ObjectKey, reason: EnqueueReason): void {
    this.#enqueued.push([workload, reason]);
  }

  /** The entry of an object may have to be written. */
  persist(config: ObjectKey): void {
    this.persisted.add(config);
  }

  /** Adds a report. */
  report(report: Report): void {
    this.#reports.push(report);
  }

  /** Adds a note. */
  note(note: Note): void {
    this.#reports.push({ ...note, type: 'note' });
  }

  /** The workloads enqueued for reasons of one type, in order. */
  enqueuedFor<T extends EnqueueReason['type']>(
    type: T,
  ): (readonly [ObjectKey, Extract<EnqueueReason, { type: T }>])[] {
    type Wanted = readonly [ObjectKey, Extract<EnqueueReason, { type: T }>];
    return this.#enqueued.filter((each): each is Wanted => each[1].type === type);
  }

  /** The reports of one type, in order. */
  reported<T extends Report['type']>(type: T): Extract<Report, { type: T }>[] {
    return this.#reports.filter((each): each is Extract<Report, { type: T }> => each.type === type);
  }
}
