/**
 * The entry of one object: its digest, a mark for each follower whose pods may run something else, and its halts. The law of
 * every write: a reloader that starts from the written state believes no running digest that this process does not believe.
 */

import { algorithmOf, isOfContent, translated } from '../model/digest.ts';
import { type Edge, type Mark, markOf, recordedDigest, UNKNOWN } from '../model/edge.ts';
import { copyNameOf } from '../model/kinds/jobs.ts';
import { type ConfigRef, configRefIn, keyOf, type ObjectKey, wholeKeyOf } from '../model/object-ref.ts';
import { followerOf, markKeyOf, type StateEntry, sameEntry, withoutMarks } from '../model/state-entry.ts';
import { type ConfigRecord, isInFlight, type WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { LeftOut } from '../store/sync-gate.ts';
import { asks, committable, isOutdatedOn, isUnbegun, recovered } from '../tracking/edge-policy.ts';
import { notesOf } from '../tracking/halts.ts';
import { isPartOfKnown } from '../tracking/other-scopes.ts';

/** What an entry depends on besides the store; pure queries of the present moment. */
export interface WriteGate {
  /** Whether `kind` and all kinds of workload are listed in `namespace`; streams that are `leftOut` do not count. */
  readonly isSynced: (namespace: string, kind: string, leftOut?: LeftOut) => boolean;
  /** Whether `workload` is about to be patched: it is in its quiet period, a patch is under way, or one is retried. */
  readonly isWaiting: (workload: ObjectKey) => boolean;
}

/** `now`: a crash would lose a change. `soon`: with the next batch. `not`: with a batch in which another entry is due. */
export type Due = 'now' | 'soon' | 'not';

/**
 * The entry that `ref` should have; undefined: none. The digest changes, and an entry is removed, only after the lists: a workload
 * that is not listed may still run it. Marks may change before. A kind without the right is not waited for. A baseline does not
 * wait for kinds whose lists fail either: without it a start would use the content that it finds, and lose the changes until then.
 */
export function compress(store: Store, gate: WriteGate, ref: ConfigRef): StateEntry | undefined {
  const before = store.persisted.entryOf(ref);
  const observed = store.configs.get(keyOf(ref));
  if (!isFollowed(store, ref) || observed === undefined) return left(store, gate, ref, before);
  const leftOut = before === undefined && !isPartOfKnown(store, ref) ? 'failing' : 'forbidden';
  if (!gate.isSynced(ref.namespace, ref.kind, leftOut)) return before && withMarks(store, gate, ref, before);
  const current = before && isBeingRolled(store, observed, before) ? undefined : committable(store, observed);
  const digest = current ?? before?.digest;
  if (digest === undefined || isUnbegun(store, ref)) return before;
  const halts = notesOf(store, observed);
  return withMarks(store, gate, ref, halts.length === 0 ? { digest } : { digest, halts });
}

/** Whether a rollout with the digest of the entry is incomplete: under another algorithm its stamp would prove nothing to a start. */
function isBeingRolled(store: Store, observed: ConfigRecord, { digest }: StateEntry): boolean {
  if (digest === observed.digest || !isOfContent(digest, observed)) return false;
  return store
    .edgesOf(keyOf(observed.ref))
    .some(([, edge]) => edge.rolloutInProgress && edge.stamp?.digest === digest);
}

/** What stays of the entry of an object without followers. */
function left(
  store: Store,
  gate: WriteGate,
  ref: ConfigRef,
  before: StateEntry | undefined,
): StateEntry | undefined {
  const entry = before && withMarks(store, gate, ref, before);
  // Until each followed part of the object has an entry, a start needs that of the former part.
  const isUnwritten = otherPartsOf(store, ref).some(
    (part) => isFollowed(store, part) && store.persisted.entryOf(part) === undefined,
  );
  if (entry?.marks !== undefined || isUnwritten) return entry;
  return gate.isSynced(ref.namespace, ref.kind) ? undefined : entry;
}

/** How soon the entry of `ref` has to become `after`, which differs from it. */
export function dueOf(store: Store, gate: WriteGate, ref: ConfigRef, after: StateEntry | undefined): Due {
  const before = store.persisted.entryOf(ref);
  if (before === undefined) return 'soon';
  if (after !== undefined && hasNewHalts(before, after)) return 'now';
  const edges = store.edgesOf(keyOf(ref));
  const observed = store.configs.get(keyOf(ref));
  const dues = new Set(
    edges.map((each) => (observed ? dueFor(store, gate, observed, [before, after], each) : 'not')),
  );
  const former = new Set(before.marks?.keys());
  for (const key of after?.marks?.keys() ?? []) former.delete(key);
  for (const [{ workload }] of edges) former.delete(markKeyOf(workload.ref));
  const hasOtherAlgorithm = algorithmOf(before.digest) !== algorithmOf(after?.digest);
  const others = former.size === 0 ? [] : edgesOfOtherParts(store, ref);
  // To a start the mark of a workload that follows another part is a doubt.
  if (dues.has('now') || others.some(([{ workload }]) => former.has(markKeyOf(workload.ref)))) return 'now';
  return dues.has('soon') || after === undefined || former.size > 0 || hasOtherAlgorithm ? 'soon' : 'not';
}

/** Whether a halt begins or ends. With another content, those of the former one end by themselves. */
function hasNewHalts(before: StateEntry, after: StateEntry): boolean {
  if (after.halts === undefined && before.digest !== after.digest) return false;
  return !sameEntry(withoutMarks({ ...before, digest: after.digest }), withoutMarks(after));
}

/** How soon for one edge. Nothing is due while a start believes what this process does. */
function dueFor(
  store: Store,
  gate: WriteGate,
  observed: ConfigRecord,
  [before, after]: readonly [StateEntry, StateEntry | undefined],
  [record, edge]: readonly [WorkloadRecord, Edge],
): Due {
  const config = keyOf(observed.ref);
  const held = recordedDigest(edge, isInFlight(record, config));
  const believed = recovered(before, record, observed, edge);
  if (held === undefined || believed === recovered(after, record, observed, edge)) return 'not';
  if (believed === UNKNOWN) return 'soon';
  if (believed !== held) return asks(store, record, observed) ? 'now' : 'soon';
  // Once the digest of the entry changes for another reason, only a mark tells that this workload is outdated.
  const isWaiting = gate.isWaiting(keyOf(record.workload.ref));
  return isOutdatedOn(store, record, config, edge) && !isWaiting ? 'soon' : 'not';
}

/** Whether a workload follows the object, or this set of its keys. */
export function isFollowed(store: Store, ref: ConfigRef): boolean {
  return store.dependents.of(keyOf(ref)).size > 0;
}

/** The other parts of the object: its whole, and the sets of its keys that have a record. */
function otherPartsOf(store: Store, ref: ConfigRef): readonly ConfigRef[] {
  const own = keyOf(ref);
  return store
    .partsOf(wholeKeyOf(own))
    .filter((part) => part !== own)
    .map(configRefIn);
}

function edgesOfOtherParts(store: Store, ref: ConfigRef): readonly [WorkloadRecord, Edge, ConfigRef][] {
  return otherPartsOf(store, ref).flatMap((part) =>
    store
      .edgesOf(keyOf(part))
      .map(([record, edge]): [WorkloadRecord, Edge, ConfigRef] => [record, edge, part]),
  );
}

/** `given` with its marks. Those of followers that are outdated, then those of others that a start still needs. */
function withMarks(store: Store, gate: WriteGate, ref: ConfigRef, given: StateEntry): StateEntry {
  const entry = withoutMarks(given);
  if (entry.digest === undefined) return given;
  const marks = new Map<string, Mark>();
  for (const [record, edge] of store.edgesOf(keyOf(ref))) {
    const mark = markFor(store, record, keyOf(ref), entry, edge);
    if (mark !== undefined) marks.set(markKeyOf(record.workload.ref), mark);
  }
  const others = [...(store.persisted.entryOf(ref)?.marks ?? [])].filter(([key]) => !marks.has(key));
  const unwritten = others.length === 0 ? [] : edgesOfOtherParts(store, ref).filter(isUnwrittenIn(store));
  const unsafe = new Set(unwritten.map(([{ workload }]) => markKeyOf(workload.ref)));
  for (const [key, mark] of others) if (isStillNeeded(store, gate, ref, key, unsafe)) marks.set(key, mark);
  return marks.size === 0 ? entry : { ...entry, marks };
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
  if (isOutdatedOn(store, record, config, edge)) return UNKNOWN;
  const held = recordedDigest(edge, isInFlight(record, config));
  if (held === undefined) return undefined;
  if (held !== translated(entry.digest, store.configs.get(config) ?? {})) return UNKNOWN;
  return edge.rolloutInProgress ? markOf(edge.stamp, entry) : undefined;
}

/**
 * Whether a mark stays although its workload does not follow the object: the kind is not listed, the Job is deleted and not created
 * again yet, or the workload is one of `unsafe`: those that follow other keys of the object of which a start would believe too much.
 * The mark of all followers may stand for any such workload.
 */
function isStillNeeded(
  store: Store,
  gate: WriteGate,
  ref: ConfigRef,
  markKey: string,
  unsafe: ReadonlySet<string>,
): boolean {
  const { namespace, kind } = ref;
  const workload = followerOf(markKey, namespace);
  const record = workload && store.workloads.get(keyOf(workload));
  if (record?.edges.has(keyOf(ref)) === true) return false;
  if (workload === undefined && (store.copies.size > 0 || !gate.isSynced(namespace, kind, 'forbidden')))
    return true;
  if (workload !== undefined && record === undefined) {
    const isDeletedJob = store.copies.has(keyOf({ ...workload, name: copyNameOf(workload.name) }));
    return isDeletedJob || !gate.isSynced(workload.namespace, workload.kind);
  }
  return workload === undefined ? unsafe.size > 0 : unsafe.has(markKey);
}

/** Whether a start would believe of the edge something else than memory holds, or nothing. */
function isUnwrittenIn(store: Store): (edge: readonly [WorkloadRecord, Edge, ConfigRef]) => boolean {
  return ([record, edge, ref]) => {
    const observed = store.configs.get(keyOf(ref));
    const believed = observed && recovered(store.persisted.entryOf(ref), record, observed, edge);
    return believed !== UNKNOWN && (believed === undefined || believed !== edge.runningDigest);
  };
}
