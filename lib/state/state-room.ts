/**
 * Decides which commits have room in their shards. A commit needs one mark for each workload that is still out of date. An object
 * without room keeps its last entry, and its workloads are rolled without marks.
 */

import type { ObjectKey } from '../model/object-ref.ts';
import { formatEntry, localEntryKeyOf } from '../model/state-entry.ts';
import type { Store } from '../store/store.ts';
import { type Desired, overrideFor } from './state-overrides.ts';

/** The bytes of a digest in JSON: quotes, colon and comma included. */
const BYTES_OF_VALUE = 60;

/** The objects that had no room, and their shards. */
export interface NoRoom {
  readonly configs: ReadonlySet<ObjectKey>;
  readonly shards: ReadonlySet<number>;
}

/**
 * Removes from `desired` the objects for which their shard has no room, estimated by the most bytes that they can add. `room`
 * answers by how many bytes a shard may grow. Objects that come first in `desired` are served first.
 */
export function takeOutWhatHasNoRoom(
  store: Store,
  desired: Map<ObjectKey, Desired>,
  room: (shard: number) => number,
): NoRoom {
  const left = new Map<number, number>();
  const configs = new Set<ObjectKey>();
  const shards = new Set<number>();
  for (const [config, one] of [...desired]) {
    const bytes = growthOf(store, config, one);
    const rest = (left.get(one.shard) ?? room(one.shard)) - bytes;
    if (bytes === 0 || rest >= 0) left.set(one.shard, rest);
    else {
      desired.delete(config);
      configs.add(config);
      shards.add(one.shard);
    }
  }
  return { configs, shards };
}

/** The most bytes that the write of an entry and its overrides adds; replacing an existing key costs nothing. */
function growthOf(store: Store, config: ObjectKey, { ref, entry }: Desired): number {
  if (entry === undefined) return 0;
  const before = store.persisted.entryOf(ref);
  const key = store.persisted.entryKeyOf(ref);
  if (before?.digest === entry.digest) return 0;
  let bytes = before === undefined ? key.length + formatEntry(entry).length : 0;
  for (const [record, edge] of store.edgesOf(config)) {
    const { ref: workload } = record.workload;
    const isBehind = overrideFor(store, record, { config, entry, edge }) !== undefined;
    if (isBehind && store.persisted.overrideOf(workload, ref) === undefined)
      bytes += store.persisted.overridesKeyOf(workload).length + localEntryKeyOf(ref).length + BYTES_OF_VALUE;
  }
  return bytes;
}
