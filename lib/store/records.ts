/** What is known of one object, and of one workload that follows some. */

import type { ConfigAnnotations, StampVariables } from '../annotations/vocabularies.ts';
import type { Digest, KeyDigests } from '../model/digest.ts';
import type { Edge } from '../model/edge.ts';
import type { ConfigRef, ObjectKey } from '../model/object-ref.ts';
import { type RolloutPlan, sequenceIn } from '../model/rollout-plan.ts';
import type { Workload } from '../model/workload.ts';

/** A rollout that an external writer of the pod template began. */
export interface ExternalRollout {
  /** Every pod of it started after this, on the Timeline. */
  readonly startedAfter: number;
  /** The digest of the template of before, without our stamps: if that comes back, so do its pods. */
  readonly from: string;
  /** The revision of that template: unless another one comes, it was but spelled another way. */
  readonly revision: string | undefined;
  /** The furthest that it was seen to have come, see progressOf. */
  readonly progress: number;
}

/** What is known of one ConfigMap or Secret, or of some keys of one. */
export interface ConfigRecord {
  readonly ref: ConfigRef;
  /** The digest of the present content; undefined while the object is absent or not yet seen. */
  digest: Digest | undefined;
  /** The digest when it was last present. */
  lastDigest: Digest | undefined;
  /** Its annotations that policies ask for, as they came with that content. */
  annotations: ConfigAnnotations;
  /** The present content's digests under the further algorithms that the state names. */
  otherDigests?: readonly Digest[] | undefined;
  resourceVersion: string | undefined;
  /** When that version was written, on the Timeline; -Infinity while none was seen. */
  writtenAt: number;
  /** Its last write that left its time, see lastWriteOf. */
  lastWrite: number | undefined;
  /** After when it was deleted, on the Timeline; undefined while it is present or was never seen. */
  absentAfter: number | undefined;
  /** Whether a list came in its absence, so that it may have been there for a while unseen. */
  mayHaveReturned: boolean;
  /** When its content last changed or may have, on the Timeline; -Infinity: not since the first list. */
  changedAt: number;
  /** When what its first list showed was written, if the state has other content. */
  foundChangedAt?: number | undefined;
  /** The digests of the keys of a whole object as they were last, where they are told apart. */
  keyDigests?: KeyDigests | undefined;
  /** Of some keys: the object is there, and has to be looked at before anything can be said of them. */
  isUnread?: boolean;
  /** A reloader keeps its state in it: to workloads it is not there. */
  isState?: boolean;
}

/** What is known of one workload that follows something. */
export interface WorkloadRecord {
  workload: Workload;
  variables: ReadonlyMap<ObjectKey, StampVariables>;
  /** Changed by putEdge alone. */
  readonly edges: Map<ObjectKey, Edge>;
  /** Whether it was there when this process listed its kind first. */
  readonly isFromStart: boolean;
  /** Until when pods may have started, on the Timeline: Infinity while it is rolling. */
  rolledUntil: number;
  /** Up to when the workload's own history is known, on the Timeline. */
  knownAt: number;
  /** The external rollout under way, where its pods make one of ours needless. */
  externalRollout: ExternalRollout | undefined;
  /** How often our stamp was reverted before the workload had rolled. */
  takeBacks: number;
  /** The plan whose patch is on its way, or whose answer was lost. */
  inFlight: RolloutPlan | undefined;
}

/** The sequence of the object in a patch under way, or in one whose answer was lost; 0: there is none. */
export function sequenceInFlight({ inFlight }: WorkloadRecord, config: ObjectKey): number {
  return inFlight === undefined ? 0 : sequenceIn(inFlight, config);
}
