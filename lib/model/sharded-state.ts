/**
 * The union of all shards of the state. The entry of an object and the overrides of its followers share one shard, so that each
 * write of a shard is consistent by itself.
 */

import { EMPTY_STATE, type PersistedState } from './persisted-state.ts';
import { entryKeyBeside, type Overrides, type StateEntry, type StateKey } from './state-entry.ts';

/** The shards, and in `entries` and `overrides` those that count. */
export interface ShardedState extends PersistedState {
  /** Each shard, in order; there is always one. */
  readonly shards: readonly PersistedState[];
  /** The shard of each entry that counts. */
  readonly homes: ReadonlyMap<StateKey, number>;
  /** By shard, the keys of duplicate entries that do not count. */
  readonly strays: ReadonlyMap<number, readonly StateKey[]>;
}

/**
 * Merges the shards. Of two entries of one object the one with the higher sequence counts, with equal sequences that of the
 * lower shard; an override counts only beside the entry of its object that counts.
 */
export function together(shards: readonly PersistedState[], homeNamespace: string): ShardedState {
  const { entries, homes, strays } = entriesOf(shards);
  return { shards, entries, homes, strays, overrides: overridesOf(shards, homes, homeNamespace) };
}

/** A state without entries. */
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
