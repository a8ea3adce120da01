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

/** The consequences of one observation. */
export class Effects {
  /** Workloads whose quiet period begins or begins again, with the objects that changed for them. */
  readonly enqueued: Map<ObjectKey, Set<ObjectKey>> = new Map();
  /** Workloads that are gone or follow nothing any more: what was planned for them is forgotten. */
  readonly forgotten: Set<ObjectKey> = new Set();
  /** Objects that workloads name and that are not there, as far as is known. */
  readonly absent: Set<ObjectKey> = new Set();
  /** Objects that workloads name and that are there now. */
  readonly returned: Set<ObjectKey> = new Set();
  /** Whole objects of which keys are followed that were not told apart when they were read. */
  readonly unread: Set<ObjectKey> = new Set();
  /** Changes of content that workloads follow, for those who count. */
  readonly changes: { readonly config: ConfigRef; readonly type: 'created' | 'updated' | 'deleted' }[] = [];
  /** Workloads that their owner changed, not only in scale: a refusal of before says nothing any more. */
  readonly retryNow: Set<ObjectKey> = new Set();
  /** Workloads whose owner's rollout ended, well or not: what waited for it goes on. */
  readonly resumed: Set<ObjectKey> = new Set();
  /** Workloads whose stamp was taken back before they had rolled, and how many times more often than is tried. */
  readonly stampReverted: Map<ObjectKey, number> = new Map();
  /** Opt-ins that went together with our stamps. */
  readonly lostOptIns: LostOptIn[] = [];
  /** Other reloaders of the same workloads. */
  readonly competitors: CompetingReloader[] = [];
  /** Objects whose state must be written at once. */
  readonly writeNow: Set<ObjectKey> = new Set();
  /** Objects whose state may have to be written with the next batch. */
  readonly writeSoon: Set<ObjectKey> = new Set();
  readonly notes: Note[] = [];

  /** `workload` owes a rollout because of `config`. */
  enqueue(workload: ObjectKey, config: ObjectKey): void {
    const configs = this.enqueued.get(workload);
    if (configs === undefined) this.enqueued.set(workload, new Set([config]));
    else configs.add(config);
  }

  /** Adds a note. */
  note(note: Note): void {
    this.notes.push(note);
  }
}
