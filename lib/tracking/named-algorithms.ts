/**
 * Under which further algorithms objects have to be digested: the state may name other ones than this process uses, and a content
 * is only available while its object is projected.
 */

import { type AlgorithmName, algorithmOf } from '../model/digest.ts';
import type { Entries } from '../model/persisted-state.ts';
import type { Store } from '../store/store.ts';

/** Worked out once for each state, which is immutable. */
const NAMED = new WeakMap<Entries, readonly AlgorithmName[]>();

/** The algorithms of all entries that are known, without that of this process. */
export function namedAlgorithms({ persisted, settings }: Store): readonly AlgorithmName[] {
  const { entries } = persisted.state;
  const known = NAMED.get(entries);
  if (known !== undefined) return known;
  const { own, named } = settings.algorithms;
  const all = new Set([...entries.values()].flatMap(({ digest }) => algorithmOf(digest) ?? []));
  const others = [...all].filter((name) => name !== own.name && named(name) !== undefined);
  NAMED.set(entries, others);
  return others;
}
