/**
 * Under which further algorithms an object has to be digested: its entries, overrides and stamps may name other ones than this
 * process uses, and the content is only available while the object is projected.
 */

import { type AlgorithmName, algorithmOf, type Digest, SHA1 } from '../model/digest.ts';
import { UNKNOWN } from '../model/edge.ts';
import { type ConfigRef, keyOf, wholeOf } from '../model/object-ref.ts';
import type { PersistedState } from '../model/persisted-state.ts';
import { entryKeyBeside, type StateKey } from '../model/state-entry.ts';
import type { ConfigRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { partsOf } from './other-scopes.ts';

type Overridden = ReadonlyMap<StateKey, readonly Digest[]>;

/** By the key of an entry, the overrides; computed once for each state, which is immutable. */
const OVERRIDDEN = new WeakMap<PersistedState['overrides'], Overridden>();

/**
 * The algorithms named by the entries and overrides of `ref` and of its parts, or by the running digest of an edge. If it has an
 * entry, also those of all keys: a stamp that is not committed yet may be under any of them, and is observed later. So may one to
 * which an override is tied, and also without a key.
 */
export function namedAlgorithms(store: Store, ref: ConfigRef): readonly AlgorithmName[] {
  const { own, keys } = store.settings.algorithms;
  const whole = wholeOf(ref);
  const digests = [whole, ...partsOf(store, whole)].flatMap((part) => digestsOf(store, part));
  if (digests.length === 0) return NONE;
  const ofStamps = digests.some((digest) => digest.startsWith(UNKNOWN)) ? [SHA1.name] : [];
  const named = new Set([...keys, ...ofStamps, ...digests.flatMap((digest) => algorithmOf(digest) ?? [])]);
  named.delete(own.name);
  return named.size === 0 ? NONE : [...named];
}

const NONE: readonly AlgorithmName[] = [];

/** Whether its content has not been digested under one of the algorithms that are named: it has to be read again. */
export function lacksDigest(store: Store, { ref, otherDigests = [] }: ConfigRecord): boolean {
  const known = new Set(otherDigests.map(algorithmOf));
  return namedAlgorithms(store, ref).some((name) => !known.has(name));
}

/** The recorded digests of `ref`, and the running ones. */
function digestsOf(store: Store, ref: ConfigRef): readonly Digest[] {
  const entry = store.persisted.entryOf(ref);
  const overridden = overriddenIn(store).get(store.persisted.entryKeyOf(ref)) ?? [];
  const running = store.edgesOf(keyOf(ref)).flatMap(([, { runningDigest }]) => runningDigest ?? []);
  return [...(entry === undefined ? [] : [entry.digest ?? '']), ...overridden, ...running];
}

function overriddenIn({ persisted: { state }, settings: { homeNamespace } }: Store): Overridden {
  const known = OVERRIDDEN.get(state.overrides);
  if (known !== undefined) return known;
  const overridden = new Map<StateKey, Digest[]>();
  for (const [workload, overrides] of state.overrides) {
    for (const [local, digest] of Object.entries(overrides)) {
      const key = entryKeyBeside(workload, local, homeNamespace);
      overridden.set(key, [...(overridden.get(key) ?? []), digest]);
    }
  }
  OVERRIDDEN.set(state.overrides, overridden);
  return overridden;
}
