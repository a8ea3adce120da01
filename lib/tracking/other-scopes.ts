/**
 * What a start can say of an edge of which the state has no entry, but has one of another part of the same object: the
 * workload was rolled for the whole object until now, or its template read other keys.
 */

import { isDigestOf, scopedDigestsOf, translated } from '../model/digest.ts';
import { type RunningDigest, recover, UNKNOWN } from '../model/edge.ts';
import { type ConfigRef, keyOf, type ObjectKey, wholeOf } from '../model/object-ref.ts';
import type { Stamp } from '../model/stamp.ts';
import { configRefOf, type StateEntry, type StateKey } from '../model/state-entry.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { Effects } from './effects.ts';
import { stampOfAnyPart } from './live-stamps.ts';

/** An entry of one part of an object. */
interface OtherEntry {
  readonly ref: ConfigRef;
  readonly entry: StateEntry;
}

type Entries = ReadonlyMap<StateKey, StateEntry>;

/** By whole object, those that have an entry of some of their keys: worked out once for each state. */
const PARTS = new WeakMap<Entries, ReadonlyMap<ObjectKey, readonly OtherEntry[]>>();

/**
 * Undefined where the present content is the baseline: nothing is said of the object, or its other parts are as the
 * workload's pods ran them, as far as the two have keys in common. Otherwise it is unknown. The entries of the other parts
 * are given up, unless a workload follows them.
 */
export function digestByOtherScopes(
  store: Store,
  effects: Effects,
  record: WorkloadRecord,
  config: ConfigRecord,
): RunningDigest | undefined {
  if (store.persisted.entryOf(config.ref) !== undefined) return undefined;
  const others = othersOf(store, config.ref);
  for (const { ref } of others) {
    store.persisted.placeBeside(config.ref, ref);
    abandon(store, effects, ref);
  }
  const stamp = stampOfAnyPart(record, keyOf(config.ref));
  const isCurrent = others
    .filter(({ ref }) => haveCommonKeys(ref, config.ref))
    .every((other) => ranCurrent(store, record, other, others, stamp));
  return isCurrent ? undefined : UNKNOWN;
}

/** Whether the state says that the workload's pods ran something else of another part, with keys in common, than its entry. */
export function hasDebtOfOtherScope(
  store: Store,
  { workload }: WorkloadRecord,
  { ref }: ConfigRecord,
): boolean {
  return othersOf(store, ref)
    .filter((other) => keyOf(other.ref) !== keyOf(ref) && haveCommonKeys(other.ref, ref))
    .some((other) => store.persisted.overrideOf(workload.ref, other.ref) !== undefined);
}

/** Whether the state says something of another part of the object. */
export function isPartOfKnown(store: Store, ref: ConfigRef): boolean {
  const [own, whole] = [keyOf(ref), wholeOf(ref)];
  const key = keyOf(whole);
  const known = [whole, ...store.scopes.of(key), ...store.abandoned.of(key)];
  // To sort all entries by their objects would take long after each write: few are asked for at a start.
  const others = store.scopes.recorded.has(key) ? othersOf(store, ref).map((other) => other.ref) : known;
  return others.some((other) => keyOf(other) !== own && store.persisted.entryOf(other) !== undefined);
}

function othersOf(store: Store, { keys, ...object }: ConfigRef): readonly OtherEntry[] {
  const parts = partsIn(store).get(keyOf(object)) ?? [];
  if (keys === undefined) return parts;
  const entry = store.persisted.entryOf(object);
  return entry === undefined ? parts : [{ ref: object, entry }, ...parts];
}

/** By object, the entries of its sets of keys. */
export function partsIn(store: Store): ReadonlyMap<ObjectKey, readonly OtherEntry[]> {
  const { entries } = store.persisted.state;
  const known = PARTS.get(entries);
  if (known !== undefined) return known;
  const parts = new Map<ObjectKey, OtherEntry[]>();
  for (const [key, entry] of entries) {
    const ref = configRefOf(key, store.settings.homeNamespace);
    if (ref?.keys === undefined) continue;
    const whole = keyOf(wholeOf(ref));
    parts.set(whole, [...(parts.get(whole) ?? []), { ref, entry }]);
  }
  PARTS.set(entries, parts);
  return parts;
}

function abandon(store: Store, effects: Effects, ref: ConfigRef): void {
  const key = keyOf(ref);
  if (store.dependents.dependentsOf(key).size > 0) return;
  store.abandoned.set(key, ref);
  effects.persist(key, 'soon');
}

function haveCommonKeys({ keys: one }: ConfigRef, { keys: other }: ConfigRef): boolean {
  return one === undefined || other === undefined || one.some((key) => other.includes(key));
}

/** Whether the pods ran the current content of the other part. */
function ranCurrent(
  store: Store,
  { workload }: WorkloadRecord,
  { ref, entry }: OtherEntry,
  others: readonly OtherEntry[],
  stamp: Stamp | undefined,
): boolean {
  const whole = store.configs.get(keyOf(wholeOf(ref)));
  const override = store.persisted.overrideOf(workload.ref, ref);
  // Without digests of the keys only an override proves that the pods ran something else.
  if (ref.keys !== undefined && whole?.keyDigests === undefined) return override === undefined;
  const speaker =
    stamp && others.find(({ ref: { keys } }) => keys !== undefined && isDigestOf(stamp.digest, keys))?.ref;
  const own = speaker?.keys?.join() === ref.keys?.join() ? stamp : undefined;
  const runningDigest = recover(entry, override, own);
  if (ref.keys === undefined) return whole !== undefined && translated(runningDigest, whole) === whole.digest;
  const current = scopedDigestsOf(whole?.keyDigests ?? '', ref.keys);
  return translated(runningDigest, current) === current.digest;
}
