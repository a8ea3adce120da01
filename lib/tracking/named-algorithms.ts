/**
 * Under which further algorithms an object has to be digested. Entries, overrides and stamps of other reloaders use algorithms
 * of their own, and the content is only available while the object is projected.
 */

import { algorithmOf, type Digest } from '../model/digest.ts';
import { type ConfigRef, keyOf } from '../model/object-ref.ts';
import type { PersistedState } from '../model/persisted-state.ts';
import { entryKeyBeside, type StateKey } from '../model/state-entry.ts';
import type { Store } from '../store/store.ts';

type Overridden = ReadonlyMap<StateKey, readonly Digest[]>;

/** By the key of an entry, the overrides under another algorithm; computed once for each state, which is immutable. */
const OVERRIDDEN = new WeakMap<PersistedState['overrides'], Overridden>();

/** The algorithms named by its entry, by an override, or by the running digest of an edge, which may come from a stamp. */
export function namedAlgorithms(store: Store, ref: ConfigRef): readonly string[] {
  const overridden = overriddenIn(store).get(store.persisted.entryKeyOf(ref)) ?? [];
  const running = store.edgesOf(keyOf(ref)).map(([, { runningDigest }]) => runningDigest);
  const digests = [store.persisted.entryOf(ref)?.digest, ...overridden, ...running];
  return [...new Set(digests.flatMap((digest) => (digest && algorithmOf(digest)) ?? []))];
}

function overriddenIn({ persisted: { state }, settings: { homeNamespace } }: Store): Overridden {
  const known = OVERRIDDEN.get(state.overrides);
  if (known !== undefined) return known;
  const overridden = new Map<StateKey, Digest[]>();
  for (const [workload, overrides] of state.overrides) {
    for (const [local, digest] of Object.entries(overrides)) {
      if (algorithmOf(digest) === undefined) continue;
      const key = entryKeyBeside(workload, local, homeNamespace);
      overridden.set(key, [...(overridden.get(key) ?? []), digest]);
    }
  }
  OVERRIDDEN.set(state.overrides, overridden);
  return overridden;
}
