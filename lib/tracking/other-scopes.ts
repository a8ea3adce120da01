/**
 * What a start can say of an edge of which the state has no entry, but has one of another part of the same object: the
 * workload was rolled for the whole object until now, or its template read other keys.
 */

import { scopedDigestsOf, translated } from '../model/digest.ts';
import { type RunningDigest, UNKNOWN } from '../model/edge.ts';
import { type ConfigRef, keyOf, type ObjectKey, wholeOf } from '../model/object-ref.ts';
import type { Entries } from '../model/persisted-state.ts';
import { configRefOf, type StateEntry } from '../model/state-entry.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { Effects } from './effects.ts';

/** An entry of one part of an object. */
interface OtherEntry {
  readonly ref: ConfigRef;
  readonly entry: StateEntry;
}

/** By whole object, those that have an entry of some of their keys: worked out once for each state. */
const PARTS = new WeakMap<Entries, ReadonlyMap<ObjectKey, readonly OtherEntry[]>>();

/**
 * Undefined where the present content is the baseline: nothing is said of the object, or its other parts have the current content
 * and no mark of the workload. Otherwise it is unknown. The entries of the other parts are given up, unless a workload follows them.
 */
export function digestByOtherScopes(
  store: Store,
  effects: Effects,
  record: WorkloadRecord,
  config: ConfigRecord,
): RunningDigest | undefined {
  if (store.persisted.entryOf(config.ref) !== undefined) return undefined;
  const others = partsOf(store, config.ref);
  for (const { ref } of others) effects.persist(keyOf(ref));
  const isCurrent = others.every((other) => hasCurrent(store, other));
  return isCurrent && !isMarkedOnOther(store, record, config) ? undefined : UNKNOWN;
}

/** Whether the state has a mark of the workload on another part of the object. */
export function isMarkedOnOther(store: Store, { workload }: WorkloadRecord, { ref }: ConfigRecord): boolean {
  return partsOf(store, ref).some(
    (other) =>
      keyOf(other.ref) !== keyOf(ref) && store.persisted.markOf(workload.ref, other.ref) !== undefined,
  );
}

/** Whether the state says something of another part of the object. */
export function isPartOfKnown(store: Store, ref: ConfigRef): boolean {
  const [own, whole] = [keyOf(ref), wholeOf(ref)];
  if (ref.keys !== undefined && store.persisted.entryOf(whole) !== undefined) return true;
  return (partsIn(store).get(keyOf(whole)) ?? []).some((other) => keyOf(other.ref) !== own);
}

/** The parts of the object that have an entry. */
export function partsOf(store: Store, { keys, ...object }: ConfigRef): readonly OtherEntry[] {
  const parts = partsIn(store).get(keyOf(object)) ?? [];
  if (keys === undefined) return parts;
  const entry = store.persisted.entryOf(object);
  return entry === undefined ? parts : [{ ref: object, entry }, ...parts];
}

/** By object, the entries of its sets of keys. */
function partsIn(store: Store): ReadonlyMap<ObjectKey, readonly OtherEntry[]> {
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

/** Whether the entry of the part has the current content, as far as that is known. */
function hasCurrent(store: Store, { ref, entry }: OtherEntry): boolean {
  const whole = store.configs.get(keyOf(wholeOf(ref)));
  if (ref.keys === undefined) return whole !== undefined && translated(entry.digest, whole) === whole.digest;
  if (whole?.keyDigests === undefined) return true;
  const current = scopedDigestsOf(whole.keyDigests, ref.keys);
  return translated(entry.digest, current) === current.digest;
}
