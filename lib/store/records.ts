/**
 * The records of the store: one of each object, one of each workload that follows at least one. Times "on the Timeline" are
 * comparable with each other only, see model/timeline.ts.
 */

import type { StampVariables } from '../annotations/stamp-variables.ts';
import type { ConfigObject } from '../model/config-object.ts';
import { type Digest, type KeyDigests, scopedDigestsOf } from '../model/digest.ts';
import type { Edge } from '../model/edge.ts';
import type { ConfigRef, ObjectKey } from '../model/object-ref.ts';
import { type RolloutPlan, stampsObject } from '../model/rollout-plan.ts';
import type { Halt } from '../model/state-entry.ts';
import { NOTHING } from '../model/text.ts';
import type { Annotations, Workload } from '../model/workload.ts';

/** An external rollout in progress. */
export interface ExternalRollout {
  /** All of its pods started after this moment, on the Timeline. */
  readonly startedAfter: number;
  /** The invariantOf the former template: if it returns, so may its pods. Undefined: any other template ends the rollout. */
  readonly from: string | undefined;
  /** The revision of the former template: if it does not change, the template was only written in another form. */
  readonly revision: string | undefined;
  /** The highest progress that was observed, see progressOf. */
  readonly progress: number;
}

/** One ConfigMap or Secret, or one followed set of its keys. */
export interface ConfigRecord {
  readonly ref: ConfigRef;
  /** The digest of the present content; undefined while the object is absent or not yet seen. */
  digest: Digest | undefined;
  /** The digest of its last content; kept during an absence, to see on its return whether it changed. */
  lastDigest: Digest | undefined;
  /** Its annotations that policies read, as they came with the content. */
  annotations: Annotations;
  /** The digests of the present content under further algorithms, which entries of other reloaders use. */
  otherDigests?: readonly Digest[] | undefined;
  resourceVersion: string | undefined;
  /** When that version was written, on the Timeline; -Infinity before the first version. */
  writtenAt: number;
  /** The latest time in its managedFields, by the API server's clock, see lastWriteOf. */
  lastWrite: number | undefined;
  /** Whether its content may have changed without a change of that time, as by a write that only removes keys, or while no reloader ran. */
  isUndated?: boolean;
  /**
   * The latest moment before its deletion at which it still existed, on the Timeline; undefined while it is present or unseen.
   */
  absentAfter: number | undefined;
  /** Whether a list ran during its absence: the object may have existed for a while without an event. */
  mayHaveReturned: boolean;
  /** When its content last changed or may have changed, on the Timeline; -Infinity: not since the first list. */
  changedAt: number;
  /** If the first list showed another content than the state's: when that content was written. */
  foundChangedAt?: number | undefined;
  /** The last digests of its keys; undefined before the first version, and of a set of keys. */
  keyDigests: KeyDigests | undefined;
  /** Whether every pod that has mounted it began with the present content. */
  begunWith?: true | undefined;
}

/** Puts this version, written at `at` on the Timeline, into the record. */
export function takeVersion(record: ConfigRecord, object: ConfigObject, at: number): void {
  const isOther = record.lastDigest !== undefined && record.lastDigest !== object.digest;
  const isUndated = object.lastWrite === record.lastWrite && (isOther || record.isUndated === true);
  record.annotations = object.annotations;
  record.digest = object.digest;
  record.lastDigest = object.digest;
  record.resourceVersion = object.resourceVersion;
  record.writtenAt = at;
  record.lastWrite = object.lastWrite;
  if (record.ref.keys === undefined) record.keyDigests = object.keyDigests;
  record.absentAfter = undefined;
  record.mayHaveReturned = false;
  // Few objects have these fields: they are not added to the others, which would take 40 bytes each.
  if (isUndated !== (record.isUndated ?? false)) record.isUndated = isUndated;
  if (record.otherDigests !== object.otherDigests) record.otherDigests = object.otherDigests;
  if (record.begunWith !== object.begunWith) record.begunWith = object.begunWith;
}

/** What halted one content of an object. */
export interface Halted {
  /** Since when the object has that content, see `ConfigRecord.changedAt`. */
  readonly changedAt: number;
  /** See `StateEntry.halts`; empty: nothing halts it any more. */
  readonly halts: readonly Halt[];
}

/** One namespace. */
export interface NamespaceObject {
  readonly name: string;
  /** Those that count for its workloads. */
  readonly annotations: Annotations;
}

/** One workload that follows at least one object. */
export interface WorkloadRecord {
  workload: Workload;
  /** By object, the variables in which stamps of it are read and written. */
  variables: ReadonlyMap<ObjectKey, StampVariables>;
  /** Changed only by putEdge, which keeps the invariants of edges. */
  readonly edges: Map<ObjectKey, Edge>;
  /** Whether it existed in the first list of its kind by this process. */
  readonly isFromStart: boolean;
  /** The last moment at which its pods may have started, on the Timeline; Infinity while it is rolling. */
  rolledUntil: number;
  /** The moment up to which all events of the workload are known, on the Timeline. */
  knownAt: number;
  /** The external rollout in progress that may absorb a rollout of ours; undefined: none. */
  externalRollout: ExternalRollout | undefined;
  /** All pods of the present template started after this moment, on the Timeline: it is the last patch of ours; undefined: not known. */
  patchedAfter: number | undefined;
  /** How often an external writer reverted our stamp, or another reloader wrote its own over it. */
  takeBacks: number;
  /**
   * The plan of a patch that was sent and is not answered, or whose answer was lost: no other one is sent before its lookup.
   */
  inFlight: RolloutPlan | undefined;
}

/** Whether the patch without an answer stamps the object. */
export function isInFlight({ inFlight }: WorkloadRecord, config: ObjectKey): boolean {
  return inFlight !== undefined && stampsObject(inFlight, config);
}

/** The record of an object that was never seen. */
export function newRecord(ref: ConfigRef): ConfigRecord {
  return {
    ref,
    digest: undefined,
    lastDigest: undefined,
    annotations: NOTHING,
    resourceVersion: undefined,
    writtenAt: Number.NEGATIVE_INFINITY,
    lastWrite: undefined,
    absentAfter: undefined,
    mayHaveReturned: false,
    changedAt: Number.NEGATIVE_INFINITY,
    keyDigests: undefined,
  };
}

/**
 * The record of `ref`, a set of keys of the object of `whole`. The time of its last change is that of the object, an upper
 * bound.
 */
export function scopedRecordOf(whole: ConfigRecord, ref: ConfigRef): ConfigRecord {
  const { digest, keyDigests } = whole;
  const scoped = keyDigests === undefined ? undefined : scopedDigestsOf(keyDigests, ref.keys ?? []);
  const { digest: lastDigest, otherDigests } = scoped ?? {};
  return { ...whole, ref, digest: digest && lastDigest, lastDigest, keyDigests: undefined, otherDigests };
}

/** `object` reduced to the keys of `ref`. */
export function scopedObjectOf(object: ConfigObject, ref: ConfigRef): ConfigObject {
  const { digest, otherDigests } = scopedDigestsOf(object.keyDigests, ref.keys ?? []);
  return { ...object, ref, keyDigests: '', digest, otherDigests };
}
