/**
 * Under which further algorithms objects have to be digested: the state may name other ones than this process uses, and a content
 * is only available while its object is projected.
 */

import { type AlgorithmName, algorithmOf } from '../model/digest.ts';
import type { Entries } from '../model/persisted-state.ts';
import { once } from '../store/key-index.ts';
import type { Store } from '../store/store.ts';

const algorithmsOf = once(
  (entries: Entries) => new Set([...entries.values()].flatMap(({ digest }) => algorithmOf(digest) ?? [])),
);

/** The algorithms of all entries that are known, without that of this process. */
export function namedAlgorithms({ persisted, settings }: Store): readonly AlgorithmName[] {
  const { own, named } = settings.algorithms;
  const all = [...algorithmsOf(persisted.state.entries)];
  return all.filter((name) => name !== own.name && named(name) !== undefined);
}
