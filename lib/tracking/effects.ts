/** What follows from an observation: said by the pure rules, carried out by the reloader. */

import type { CompetingReloader, LostOptIn } from '../model/finding.ts';
import type { ConfigRef, ObjectKey, WorkloadRef } from '../model/object-ref.ts';
import type { Reason } from '../model/reasons.ts';

/** Something decided, for people. */
export interface Note {
  readonly reason: Reason;
  readonly workload?: WorkloadRef;
  readonly config?: ConfigRef;
  /** What the reason's sentence leaves open, e.g. a digest or a manager's name. */
  readonly detail?: string;
}

/** Where decisions are written down. */
export interface DecisionLog {
  /** Says a note in the sentence of its reason. */
  readonly note: (note: Note) => void;
  readonly say: (reason: Reason, message: string, namespace?: string) => void;
}

/** Why the rollout of a workload is to be looked at. */
export type EnqueueReason =
  /** It is gone or follows nothing any more: what was planned for it is forgotten. */
  | { readonly type: 'forgotten' }
  /** It needs a rollout because of this object: its quiet period begins or begins again. */
  | { readonly type: 'changed'; readonly config: ObjectKey }
  /** An external writer changed more of it than its scale: an earlier refusal no longer holds. */
  | { readonly type: 'retry-now' }
  /** The external rollout ended, with success or without: waiting work goes on. */
  | { readonly type: 'external-rollout-over' }
  /** Its stamp was taken back before it had rolled, so many times more often than is tried at once. */
  | { readonly type: 'stamp-reverted'; readonly times: number };

/** Something for those who tell people, count, or look for objects. */
export type Report =
  | ({ readonly type: 'note' } & Note)
  /** A change of content that workloads follow. */
  | {
      readonly type: 'change';
      readonly config: ConfigRef;
      readonly change: 'created' | 'updated' | 'deleted';
    }
  /** An opt-in that went together with our stamps. */
  | { readonly type: 'lost-opt-in'; readonly lostOptIn: LostOptIn }
  /** Another reloader of the same workload. */
  | { readonly type: 'competitor'; readonly competitor: CompetingReloader }
  /** Workloads name the object, and it is not there as far as is known; or it is there now. */
  | { readonly type: 'missing' | 'found'; readonly config: ObjectKey }
  /** Keys of the whole object are followed that were not told apart when it was read. */
  | { readonly type: 'unread'; readonly config: ObjectKey };

/** `now`: a crash would lose it. `soon`: with the next batch, if it differs at all. */
export type Urgency = 'now' | 'soon';

/** The consequences of one observation: workloads to roll, state to write, and what to tell. */
export class Effects {
  readonly #enqueued: (readonly [workload: ObjectKey, reason: EnqueueReason])[] = [];
  readonly #persisted = new Map<ObjectKey, Urgency>();
  readonly #reports: Report[] = [];

  /** Whether nothing follows, as from most objects that a start lists. */
  get isEmpty(): boolean {
    return this.#enqueued.length + this.#persisted.size + this.#reports.length === 0;
  }

  /** The rollout of `workload` is to be looked at. */
  enqueue(workload: ObjectKey, reason: EnqueueReason): void {
    this.#enqueued.push([workload, reason]);
  }

  /** The state of an object may have to be written. */
  persist(config: ObjectKey, urgency: Urgency): void {
    if (urgency === 'now' || !this.#persisted.has(config)) this.#persisted.set(config, urgency);
  }

  /** Adds a report. */
  report(report: Report): void {
    this.#reports.push(report);
  }

  /** Adds a note. */
  note(note: Note): void {
    this.#reports.push({ ...note, type: 'note' });
  }

  /** The workloads that are enqueued for reasons of one type, in the order in which they were. */
  enqueuedFor<T extends EnqueueReason['type']>(
    type: T,
  ): (readonly [ObjectKey, Extract<EnqueueReason, { type: T }>])[] {
    type Wanted = readonly [ObjectKey, Extract<EnqueueReason, { type: T }>];
    return this.#enqueued.filter((each): each is Wanted => each[1].type === type);
  }

  /** The objects whose state is to be written so soon. */
  toPersist(urgency: Urgency): ReadonlySet<ObjectKey> {
    return new Set([...this.#persisted].filter(([, each]) => each === urgency).map(([config]) => config));
  }

  /** The reports of one type, in order. */
  reported<T extends Report['type']>(type: T): Extract<Report, { type: T }>[] {
    return this.#reports.filter((each): each is Extract<Report, { type: T }> => each.type === type);
  }
}
