/**
 * The plan of the writes of the state, one for each shard. The law of every write: a reloader that starts from what was
 * written believes of every edge what this process believes. A write of an object's entry lifts its number above every stamp
 * seen, which silences them all; so every workload whose pods ran something else than the committed digest gets an exception
 * in the same write. Nothing that must be true together is in two writes, so each may fail alone.
 */

import { type RunningDigest, runningDigestAtStart } from '../model/edge.ts';
import { recordedOf } from '../model/kind-overrides.ts';
import { type ConfigRef, keyOf, type ObjectKey, wholeOf } from '../model/object-ref.ts';
import { EMPTY_STATE, type PersistedState } from '../model/persisted-state.ts';
import {
  formatEntry,
  formatOverrides,
  type Overrides,
  type StateEntry,
  type StateKey,
} from '../model/state-entry.ts';
import type { Edges, WorkloadRecord } from '../tracking/edges.ts';
import type { Effects } from '../tracking/effects.ts';
import { isPartOfKnown } from '../tracking/other-scopes.ts';
import { changedOverrides, type Desired, type WriteGate, withOverrides } from './state-overrides.ts';
import { takeOutWhatHasNoRoom } from './state-room.ts';

/** One write of one shard: a value sets a key, undefined removes it. */
export interface StateWrite {
  readonly shard: number;
  readonly entries: ReadonlyMap<StateKey, StateEntry | undefined>;
  readonly overrides: ReadonlyMap<StateKey, Overrides | undefined>;
  /** The objects whose entries are written, with the number of each; undefined for a removed entry. */
  readonly numbers: ReadonlyMap<ObjectKey, number | undefined>;
  /** Every object whose belief the write touches: to be looked at again once it is in force. */
  readonly touched: ReadonlySet<ObjectKey>;
  /** The same as data of a merge patch: null removes a key. */
  readonly data: Readonly<Record<StateKey, string | null>>;
  /** Whether something of it is to be written although the next batch is not due. */
  readonly isUrgent: boolean;
  /** Whether something of it is a baseline, which is written before the next batch where little was written lately. */
  readonly isFresh: boolean;
}

/** The answer of the planner. */
export interface StatePlan {
  /** One for each shard that does not say yet what it may; the lowest first. */
  readonly writes: readonly StateWrite[];
  /** Candidates that cannot be written yet: something is not listed, a workload is about to be patched, or there is no room. */
  readonly postponed: ReadonlySet<ObjectKey>;
  /** The shards that have no room for some of them. */
  readonly full: ReadonlySet<number>;
}

/** What is to be written, and why. */
export interface StateRequest {
  /** Objects whose entries or exceptions may differ from what they should be. */
  readonly candidates: Iterable<ObjectKey>;
  /** Those of them that are written although workloads are waiting. */
  readonly urgent: ReadonlySet<ObjectKey>;
  /** The same where the state says nothing of the object. @default none */
  readonly fresh?: ReadonlySet<ObjectKey>;
  readonly gate: WriteGate;
  /** Chooses the shard of a new entry of so many bytes. */
  readonly place: (bytes: number) => number;
  /** By how many bytes a shard may grow. @default by any */
  readonly room?: (shard: number) => number;
}

/** Plans the next writes. */
export function planStateWrites(edges: Edges, request: StateRequest): StatePlan {
  const choice: Choice = { desired: new Map(), considered: new Map(), postponed: new Set() };
  for (const config of request.candidates) {
    const ref = edges.configs.get(config)?.ref ?? edges.abandoned.get(config);
    if (ref !== undefined) consider(edges, request, choice, config, ref);
  }
  const { gate, room = () => Number.POSITIVE_INFINITY } = request;
  const { configs, shards: full } = takeOutWhatHasNoRoom(edges, choice.desired, { gate, room });
  const postponed = new Set([...choice.postponed, ...configs]);
  return { writes: writesOf(edges, request, choice, configs), postponed, full };
}

/** Whether a write of the object is its first one: until then a start takes what it finds for the baseline. */
export function isBaseline(edges: Edges, config: ObjectKey): boolean {
  const ref = edges.configs.get(config)?.ref;
  return ref !== undefined && saysNothingOf(edges, ref);
}

/** The write is in force: the state as it is now known. What changed while it was on its way is written again. */
export function applyStateWrite(edges: Edges, effects: Effects, write: StateWrite): void {
  edges.takeShard(write.shard, shardAfter(edges, write));
  for (const key of write.entries.keys()) if (!edges.state.entries.has(key)) edges.places.delete(key);
  for (const [config, sequence] of write.numbers) {
    if (sequence === undefined && edges.dependents.dependentsOf(config).size === 0) {
      edges.abandoned.delete(config);
      edges.minSequences.delete(config);
    }
  }
  for (const config of write.touched) reviewState(edges, effects, config);
}

/** What the shard says once the write is in force. */
export function shardAfter({ state: { shards } }: Edges, write: StateWrite): PersistedState {
  const before = shards[write.shard] ?? EMPTY_STATE;
  return {
    entries: overlaid(before.entries, write.entries),
    overrides: overlaid(before.overrides, write.overrides),
  };
}

/** A write is about to be sent: its numbers and its places may be in force from now on, whatever the answer. */
export function noteSent(edges: Edges, write: StateWrite): void {
  for (const [config, sequence] of write.numbers) {
    if (sequence !== undefined) edges.raiseMinSequence(config, sequence);
  }
  for (const [key, entry] of write.entries) if (entry !== undefined) edges.places.set(key, write.shard);
}

/** Asks for writes of `config` as far as the state now known differs from what this process believes. */
export function reviewState(edges: Edges, effects: Effects, config: ObjectKey): void {
  const observed = edges.configs.get(config);
  if (observed === undefined) return;
  const isForgotten = edges
    .edgesOf(config)
    .some(([workload, edge]) => edges.wouldForget(workload, observed, edge));
  (isForgotten ? effects.writeNow : effects.writeSoon).add(config);
}

/** `ran` of every edge as a reloader would believe that started from `state` now: the law's other side. */
export function believedAtStart(
  edges: Edges,
  state: PersistedState,
  workload: WorkloadRecord,
  ref: ConfigRef,
): RunningDigest | undefined {
  const stamp = workload.edges.get(keyOf(ref))?.stamp;
  const { runningDigest: override } = recordedOf(state, workload.workload.ref, ref, edges.homeNamespace);
  return runningDigestAtStart(state.entries.get(edges.entryKeyOf(ref)), override, stamp);
}

/**
 * Nothing follows the object and nothing is written of it: nothing of it is kept either, and the answer is true. A write that may
 * be in force is never unknown to a plan: the state is read before.
 */
function forgetIfUnused(edges: Edges, config: ObjectKey, ref: ConfigRef): boolean {
  if (edges.dependents.dependentsOf(config).size > 0 || edges.entryOf(ref) !== undefined) return false;
  edges.abandoned.delete(config);
  edges.minSequences.delete(config);
  return true;
}

const NONE: ReadonlySet<ObjectKey> = new Set();

/** What becomes of the candidates. */
interface Choice {
  readonly desired: Map<ObjectKey, Desired>;
  /** The shard of each candidate that is not postponed. */
  readonly considered: Map<ObjectKey, number>;
  readonly postponed: Set<ObjectKey>;
}

function consider(
  edges: Edges,
  request: StateRequest,
  { desired, considered, postponed }: Choice,
  config: ObjectKey,
  ref: ConfigRef,
): void {
  // Of a kind that may never be listed too: else every name that comes and goes would stay.
  const isUnused = forgetIfUnused(edges, config, ref);
  const entry = isHeldUp(edges, request, config, ref) ? 'later' : desiredEntry(edges, config, ref);
  // Workloads that may not be listed may follow what is to be removed.
  if (entry === 'later' || (entry === undefined && !request.gate.isSynced(ref.namespace, ref.kind))) {
    if (!isUnused) postponed.add(config);
    return;
  }
  const shard =
    edges.shardOf(ref) ??
    shardBeside(edges, considered, ref) ??
    (typeof entry === 'object' ? request.place(bytesOf(edges, ref, entry)) : 0);
  considered.set(config, shard);
  if (entry !== 'nothing') desired.set(config, { ref, entry, shard });
}

/**
 * Whether something is to be listed first, or a workload is about to be patched. Of what the state says nothing a start would
 * take the content for the baseline too: the write of that waits for no kind of workload that fails to be listed.
 */
function isHeldUp(
  edges: Edges,
  { urgent, fresh = NONE, gate }: StateRequest,
  config: ObjectKey,
  ref: ConfigRef,
): boolean {
  const leftOut = saysNothingOf(edges, ref) ? 'failing' : 'refused';
  if (!gate.isSynced(ref.namespace, ref.kind, leftOut)) return true;
  return !urgent.has(config) && !fresh.has(config) && isBlocked(edges, config, gate);
}

function saysNothingOf(edges: Edges, ref: ConfigRef): boolean {
  return edges.entryOf(ref) === undefined && !isPartOfKnown(edges, ref);
}

/** All that is followed of one object lies in one shard. */
function shardBeside(
  edges: Edges,
  considered: ReadonlyMap<ObjectKey, number>,
  ref: ConfigRef,
): number | undefined {
  const whole = wholeOf(ref);
  const others = [whole, ...edges.scopes.of(keyOf(whole))].filter((other) => keyOf(other) !== keyOf(ref));
  const shards = others.map((other) => edges.shardOf(other) ?? considered.get(keyOf(other)));
  return shards.find((shard) => shard !== undefined);
}

function isBlocked(edges: Edges, config: ObjectKey, gate: WriteGate): boolean {
  return edges
    .edgesOf(config)
    .some(
      ([record, edge]) =>
        edges.isOutdatedOn(record, config, edge) && gate.isWaiting(keyOf(record.workload.ref)),
    );
}

function desiredEntry(edges: Edges, config: ObjectKey, ref: ConfigRef): StateEntry | undefined | 'nothing' {
  const dependents = edges.edgesOf(config);
  const persisted = edges.entryOf(ref);
  if (dependents.length === 0) {
    const isGivenUp = edges.abandoned.has(config) && !isAllThatIsSaid(edges, ref);
    return isGivenUp && persisted !== undefined ? undefined : 'nothing';
  }
  const observed = edges.configs.get(config);
  const digest = (observed && edges.committable(observed)) ?? persisted?.digest;
  const isUnbegun = dependents.every(([{ workload }]) => edges.isUnbegun(ref, workload.ref.namespace));
  if (digest === undefined || isUnbegun) return 'nothing';
  const sequence = Math.max(
    1,
    edges.minSequenceOf(ref),
    ...dependents.map(([, edge]) => edge.highestSequence),
  );
  return { digest, sequence };
}

/** Whether nothing is written of another part of the object, which is followed, nor can be yet: then this entry speaks for it. */
function isAllThatIsSaid(edges: Edges, ref: ConfigRef): boolean {
  const whole = wholeOf(ref);
  return [whole, ...edges.scopes.of(keyOf(whole))].some((other) => {
    const key = keyOf(other);
    const isFollowed = edges.dependents.dependentsOf(key).size > 0;
    return isFollowed && edges.entryOf(other) === undefined && edges.configs.get(key)?.digest === undefined;
  });
}

function writesOf(
  edges: Edges,
  { urgent, fresh = NONE, gate }: StateRequest,
  { desired, considered }: Choice,
  withoutRoom: ReadonlySet<ObjectKey>,
): StateWrite[] {
  // Of what is not committed it is recorded all the same who ran something else.
  const configs = [...desired.keys(), ...withoutRoom];
  const workloads = new Set([
    ...configs.flatMap((config) => edges.edgesOf(config).map(([workload]) => workload)),
    ...withOverrides(edges),
  ]);
  const drafts = new Map<number, Draft>();
  draftEntries(edges, drafts, desired);
  for (const { shard, key, overrides } of changedOverrides(edges, workloads, desired, gate)) {
    draftOf(drafts, shard).overrides.set(key, overrides);
  }
  const touched = touchedByShard(edges, considered, workloads);
  const hasAny = (shard: number, configs: ReadonlySet<ObjectKey>): boolean =>
    [...considered].some(([config, at]) => at === shard && configs.has(config));
  return [...drafts]
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
  edges: Edges,
  drafts: Map<number, Draft>,
  desired: ReadonlyMap<ObjectKey, Desired>,
): void {
  for (const [config, { ref, entry, shard }] of desired) {
    if (sameEntry(entry, edges.entryOf(ref))) continue;
    draftOf(drafts, shard).entries.set(edges.entryKeyOf(ref), entry);
    draftOf(drafts, shard).numbers.set(config, entry?.sequence);
  }
  for (const [shard, keys] of edges.state.strays) {
    for (const key of keys) draftOf(drafts, shard).entries.set(key, undefined);
  }
}

/** A write as it comes to be. */
interface Draft {
  readonly entries: Map<StateKey, StateEntry | undefined>;
  readonly overrides: Map<StateKey, Overrides | undefined>;
  readonly numbers: Map<ObjectKey, number | undefined>;
}

function draftOf(drafts: Map<number, Draft>, shard: number): Draft {
  const draft = drafts.get(shard) ?? { entries: new Map(), overrides: new Map(), numbers: new Map() };
  drafts.set(shard, draft);
  return draft;
}

function dataOf({ entries, overrides }: Draft): Record<StateKey, string | null> {
  const data: Record<StateKey, string | null> = {};
  for (const [key, entry] of entries) data[key] = entry === undefined ? null : formatEntry(entry);
  for (const [key, value] of overrides) data[key] = (value && formatOverrides(value)) ?? null;
  return data;
}

/** By shard: the candidates, and all else that the workloads follow whose exceptions are rebuilt. */
function touchedByShard(
  edges: Edges,
  considered: ReadonlyMap<ObjectKey, number>,
  workloads: ReadonlySet<WorkloadRecord>,
): ReadonlyMap<number, ReadonlySet<ObjectKey>> {
  const touched = new Map<number, Set<ObjectKey>>();
  const touch = (config: ObjectKey): void => {
    const ref = edges.configs.get(config)?.ref;
    const shard = considered.get(config) ?? (ref && edges.shardOf(ref));
    if (shard !== undefined) touched.set(shard, (touched.get(shard) ?? new Set()).add(config));
  };
  for (const config of considered.keys()) touch(config);
  for (const { edges: own } of workloads) for (const config of own.keys()) touch(config);
  return touched;
}

function bytesOf(edges: Edges, ref: ConfigRef, entry: StateEntry): number {
  return edges.entryKeyOf(ref).length + formatEntry(entry).length;
}

/** Whether both say the same, or there is none. */
export function sameEntry(a: StateEntry | undefined, b: StateEntry | undefined): boolean {
  return a?.digest === b?.digest && a?.sequence === b?.sequence;
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
