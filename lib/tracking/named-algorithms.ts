/**
 * Under which further algorithms an object has to be digested: the state may name other ones than this process uses, and the content
 * is only available while the object is projected.
 */

import { type AlgorithmName, algorithmOf } from '../model/digest.ts';
import { type ConfigRef, keyOf, wholeOf } from '../model/object-ref.ts';
import type { Entries } from '../model/persisted-state.ts';
import type { Store } from '../store/store.ts';
import { partsIn } from './other-scopes.ts';

const NONE: readonly AlgorithmName[] = [];
/** Worked out once for each state, which is immutable. */
const NAMED = new WeakMap<Entries, readonly AlgorithmName[]>();

/** If the state has an entry of `ref` or of a part of it, the algorithms of all entries. */
export function namedAlgorithms(store: Store, ref: ConfigRef): readonly AlgorithmName[] {
  const { persisted, scopes, settings } = store;
  const whole = wholeOf(ref);
  const hasParts = scopes.hasOf(keyOf(whole)) || partsIn(store).has(keyOf(whole));
  if (!hasParts && persisted.entryOf(whole) === undefined) return NONE;
  const known = NAMED.get(persisted.state.entries);
  if (known !== undefined) return known;
  const { own, named } = settings.algorithms;
  const entries = [...persisted.state.entries.values()];
  const all = new Set(entries.flatMap(({ digest }) => algorithmOf(digest) ?? []));
  const others = [...all].filter((name) => name !== own.name && named(name) !== undefined);
  NAMED.set(persisted.state.entries, others);
  return others;
}
