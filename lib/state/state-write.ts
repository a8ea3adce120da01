/**
 * Plans the writes of the state, one for each shard. The law of every write: a reloader that starts from the written state
 * believes no running digest that this process does not believe. So each workload whose running digest differs from the entry,
 * or is unknown, has a mark in it. All parts of an object lie in one shard, so each write may fail alone.
 */

import { type RunningDigest, recover, UNKNOWN } from '../model/edge.ts';
import {
  type ConfigRef,
  configRefIn,
  keyOf,
  type ObjectKey,
  wholeKeyOf,
  wholeOf,
} from '../model/object-ref.ts';
import type { Entries } from '../model/persisted-state.ts';
import {
  configRefOf,
  formatEntry,
  markOfFollower,
  type StateEntry,
  type StateKey,
  sameEntry,
  withoutMarks,
} from '../model/state-entry.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { committable, isOutdatedOn, isUnbegun, recovered, reviewState } from '../tracking/edge-policy.ts';
import type { Effects } from '../tracking/effects.ts';
import { notesOf } from '../tracking/halts.ts';
import { isPartOfKnown, partsOf } from '../tracking/other-scopes.ts';
import { areMarksDue, type WriteGate, withMarks } from './state-marks.ts';
import { type Desired, makeRoom } from './state-room.ts';

/** One merge patch of one shard. */
export interface StateWrite {
  readonly shard: number;
  /** Undefined removes a key. */
  readonly entries: ReadonlyMap<StateKey, StateEntry | undefined>;
  /** The objects whose edges the write records: compared again once it is applied, for they may have changed on its way. */
  readonly touched: ReadonlySet<ObjectKey>;
  /** `entries` as the data of the merge patch: null removes a key. */
  readonly data: Readonly<Record<StateKey, string | null>>;
  /** Whether it holds a change that a crash would lose, and so does not wait for the next batch. */
  readonly isUrgent: boolean;
  /** Whether it holds a baseline, which does not wait for the next batch while the write budget lasts. */
  readonly isFresh: boolean;
}

/** The result of planning. */
export interface StatePlan {
  /** One for each shard that has to change; the lowest shard first. */
  readonly writes: readonly StateWrite[];
  /** Candidates that cannot be written yet: a kind is not listed, a workload is about to be patched, or there is no room. */
  readonly postponed: ReadonlySet<ObjectKey>;
  /** The shards that have no room for some of them, and those objects. */
  readonly full: ReadonlySet<number>;
  readonly withoutRoom: ReadonlySet<ObjectKey>;
}

/** The input of the planner. */
export interface StateRequest {
  /** Objects whose entries may differ from what they should be. */
  readonly candidates: Iterable<ObjectKey>;
  /** Candidates that are written even while one of their workloads is about to be patched. */
  readonly urgent: ReadonlySet<ObjectKey>;
  /** The same, of objects without an entry. @default none */
  readonly fresh?: ReadonlySet<ObjectKey>;
  readonly gate: WriteGate;
  /** Whether no later write follows, so that this one holds what alone makes no write due. */
  readonly isLast?: boolean;
  /** Chooses the shard for a new entry of so many bytes. */
  readonly place: (bytes: number) => number;
  /** By how many bytes a shard may grow. @default without limit */
  readonly room?: (shard: number) => number;
}

/** Plans the next writes. It sends nothing and changes nothing. */
export function planStateWrites(store: Store, request: StateRequest): StatePlan {
  const choice: Choice = {
    desired: new Map(),
    considered: new Map(),
    postponed: new Set(),
    besides: new Map(),
  };
  for (const config of request.candidates) consider(store, request, choice, config);
  reviewMarked(store, request, choice);
  const { configs, shards: full } = makeRoom(store, choice.desired, request.room);
  const postponed = new Set([...choice.postponed, ...configs]);
  return { writes: writesOf(store, request, choice), postponed, full, withoutRoom: configs };
}

/** Whether the state has no entry of the object yet, so that the next write of it is the baseline. */
export function isBaseline(store: Store, config: ObjectKey): boolean {
  const ref = store.configs.get(config)?.ref;
  return ref !== undefined && saysNothingOf(store, ref);
}

/** Takes over a write that the API server accepted; `effects` asks for another one of what changed while it was on its way. */
export function applyStateWrite(store: Store, effects: Effects, write: StateWrite): void {
  store.persisted.takeShard(write.shard, shardAfter(store, write));
  for (const key of write.entries.keys())
    if (!store.persisted.state.entries.has(key)) store.persisted.places.delete(key);
  for (const config of write.touched) reviewState(store, effects, config);
  for (const whole of new Set([...write.touched].map(wholeKeyOf))) {
    const object = configRefIn(whole);
    for (const ref of [object, ...partsOf(store, object).map((part) => part.ref)])
      if (!isFollowed(store, ref)) effects.persist(keyOf(ref), 'soon');
  }
}

/** The shard as it is once the write is applied. */
export function shardAfter({ persisted }: Store, write: StateWrite): Entries {
  const entries = new Map(persisted.state.shards[write.shard]);
  for (const [key, entry] of write.entries) {
    if (entry === undefined) entries.delete(key);
    else entries.set(key, entry);
  }
  return entries;
}

/** Called before a write is sent: from now on its shards count as used, even if the answer is lost. */
export function noteSent(store: Store, write: StateWrite): void {
  for (const [key, entry] of write.entries)
    if (entry !== undefined) store.persisted.places.set(key, write.shard);
}

/** The running digest that a reloader which starts from `state` now would believe of the edge: the other side of the law. */
export function believedAtStart(
  store: Store,
  entries: Entries,
  { workload, edges }: WorkloadRecord,
  ref: ConfigRef,
): RunningDigest | undefined {
  const entry = entries.get(store.persisted.entryKeyOf(ref));
  return recover(entry, entry && markOfFollower(entry, workload.ref), edges.get(keyOf(ref))?.stamp);
}

const NONE: ReadonlySet<ObjectKey> = new Set();

/** The decisions about the candidates so far. */
interface Choice {
  readonly desired: Map<ObjectKey, Desired>;
  /** The shard of each candidate that is not postponed. */
  readonly considered: Map<ObjectKey, number>;
  readonly postponed: Set<ObjectKey>;
  /** By whole object, the shard of its parts. */
  readonly besides: Map<ObjectKey, number>;
}

/** Decides about one candidate: its entry is written now, or the candidate is postponed. */
function consider(store: Store, request: StateRequest, choice: Choice, config: ObjectKey): void {
  const { gate, urgent } = request;
  const ref = store.configs.get(config)?.ref ?? configRefIn(config);
  // Before the checks of lists: of a kind that can never be listed, each deleted name would stay in memory.
  if (!isFollowed(store, ref) && store.persisted.entryOf(ref) === undefined) return;
  const entry = isHeldUp(store, request, config, ref) ? 'later' : desiredEntry(store, gate, config, ref);
  // An entry is removed only after all kinds are listed: a workload of a kind that is not may still follow the object.
  const isLater = entry === 'later' || (entry === undefined && !gate.isSynced(ref.namespace, ref.kind));
  if (!isLater) {
    choose(store, request, choice, ref, entry);
    return;
  }
  choice.postponed.add(config);
  // Marks may change before, but no digest: a workload of another kind may still run it.
  if (urgent.has(config)) reviewMarks(store, gate, choice, ref, true);
}

/** Chooses the shard of a candidate that may be written, and the marks of its entry. */
function choose(
  store: Store,
  { gate, place }: StateRequest,
  { desired, considered, besides }: Choice,
  ref: ConfigRef,
  entry: StateEntry | undefined | 'nothing',
): void {
  const config = keyOf(ref);
  const marked = typeof entry === 'object' ? withMarks(store, gate, ref, entry, true) : undefined;
  const placeNew = (first: StateEntry): number =>
    place(store.persisted.entryKeyOf(ref).length + formatEntry(first).length);
  const whole = wholeKeyOf(config);
  const shard =
    store.persisted.shardOf(ref) ??
    besides.get(whole) ??
    shardOfParts(store, whole) ??
    (marked === undefined ? 0 : placeNew(marked));
  besides.set(whole, shard);
  considered.set(config, shard);
  if (entry !== 'nothing') desired.set(config, { ref, entry: marked, shard });
}

/** The shard of the parts of an object that have an entry: all lie in one, so that one write can replace one by another. */
function shardOfParts(store: Store, whole: ObjectKey): number | undefined {
  const object = configRefIn(whole);
  const parts = [object, ...partsOf(store, object).map(({ ref }) => ref)];
  return parts.map((ref) => store.persisted.shardOf(ref)).find((shard) => shard !== undefined);
}

/** The marks of an entry that otherwise stays as it is. */
function reviewMarks(
  store: Store,
  gate: WriteGate,
  { desired, considered }: Choice,
  ref: ConfigRef,
  isCandidate: boolean,
): void {
  const entry = store.persisted.entryOf(ref);
  const shard = store.persisted.shardOf(ref);
  if (entry?.digest === undefined || shard === undefined) return;
  if (isCandidate) considered.set(keyOf(ref), shard);
  desired.set(keyOf(ref), { ref, entry: withMarks(store, gate, ref, entry, isCandidate), shard });
}

/** Marks of other objects that are not needed any more, without those whose long key ends in a hash instead of the name. */
function reviewMarked(store: Store, { gate }: StateRequest, choice: Choice): void {
  for (const key of store.persisted.state.marked.keys()) {
    const ref = configRefOf(key, store.settings.homeNamespace);
    if (ref !== undefined && !choice.desired.has(keyOf(ref))) reviewMarks(store, gate, choice, ref, false);
  }
}

/**
 * Whether a kind has to be listed first, or a workload is about to be patched. A kind may be listed for the first time after its
 * objects changed, so only a kind without the right is not waited for. A baseline does not wait for kinds whose lists fail:
 * without it a start would take the content it finds as the baseline, and lose the changes until then.
 */
function isHeldUp(
  store: Store,
  { urgent, fresh = NONE, gate }: StateRequest,
  config: ObjectKey,
  ref: ConfigRef,
): boolean {
  const leftOut = saysNothingOf(store, ref) ? 'failing' : 'forbidden';
  if (!gate.isSynced(ref.namespace, ref.kind, leftOut)) return true;
  return !urgent.has(config) && !fresh.has(config) && isBlocked(store, config, gate);
}

/** Whether the state has no entry of the object or of a part of it. */
function saysNothingOf(store: Store, ref: ConfigRef): boolean {
  return store.persisted.entryOf(ref) === undefined && !isPartOfKnown(store, ref);
}

/**
 * Whether a follower is outdated on the object and about to be patched: then one write comes before the patch. Not if a start would
 * believe of a current follower that it is outdated.
 */
function isBlocked(store: Store, config: ObjectKey, gate: WriteGate): boolean {
  const edges = store.edgesOf(config);
  const observed = store.configs.get(config);
  const isDoubted = edges.some(([record, edge]) => {
    const isCurrent = !edge.rolloutInProgress && !isOutdatedOn(store, record, config, edge);
    return isCurrent && observed !== undefined && recovered(store, record, observed, edge) === UNKNOWN;
  });
  const isAwaited = ([record, edge]: (typeof edges)[number]): boolean =>
    isOutdatedOn(store, record, config, edge) && gate.isWaiting(keyOf(record.workload.ref));
  return !isDoubted && edges.some(isAwaited);
}

/** The entry that `ref` should have, without marks: undefined to remove it, `nothing` to leave the state as it is. */
function desiredEntry(
  store: Store,
  gate: WriteGate,
  config: ObjectKey,
  ref: ConfigRef,
): StateEntry | undefined | 'nothing' {
  const persisted = store.persisted.entryOf(ref);
  if (!isFollowed(store, ref)) {
    const marked = persisted && withMarks(store, gate, ref, persisted, true);
    return marked?.marks !== undefined || isAllThatIsSaid(store, ref) ? 'nothing' : undefined;
  }
  const observed = store.configs.get(config);
  const digest = (observed && committable(store, observed)) ?? persisted?.digest;
  if (digest === undefined || isUnbegun(store, ref)) return 'nothing';
  const halts = observed ? notesOf(store, observed) : [];
  return halts.length === 0 ? { digest } : { digest, halts };
}

/** Whether a followed part of the object has no entry yet: until it has, a start needs the entry of the former part. */
function isAllThatIsSaid(store: Store, ref: ConfigRef): boolean {
  const whole = wholeOf(ref);
  return [whole, ...store.scopes.of(keyOf(whole))].some(
    (other) => isFollowed(store, other) && store.persisted.entryOf(other) === undefined,
  );
}

/** Whether a workload follows the object, or this set of its keys. */
function isFollowed(store: Store, ref: ConfigRef): boolean {
  return store.dependents.dependentsOf(keyOf(ref)).size > 0;
}

/** A write while it is being built. */
interface Draft {
  readonly entries: Map<StateKey, StateEntry | undefined>;
  readonly touched: Set<ObjectKey>;
  isDue: boolean;
}

/**
 * One write for each shard in which something is due, or of which a candidate is urgent: an attempt waits for its answer. What is not
 * due, such as the end of a mark that means nothing, goes along.
 */
function writesOf(
  store: Store,
  { urgent, fresh = NONE, isLast = false }: StateRequest,
  { desired, considered }: Choice,
): StateWrite[] {
  const drafts = draftsOf(store, desired, isLast);
  for (const [config, shard] of considered) drafts.get(shard)?.touched.add(config);
  const hasAny = (shard: number, configs: ReadonlySet<ObjectKey>): boolean =>
    [...considered].some(([config, at]) => at === shard && configs.has(config));
  return [...drafts]
    .filter(([shard, { isDue }]) => isDue || hasAny(shard, urgent))
    .sort(([a], [b]) => a - b)
    .map(([shard, { entries, touched }]) => ({
      shard,
      entries,
      touched,
      data: Object.fromEntries([...entries].map(([key, entry]) => [key, entry ? formatEntry(entry) : null])),
      isUrgent: hasAny(shard, urgent),
      isFresh: hasAny(shard, fresh),
    }));
}

/** By shard, all that differs from the state. */
function draftsOf(
  store: Store,
  desired: ReadonlyMap<ObjectKey, Desired>,
  isLast: boolean,
): ReadonlyMap<number, Draft> {
  const drafts = new Map<number, Draft>();
  const draftOf = (shard: number): Draft => {
    const draft = drafts.get(shard) ?? {
      entries: new Map(),
      touched: new Set(),
      isDue: isLast,
    };
    drafts.set(shard, draft);
    return draft;
  };
  for (const [config, { ref, entry, shard }] of desired) {
    const before = store.persisted.entryOf(ref);
    if (sameEntry(entry, before)) continue;
    const draft = draftOf(shard);
    draft.entries.set(store.persisted.entryKeyOf(ref), entry);
    draft.touched.add(config);
    draft.isDue ||=
      entry === undefined || !sameContent(entry, before) || areMarksDue(store, config, before, entry);
  }
  return drafts;
}

/** Whether both are equal but for their marks. */
function sameContent(entry: StateEntry, before: StateEntry | undefined): boolean {
  return before !== undefined && sameEntry(withoutMarks(entry), withoutMarks(before));
}
