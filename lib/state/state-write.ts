/**
 * Plans the writes of the state, one for each shard. The law of every write: a reloader that starts from the written state
 * believes no running digest that this process does not believe. So each workload whose running digest differs from the entry,
 * or is unknown, gets a mark in the same write. Values that must be true together are never in two writes, so each write may
 * fail alone.
 */

import { type RunningDigest, recover } from '../model/edge.ts';
import { type ConfigRef, keyOf, type ObjectKey, wholeOf } from '../model/object-ref.ts';
import { EMPTY_STATE, type PersistedState, recordedOf } from '../model/persisted-state.ts';
import {
  formatEntry,
  formatOverrides,
  type Overrides,
  type StateEntry,
  type StateKey,
} from '../model/state-entry.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { committable, isOutdatedOn, isUnbegun, wouldForget } from '../tracking/edge-policy.ts';
import type { Effects } from '../tracking/effects.ts';
import { notesOf } from '../tracking/halts.ts';
import { isPartOfKnown } from '../tracking/other-scopes.ts';
import { changedOverrides, type Desired, type WriteGate, withOverrides } from './state-overrides.ts';
import { takeOutWhatHasNoRoom } from './state-room.ts';

/** One merge patch of one shard; in the maps a value sets a key and undefined removes it. */
export interface StateWrite {
  readonly shard: number;
  readonly entries: ReadonlyMap<StateKey, StateEntry | undefined>;
  readonly overrides: ReadonlyMap<StateKey, Overrides | undefined>;
  /** The objects whose entries are removed. */
  readonly removed: ReadonlySet<ObjectKey>;
  /** The objects whose edges the write records: compared again once it is applied, for they may have changed on its way. */
  readonly touched: ReadonlySet<ObjectKey>;
  /** `entries` and `overrides` as the data of the merge patch: null removes a key. */
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
  /** Objects whose entries or overrides may differ from what they should be. */
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

/** Plans the next writes. It sends nothing, but forgets abandoned objects that nothing in the store refers to any more. */
export function planStateWrites(store: Store, request: StateRequest): StatePlan {
  const choice: Choice = { desired: new Map(), considered: new Map(), postponed: new Set() };
  for (const config of request.candidates) {
    const ref = store.configs.get(config)?.ref ?? store.abandoned.get(config);
    if (ref !== undefined) consider(store, request, choice, config, ref);
  }
  const { room = () => Number.POSITIVE_INFINITY } = request;
  const { configs, shards: full } = takeOutWhatHasNoRoom(store, choice.desired, room);
  const postponed = new Set([...choice.postponed, ...configs]);
  return { writes: writesOf(store, request, choice, configs), postponed, full, withoutRoom: configs };
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
  for (const config of write.removed)
    if (store.dependents.dependentsOf(config).size === 0) store.abandoned.delete(config);
  for (const config of write.touched) reviewState(store, effects, config);
}

/** The shard as it is once the write is applied. */
export function shardAfter({ persisted }: Store, write: StateWrite): PersistedState {
  const before = persisted.state.shards[write.shard] ?? EMPTY_STATE;
  return {
    entries: overlaid(before.entries, write.entries),
    overrides: overlaid(before.overrides, write.overrides),
  };
}

/** Called before a write is sent: from now on its shards count as used, even if the answer is lost. */
export function noteSent(store: Store, write: StateWrite): void {
  for (const [key, entry] of write.entries)
    if (entry !== undefined) store.persisted.places.set(key, write.shard);
}

/**
 * Asks for a write of `config`: at once if a start would forget that an edge of it is out of date, else with the next batch.
 */
export function reviewState(store: Store, effects: Effects, config: ObjectKey): void {
  const observed = store.configs.get(config);
  if (observed === undefined) return;
  const isForgotten = store
    .edgesOf(config)
    .some(([workload, edge]) => wouldForget(store, workload, observed, edge));
  effects.persist(config, isForgotten ? 'now' : 'soon');
}

/** The running digest that a reloader which starts from `state` now would believe of the edge: the other side of the law. */
export function believedAtStart(
  store: Store,
  state: PersistedState,
  workload: WorkloadRecord,
  ref: ConfigRef,
): RunningDigest | undefined {
  const stamp = workload.edges.get(keyOf(ref))?.stamp;
  const override = recordedOf(state, workload.workload.ref, ref, store.settings.homeNamespace);
  return recover(state.entries.get(store.persisted.entryKeyOf(ref)), override, stamp);
}

/**
 * Forgets an object without followers and without an entry; the result is whether it did. An unanswered write cannot be
 * overlooked here: the shard is read again before the next plan.
 */
function forgetIfUnused(store: Store, config: ObjectKey, ref: ConfigRef): boolean {
  if (store.dependents.dependentsOf(config).size > 0 || store.persisted.entryOf(ref) !== undefined)
    return false;
  store.abandoned.delete(config);
  return true;
}

const NONE: ReadonlySet<ObjectKey> = new Set();
/** So many marks of complete rollouts, if they are half of all, are removed without another reason: each plan reads all. */
const MANY_ENDED = 16;

/** The decisions about the candidates so far. */
interface Choice {
  readonly desired: Map<ObjectKey, Desired>;
  /** The shard of each candidate that is not postponed. */
  readonly considered: Map<ObjectKey, number>;
  readonly postponed: Set<ObjectKey>;
}

function consider(
  store: Store,
  request: StateRequest,
  { desired, considered, postponed }: Choice,
  config: ObjectKey,
  ref: ConfigRef,
): void {
  // Before the checks of lists: of a kind that can never be listed, each deleted name would stay in memory.
  const isUnused = forgetIfUnused(store, config, ref);
  const isHeld = isHeldUp(store, request, config, ref);
  if (isHeld) keepDigest(store, request, { desired, considered }, config, ref);
  const entry = isHeld ? 'later' : desiredEntry(store, config, ref);
  // An entry is removed only after all kinds are listed: a workload of a kind that is not may still follow the object.
  if (entry === 'later' || (entry === undefined && !request.gate.isSynced(ref.namespace, ref.kind))) {
    if (!isUnused) postponed.add(config);
    return;
  }
  const shard =
    store.persisted.shardOf(ref) ??
    shardBeside(store, considered, ref) ??
    (typeof entry === 'object'
      ? request.place(store.persisted.entryKeyOf(ref).length + formatEntry(entry).length)
      : 0);
  considered.set(config, shard);
  if (entry !== 'nothing') desired.set(config, { ref, entry, shard });
}

/** Before all kinds are listed marks may change, but no digest: a workload of another kind may still run it. */
function keepDigest(
  { persisted }: Store,
  { urgent }: StateRequest,
  { desired, considered }: Pick<Choice, 'desired' | 'considered'>,
  config: ObjectKey,
  ref: ConfigRef,
): void {
  const entry = urgent.has(config) ? persisted.entryOf(ref) : undefined;
  if (entry === undefined) return;
  const shard = persisted.shardOf(ref) ?? 0;
  considered.set(config, shard);
  desired.set(config, { ref, entry, shard });
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

function saysNothingOf(store: Store, ref: ConfigRef): boolean {
  return store.persisted.entryOf(ref) === undefined && !isPartOfKnown(store, ref);
}

/** The shard of another part of the same object: all parts lie in one shard, so that one write can replace one by another. */
function shardBeside(
  store: Store,
  considered: ReadonlyMap<ObjectKey, number>,
  ref: ConfigRef,
): number | undefined {
  const whole = wholeOf(ref);
  const others = [whole, ...store.scopes.of(keyOf(whole))].filter((other) => keyOf(other) !== keyOf(ref));
  const shards = others.map((other) => store.persisted.shardOf(other) ?? considered.get(keyOf(other)));
  return shards.find((shard) => shard !== undefined);
}

function isBlocked(store: Store, config: ObjectKey, gate: WriteGate): boolean {
  return store
    .edgesOf(config)
    .some(
      ([record, edge]) =>
        isOutdatedOn(store, record, config, edge) && gate.isWaiting(keyOf(record.workload.ref)),
    );
}

/** The entry that `ref` should have: undefined to remove it, `nothing` to leave the state as it is. */
function desiredEntry(store: Store, config: ObjectKey, ref: ConfigRef): StateEntry | undefined | 'nothing' {
  const persisted = store.persisted.entryOf(ref);
  if (store.dependents.dependentsOf(config).size === 0) {
    const isGivenUp = store.abandoned.has(config) && !isAllThatIsSaid(store, ref);
    return isGivenUp && persisted !== undefined ? undefined : 'nothing';
  }
  const observed = store.configs.get(config);
  const digest = (observed && committable(store, observed)) ?? persisted?.digest;
  if (digest === undefined || isUnbegun(store, ref)) return 'nothing';
  const halts = observed ? notesOf(store, observed) : [];
  return halts.length === 0 ? { digest } : { digest, halts };
}

/**
 * Whether a followed part of the object has neither an entry nor a digest yet. Until it has, the entry of the former part is
 * kept, for a start derives the running digest from it.
 */
function isAllThatIsSaid(store: Store, ref: ConfigRef): boolean {
  const whole = wholeOf(ref);
  return [whole, ...store.scopes.of(keyOf(whole))].some((other) => {
    const key = keyOf(other);
    const isFollowed = store.dependents.dependentsOf(key).size > 0;
    return (
      isFollowed &&
      store.persisted.entryOf(other) === undefined &&
      store.configs.get(key)?.digest === undefined
    );
  });
}

function writesOf(
  store: Store,
  { urgent, fresh = NONE, gate, isLast }: StateRequest,
  { desired, considered }: Choice,
  withoutRoom: ReadonlySet<ObjectKey>,
): StateWrite[] {
  // Also without room for the entry: the overrides of these workloads may have changed.
  const configs = [...desired.keys(), ...withoutRoom];
  const workloads = new Set([
    ...configs.flatMap((config) => store.edgesOf(config).map(([workload]) => workload)),
    ...withOverrides(store),
  ]);
  const drafts = new Map<number, Draft>();
  draftEntries(store, drafts, desired);
  const due = new Set(drafts.keys());
  for (const { shard, key, overrides, isDue } of changedOverrides(store, workloads, desired, gate)) {
    const { overrides: changed } = draftOf(drafts, shard);
    changed.set(key, overrides);
    const recorded = store.persisted.state.shards[shard]?.overrides.size ?? 0;
    if (isDue || isLast || (changed.size >= MANY_ENDED && 2 * changed.size >= recorded)) due.add(shard);
  }
  const touched = touchedByShard(store, considered, workloads);
  const hasAny = (shard: number, configs: ReadonlySet<ObjectKey>): boolean =>
    [...considered].some(([config, at]) => at === shard && configs.has(config));
  return [...drafts]
    .filter(([shard]) => due.has(shard) || hasAny(shard, urgent))
    .sort(([a], [b]) => a - b)
    .map(([shard, draft]) => ({
      ...draft,
      shard,
      touched: touched.get(shard) ?? new Set(),
      data: dataOf(draft),
      isUrgent: hasAny(shard, urgent),
      isFresh: hasAny(shard, fresh),
    }));
}

function draftEntries(
  store: Store,
  drafts: Map<number, Draft>,
  desired: ReadonlyMap<ObjectKey, Desired>,
): void {
  for (const [config, { ref, entry, shard }] of desired) {
    if (sameEntry(entry, store.persisted.entryOf(ref))) continue;
    draftOf(drafts, shard).entries.set(store.persisted.entryKeyOf(ref), entry);
    if (entry === undefined) draftOf(drafts, shard).removed.add(config);
  }
  for (const [shard, keys] of store.persisted.state.strays) {
    for (const key of keys) draftOf(drafts, shard).entries.set(key, undefined);
  }
}

/** A write while it is being built. */
interface Draft {
  readonly entries: Map<StateKey, StateEntry | undefined>;
  readonly overrides: Map<StateKey, Overrides | undefined>;
  readonly removed: Set<ObjectKey>;
}

function draftOf(drafts: Map<number, Draft>, shard: number): Draft {
  const draft = drafts.get(shard) ?? { entries: new Map(), overrides: new Map(), removed: new Set() };
  drafts.set(shard, draft);
  return draft;
}

function dataOf({ entries, overrides }: Draft): Record<StateKey, string | null> {
  const data: Record<StateKey, string | null> = {};
  for (const [key, entry] of entries) data[key] = entry === undefined ? null : formatEntry(entry);
  for (const [key, value] of overrides) data[key] = (value && formatOverrides(value)) ?? null;
  return data;
}

/** By shard: the candidates, and every object that one of `workloads`, whose overrides are rebuilt, follows. */
function touchedByShard(
  store: Store,
  considered: ReadonlyMap<ObjectKey, number>,
  workloads: ReadonlySet<WorkloadRecord>,
): ReadonlyMap<number, ReadonlySet<ObjectKey>> {
  const touched = new Map<number, Set<ObjectKey>>();
  const touch = (config: ObjectKey): void => {
    const ref = store.configs.get(config)?.ref;
    const shard = considered.get(config) ?? (ref && store.persisted.shardOf(ref));
    if (shard !== undefined) touched.set(shard, (touched.get(shard) ?? new Set()).add(config));
  };
  for (const config of considered.keys()) touch(config);
  for (const { edges: own } of workloads) for (const config of own.keys()) touch(config);
  return touched;
}

/** Whether both are equal, or both undefined. */
export function sameEntry(a: StateEntry | undefined, b: StateEntry | undefined): boolean {
  const tokensOf = (entry: StateEntry | undefined): string | undefined =>
    entry?.halts?.map(({ token }) => token).join();
  return a?.digest === b?.digest && tokensOf(a) === tokensOf(b);
}

function overlaid<T>(
  base: ReadonlyMap<StateKey, T>,
  changes: ReadonlyMap<StateKey, T | undefined>,
): ReadonlyMap<StateKey, T> {
  const result = new Map(base);
  for (const [key, value] of changes) {
    if (value === undefined) result.delete(key);
    else result.set(key, value);
  }
  return result;
}
