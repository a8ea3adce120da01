/** Decides which entries have room in their shards. */

import { UNKNOWN } from '../model/edge.ts';
import type { ConfigRef, ObjectKey } from '../model/object-ref.ts';
import { EVERY_FOLLOWER, formatEntry, type Marks, type StateEntry } from '../model/state-entry.ts';
import type { Store } from '../store/store.ts';

/** The entry that an object should have, and in which shard; undefined: the entry is to be removed. */
export interface Desired {
  readonly ref: ConfigRef;
  readonly entry: StateEntry | undefined;
  readonly shard: number;
}

/**
 * Removes from `desired` what has no room. The result is the objects that are left out, and all shards in which something had none.
 * `room`: by how many bytes a shard may grow. @default without limit
 */
export function makeRoom(
  store: Store,
  desired: Map<ObjectKey, Desired>,
  room: (shard: number) => number = () => Number.POSITIVE_INFINITY,
): { readonly configs: ReadonlySet<ObjectKey>; readonly shards: ReadonlySet<number> } {
  const left = new Map<number, number>();
  const configs = new Set<ObjectKey>();
  const shards = new Set<number>();
  for (const [config, { ref, entry, shard }] of desired) {
    if (entry === undefined) continue;
    const rest = left.get(shard) ?? room(shard);
    const [chosen, growth] = fitting(store, ref, entry, rest);
    left.set(shard, rest - growth);
    if (chosen === entry) continue;
    shards.add(shard);
    if (chosen !== undefined) desired.set(config, { ref, entry: chosen, shard });
    else configs.add(config);
  }
  for (const config of configs) desired.delete(config);
  return { configs, shards };
}

/**
 * What has room of an entry, and by how many bytes it grows. Where its marks have none, one stands for all followers: beyond the
 * limit too, since a start would be wrong without it. Undefined where a first entry has no room.
 */
function fitting(
  { persisted }: Store,
  ref: ConfigRef,
  entry: StateEntry,
  room: number,
): readonly [entry: StateEntry | undefined, growth: number] {
  const before = persisted.entryOf(ref);
  const used = before ? formatEntry(before).length : -persisted.entryKeyOf(ref).length;
  const growth = formatEntry(entry).length - used;
  if (growth <= 0 || growth <= room) return [entry, growth];
  const small = entry.marks === undefined ? entry : { ...entry, marks: FOR_ALL };
  const smallGrowth = formatEntry(small).length - used;
  return before !== undefined || smallGrowth <= room ? [small, smallGrowth] : [undefined, 0];
}

const FOR_ALL: Marks = new Map([[EVERY_FOLLOWER, UNKNOWN]]);
