/**
 * The plan of one write of the state ConfigMap. The law of every write: a reloader that starts from what was written
 * believes of every edge what this process believes. A write of an object's entry lifts its number above every stamp seen,
 * which silences them all; so every workload whose pods ran something else than the committed digest gets an exception in
 * the same write.
 */

import { isOwed, type Ran, ranAtStart, recordedRan, speaks, UNKNOWN } from '../model/edge.ts';
import { type ConfigRef, keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { PersistedState } from '../model/persisted-state.ts';
import {
  type Exceptions,
  formatEntry,
  formatExceptions,
  localEntryKeyOf,
  parseStateKey,
  type StateEntry,
  type StateKey,
} from '../model/state-entry.ts';
import type { Edges, WorkloadRecord } from './edges.ts';
import type { Effects } from './effects.ts';

/** What a plan has to know of the rest of the program. */
export interface WriteGate {
  /** Whether `kind` is watched in `namespace`, and it and all kinds of workload there are listed. */
  readonly isSynced: (namespace: string, kind: string) => boolean;
  /** Whether `workload` is going to be patched soon: a quiet period, a patch under way, a conflict. */
  readonly isWaiting: (workload: ObjectKey) => boolean;
}

/** One write: a value sets a key, undefined removes it. */
export interface StateWrite {
  readonly entries: ReadonlyMap<StateKey, StateEntry | undefined>;
  readonly exceptions: ReadonlyMap<StateKey, Exceptions | undefined>;
  /** The objects whose entries are written, with the number of each; undefined for a removed entry. */
  readonly numbers: ReadonlyMap<ObjectKey, number | undefined>;
  /** Every object whose belief the write touches: to be looked at again once it is in force. */
  readonly touched: ReadonlySet<ObjectKey>;
  /** The same as data of a merge patch: null removes a key. */
  readonly data: Readonly<Record<StateKey, string | null>>;
}

/** The answer of the planner. */
export interface StatePlan {
  /** Undefined when everything that may be written is written already. */
  readonly write: StateWrite | undefined;
  /** Candidates that cannot be written yet: something is not listed, or a workload is about to be patched. */
  readonly postponed: ReadonlySet<ObjectKey>;
}

/** What an object's entry is to be; without an entry it is to be removed. */
interface Desired {
  readonly ref: ConfigRef;
  readonly entry: StateEntry | undefined;
}

/** Plans the next write for `candidates`; those in `urgent` are written although workloads are waiting. */
export function planStateWrite(
  edges: Edges,
  candidates: Iterable<ObjectKey>,
  urgent: ReadonlySet<ObjectKey>,
  gate: WriteGate,
): StatePlan {
  const postponed = new Set<ObjectKey>();
  const desired = new Map<ObjectKey, Desired>();
  for (const config of candidates) {
    const ref = edges.configs.get(config)?.ref ?? edges.abandoned.get(config);
    if (ref === undefined) continue;
    if (!gate.isSynced(ref.namespace, ref.kind) || (!urgent.has(config) && isBlocked(edges, config, gate))) {
      postponed.add(config);
      continue;
    }
    const entry = desiredEntry(edges, config, ref);
    if (entry !== 'nothing') desired.set(config, { ref, entry });
    else forgetIfUnused(edges, config, ref);
  }
  return { write: writeOf(edges, desired, gate), postponed };
}

/** The write is in force: the state as it is now known. What changed while it was on its way is written again. */
export function applyStateWrite(edges: Edges, effects: Effects, write: StateWrite): void {
  edges.state = {
    entries: overlaid(edges.state.entries, write.entries),
    exceptions: overlaid(edges.state.exceptions, write.exceptions),
  };
  for (const [config, number] of write.numbers) {
    if (number === undefined && edges.dependents.dependentsOf(config).size === 0) {
      edges.abandoned.delete(config);
      edges.floors.delete(config);
    }
  }
  for (const config of write.touched) edges.contested.delete(config);
  for (const config of write.touched) reviewState(edges, effects, config);
}

/** A write is about to be sent: its numbers may be in force from now on, whatever the answer. */
export function raiseFloors(edges: Edges, write: StateWrite): void {
  for (const [config, number] of write.numbers) {
    if (number !== undefined) edges.floors.set(config, Math.max(edges.floors.get(config) ?? 0, number));
  }
}

/**
 * An entry that another process wrote for an object of which this one had none: it is older than the baseline of a moment
 * ago that this one had in mind, so it is what counts, as at a start.
 */
export function adoptEntry(edges: Edges, effects: Effects, config: ObjectKey): void {
  const observed = edges.configs.get(config);
  if (observed === undefined) return;
  for (const [workload, edge] of edges.edgesOf(config)) {
    const ran = believedAtStart(edges, edges.state, workload, observed.ref);
    if (ran === undefined || ran === edge.ran || workload.inFlight !== undefined) continue;
    const adopted = { ...edge, ran };
    workload.edges.set(config, { ...adopted, dirty: isOwed(adopted, observed.digest) });
    if (isOwed(adopted, observed.digest)) effects.touch(keyOf(workload.workload.ref), config);
  }
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
): Ran | undefined {
  const exceptions = state.exceptions.get(edges.exceptionsKeyOf(workload.workload.ref));
  const stamp = workload.edges.get(keyOf(ref))?.stamp;
  return ranAtStart(state.entries.get(edges.entryKeyOf(ref)), exceptions?.[localEntryKeyOf(ref)], stamp);
}

/** Nothing follows the object and nothing is written of it: nothing of it is kept either. */
function forgetIfUnused(edges: Edges, config: ObjectKey, ref: ConfigRef): void {
  if (edges.dependents.dependentsOf(config).size > 0 || edges.entryOf(ref) !== undefined) return;
  edges.abandoned.delete(config);
  edges.floors.delete(config);
}

function isBlocked(edges: Edges, config: ObjectKey, gate: WriteGate): boolean {
  const digest = edges.configs.get(config)?.digest;
  return edges
    .edgesOf(config)
    .some(([{ workload }, edge]) => isOwed(edge, digest) && gate.isWaiting(keyOf(workload.ref)));
}

function desiredEntry(edges: Edges, config: ObjectKey, ref: ConfigRef): StateEntry | undefined | 'nothing' {
  const dependents = edges.edgesOf(config);
  const persisted = edges.entryOf(ref);
  if (dependents.length === 0) {
    return edges.abandoned.has(config) && persisted !== undefined ? undefined : 'nothing';
  }
  const digest = edges.configs.get(config)?.digest ?? persisted?.digest;
  if (digest === undefined) return 'nothing';
  const number = Math.max(1, edges.floorOf(ref), ...dependents.map(([, edge]) => edge.highestNumber));
  return { digest, number };
}

function writeOf(
  edges: Edges,
  desired: ReadonlyMap<ObjectKey, Desired>,
  gate: WriteGate,
): StateWrite | undefined {
  const workloads = new Set([
    ...[...desired.keys()].flatMap((config) => edges.edgesOf(config).map(([workload]) => workload)),
    ...withExceptions(edges),
  ]);
  const changed = [...desired].filter(([, { ref, entry }]) => !sameEntry(entry, edges.entryOf(ref)));
  const entries = new Map(changed.map(([, { ref, entry }]) => [edges.entryKeyOf(ref), entry]));
  const numbers = new Map(changed.map(([config, { entry }]) => [config, entry?.number]));
  const exceptions = changedExceptions(edges, workloads, desired, gate);
  if (entries.size === 0 && exceptions.size === 0) return undefined;
  const touched = new Set([
    ...desired.keys(),
    ...[...workloads].flatMap(({ edges: own }) => [...own.keys()]),
  ]);
  return { entries, exceptions, numbers, touched, data: dataOf(entries, exceptions) };
}

function dataOf(
  entries: ReadonlyMap<StateKey, StateEntry | undefined>,
  exceptions: ReadonlyMap<StateKey, Exceptions | undefined>,
): Record<StateKey, string | null> {
  const data: Record<StateKey, string | null> = {};
  for (const [key, entry] of entries) data[key] = entry === undefined ? null : formatEntry(entry);
  for (const [key, value] of exceptions) data[key] = (value && formatExceptions(value)) ?? null;
  return data;
}

function changedExceptions(
  edges: Edges,
  workloads: ReadonlySet<WorkloadRecord>,
  desired: ReadonlyMap<ObjectKey, Desired>,
  gate: WriteGate,
): Map<StateKey, Exceptions | undefined> {
  const changed = new Map<StateKey, Exceptions | undefined>();
  for (const key of staleExceptions(edges, gate)) changed.set(key, undefined);
  for (const workload of workloads) {
    const key = edges.exceptionsKeyOf(workload.workload.ref);
    const before = edges.state.exceptions.get(key);
    const after = exceptionsOf(edges, workload, desired);
    const [oldText, newText] = [before && formatExceptions(before), formatExceptions(after)];
    if (oldText !== newText) changed.set(key, newText === undefined ? undefined : after);
  }
  return changed;
}

/** All exceptions of one workload, rebuilt from memory: where a start would not believe what is to be recorded. */
function exceptionsOf(
  edges: Edges,
  workload: WorkloadRecord,
  desired: ReadonlyMap<ObjectKey, Desired>,
): Exceptions {
  const exceptions: Record<StateKey, Ran> = {};
  for (const [config, edge] of workload.edges) {
    const ref = edges.configs.get(config)?.ref;
    const entry = desired.get(config)?.entry ?? (ref && edges.entryOf(ref));
    const isInFlight = workload.inFlight?.stamps.some((stamp) => stamp.config === config) === true;
    const ran = recordedRan(edge, isInFlight);
    if (ref === undefined || entry === undefined || ran === undefined || ran === entry.digest) continue;
    if (speaks(edge.stamp, entry)) continue;
    exceptions[localEntryKeyOf(ref)] = edges.contested.has(config) ? UNKNOWN : ran;
  }
  return exceptions;
}

/** The workloads that have recorded exceptions, of which some may have become untrue. */
function withExceptions(edges: Edges): WorkloadRecord[] {
  const { exceptions } = edges.state;
  if (exceptions.size === 0) return [];
  return [...edges.workloads.values()].filter(({ workload }) =>
    exceptions.has(edges.exceptionsKeyOf(workload.ref)),
  );
}

/** Recorded exceptions of workloads that are gone or follow nothing any more, where that is positively known. */
function staleExceptions(edges: Edges, gate: WriteGate): StateKey[] {
  const alive = new Set(withExceptions(edges).map(({ workload }) => edges.exceptionsKeyOf(workload.ref)));
  return [...edges.state.exceptions.keys()].filter((key) => {
    const about = parseStateKey(key, edges.homeNamespace);
    return !alive.has(key) && about !== undefined && gate.isSynced(about.namespace, about.kind);
  });
}

function sameEntry(a: StateEntry | undefined, b: StateEntry | undefined): boolean {
  return a?.digest === b?.digest && a?.number === b?.number;
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
