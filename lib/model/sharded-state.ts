/**
 * What all shards of the state say together. Everything about one object lies in one shard, its entry and the exceptions
 * of its dependents, so that each write of a shard is whole in itself.
 */

import { EMPTY_STATE, type PersistedState } from './persisted-state.ts';
import { entryKeyBeside, type Overrides, type StateEntry, type StateKey } from './state-entry.ts';

/** The shards, and (as `entries` and `exceptions`) what counts of them. */
export interface ShardedState extends PersistedState {
  /** What each shard says, the first one first; there is always one. */
  readonly shards: readonly PersistedState[];
  /** In which shard each entry lies that counts. */
  readonly homes: ReadonlyMap<StateKey, number>;
  /** By shard, the keys of entries that do not count because another shard has them too. */
  readonly strays: ReadonlyMap<number, readonly StateKey[]>;
}

/**
 * Puts the shards together. Of two entries of one object that with the higher number counts, with equal numbers that of the
 * lower shard; an exception counts beside the entry of its object alone.
 */
export function together(shards: readonly PersistedState[], homeNamespace: string): ShardedState {
  const { entries, homes, strays } = entriesOf(shards);
  return { shards, entries, homes, strays, overrides: overridesOf(shards, homes, homeNamespace) };
}

/** A state of which nothing is known. */
export const NO_STATE: ShardedState = together([EMPTY_STATE], '');

function entriesOf(shards: readonly PersistedState[]): Pick<ShardedState, 'entries' | 'homes' | 'strays'> {
  const entries = new Map<StateKey, StateEntry>();
  const homes = new Map<StateKey, number>();
  const strays = new Map<number, StateKey[]>();
  for (const [shard, key, entry] of shards.flatMap(allEntries)) {
    const [home, other] = [homes.get(key), entries.get(key)];
    const counts = other === undefined || entry.sequence > other.sequence;
    const stray = counts ? home : shard;
    if (stray !== undefined) strays.set(stray, [...(strays.get(stray) ?? []), key]);
    if (!counts) continue;
    entries.set(key, entry);
    homes.set(key, shard);
  }
  return { entries, homes, strays };
}

function allEntries({ entries }: PersistedState, shard: number): [number, StateKey, StateEntry][] {
  return [...entries].map(([key, entry]) => [shard, key, entry]);
}

function overridesOf(
  shards: readonly PersistedState[],
  homes: ReadonlyMap<StateKey, number>,
  homeNamespace: string,
): ReadonlyMap<StateKey, Overrides> {
  const overrides = new Map<StateKey, Overrides>();
  for (const [shard, { overrides: own }] of shards.entries()) {
    for (const [workload, runningDigest] of own) {
      const counting = Object.entries(runningDigest).filter(
        ([local]) => homes.get(entryKeyBeside(workload, local, homeNamespace)) === shard,
      );
      if (counting.length === 0) continue;
      overrides.set(workload, { ...overrides.get(workload), ...Object.fromEntries(counting) });
    }
  }
  return overrides;
}
