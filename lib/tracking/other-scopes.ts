/**
 * What a start can say of an edge of which the state has no entry, but has one of another part of the same object: the
 * workload was rolled for the whole object until now, or its template read other keys.
 */

import { scopedDigestsOf, translated } from '../model/digest.ts';
import { type RunningDigest, UNKNOWN } from '../model/edge.ts';
import { type ConfigRef, configRefIn, keyOf, wholeOf } from '../model/object-ref.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { Effects } from './effects.ts';

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
  for (const other of others) effects.persist(keyOf(other));
  const isCurrent = others.every((other) => hasCurrent(store, other));
  return isCurrent && !isMarkedOnOther(store, record, config) ? undefined : UNKNOWN;
}

/** Whether the state has a mark of the workload on another part of the object. */
export function isMarkedOnOther(store: Store, { workload }: WorkloadRecord, { ref }: ConfigRecord): boolean {
  return partsOf(store, ref).some(
    (other) => keyOf(other) !== keyOf(ref) && store.persisted.markOf(workload.ref, other) !== undefined,
  );
}

/** Whether the state says something of another part of the object. */
export function isPartOfKnown(store: Store, ref: ConfigRef): boolean {
  const [own, whole] = [keyOf(ref), wholeOf(ref)];
  if (ref.keys !== undefined && store.persisted.entryOf(whole) !== undefined) return true;
  return [...store.persisted.parts.of(keyOf(whole))].some((other) => other !== own);
}

/** The parts of the object that have an entry. */
export function partsOf({ persisted }: Store, ref: ConfigRef): readonly ConfigRef[] {
  const whole = wholeOf(ref);
  const parts = [...persisted.parts.of(keyOf(whole))].map(configRefIn);
  return ref.keys === undefined || persisted.entryOf(whole) === undefined ? parts : [whole, ...parts];
}

/** Whether the entry of the part has the current content, as far as that is known. */
function hasCurrent({ configs, persisted }: Store, ref: ConfigRef): boolean {
  const whole = configs.get(keyOf(wholeOf(ref)));
  const written = persisted.entryOf(ref)?.digest;
  if (ref.keys === undefined) return whole !== undefined && translated(written, whole) === whole.digest;
  if (whole?.keyDigests === undefined) return true;
  const current = scopedDigestsOf(whole.keyDigests, ref.keys);
  return translated(written, current) === current.digest;
}
