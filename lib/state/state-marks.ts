/** The marks of an object's record: one for each follower of which a start would otherwise believe another running digest. */

import { translated } from '../model/digest.ts';
import { type Edge, type Mark, markOf, recordedDigest, UNKNOWN } from '../model/edge.ts';
import { copyNameOf } from '../model/kinds/jobs.ts';
import { type ConfigRef, keyOf, type ObjectKey, wholeKeyOf } from '../model/object-ref.ts';
import {
  followerOf,
  type Marks,
  markKeyOf,
  markOfFollower,
  type StateEntry,
  withoutMarks,
} from '../model/state-entry.ts';
import { isInFlight, type WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { LeftOut } from '../store/sync-gate.ts';
import { isOutdatedOn, recovered } from '../tracking/edge-policy.ts';

/** What a plan asks about lists and rollouts; pure queries of the present moment. */
export interface WriteGate {
  /** Whether `kind` and all kinds of workload are listed in `namespace`; streams that are `leftOut` do not count. */
  readonly isSynced: (namespace: string, kind: string, leftOut?: LeftOut) => boolean;
  /** Whether `workload` is about to be patched: it is in its quiet period, a patch is under way, or one is retried. */
  readonly isWaiting: (workload: ObjectKey) => boolean;
}

/**
 * The entry with the marks that it needs by what is known now. `isCandidate`: followers that became outdated are marked too; else
 * only those that already are.
 */
export function withMarks(
  store: Store,
  gate: WriteGate,
  ref: ConfigRef,
  given: StateEntry,
  isCandidate: boolean,
): StateEntry {
  const config = keyOf(ref);
  const entry = withoutMarks(given);
  const before = store.persisted.entryOf(ref);
  const marks = new Map<string, Mark>();
  for (const [record, edge] of store.edgesOf(config)) {
    const { ref: workload } = record.workload;
    const mayBeBehind = isCandidate || (before && markOfFollower(before, workload)) === UNKNOWN;
    const isBehind = mayBeBehind && isOutdatedOn(store, record, config, edge);
    const mark = isBehind ? UNKNOWN : markFor(store, record, config, entry, edge);
    if (mark !== undefined) marks.set(markKeyOf(workload), mark);
  }
  addFormer(store, gate, ref, before?.marks, marks);
  return marks.size === 0 ? entry : { ...entry, marks };
}

/** Adds the marks of workloads that do not follow the object now, where they stay. */
function addFormer(
  store: Store,
  gate: WriteGate,
  ref: ConfigRef,
  before: Marks | undefined,
  marks: Map<string, Mark>,
): void {
  for (const [key, mark] of before ?? [])
    if (!marks.has(key) && isStillNeeded(store, gate, ref, key)) marks.set(key, mark);
}

/**
 * The mark of one edge; undefined where its pods run the digest of the entry. While older pods run beside those of our stamp, an undo
 * may make them all pods there are: only the stamp proves to a start that this did not happen.
 */
function markFor(
  store: Store,
  record: WorkloadRecord,
  config: ObjectKey,
  entry: StateEntry,
  edge: Edge,
): Mark | undefined {
  const runningDigest = recordedDigest(edge, isInFlight(record, config));
  if (runningDigest === undefined) return undefined;
  if (runningDigest !== translated(entry.digest, store.configs.get(config) ?? {})) return UNKNOWN;
  return edge.rolloutInProgress ? markOf(edge.stamp, entry) : undefined;
}

/**
 * Whether the mark of a workload that does not follow the object stays: its kind is not listed, its Job is deleted and not created
 * again yet, or it follows other keys of the object of which the state does not say yet what memory does.
 */
function isStillNeeded(store: Store, gate: WriteGate, ref: ConfigRef, markKey: string): boolean {
  const workload = followerOf(markKey, ref.namespace);
  if (workload === undefined)
    return !gate.isSynced(ref.namespace, ref.kind, 'forbidden') || mayStandForFormer(store, ref);
  const record = store.workloads.get(keyOf(workload));
  if (record === undefined) {
    const isDeletedJob = store.copies.has(keyOf({ ...workload, name: copyNameOf(workload.name) }));
    return isDeletedJob || !gate.isSynced(workload.namespace, workload.kind);
  }
  if (record.edges.has(keyOf(ref))) return false;
  const whole = wholeKeyOf(keyOf(ref));
  return [...record.edges].some(
    ([other, edge]) => wholeKeyOf(other) === whole && !isWritten(store, record, other, edge),
  );
}

/** Whether a start would believe of the dependency what memory holds, or that it is unknown. */
function isWritten(store: Store, record: WorkloadRecord, config: ObjectKey, edge: Edge): boolean {
  const observed = store.configs.get(config);
  const believed = observed && recovered(store, record, observed, edge);
  return believed !== undefined && (believed === UNKNOWN || believed === edge.runningDigest);
}

/** Whether the mark of all followers may stand for a Job that is deleted and not created again yet, or for a follower of other keys now. */
function mayStandForFormer(store: Store, ref: ConfigRef): boolean {
  const own = keyOf(ref);
  const others = store.scopes.partsOf(wholeKeyOf(own)).filter((other) => other !== own);
  return (
    store.copies.size > 0 ||
    others.some((other) =>
      store.edgesOf(other).some(([record, edge]) => !isWritten(store, record, other, edge)),
    )
  );
}

/** Whether a write is needed for these marks. Not where all that goes are marks that mean nothing beside the present stamps. */
export function areMarksDue(
  store: Store,
  config: ObjectKey,
  before: StateEntry | undefined,
  after: StateEntry,
): boolean {
  const { marks: now = NO_MARKS } = after;
  const { marks: then = NO_MARKS } = before ?? {};
  for (const [key, mark] of now) if (then.get(key) !== mark) return true;
  const gone = new Map([...then].filter(([key]) => !now.has(key)));
  if (gone.size === 0) return false;
  for (const [{ workload }, { stamp }] of store.edgesOf(config)) {
    const mark = gone.get(markKeyOf(workload.ref));
    if (mark !== UNKNOWN && mark === markOf(stamp, after)) gone.delete(markKeyOf(workload.ref));
  }
  return gone.size > 0;
}

const NO_MARKS: Marks = new Map();
