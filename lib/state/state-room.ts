/**
 * What of a plan has room in the ConfigMaps of the state. A commit records each workload that is behind, so it takes the more
 * the more of them there are; without room the object stays as it was committed last, and stamps that speak say the rest.
 */

import { isUncommitted, recordedDigest } from '../model/edge.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import { formatEntry, overriddenKeyOf, type StateKey } from '../model/state-entry.ts';
import type { Store } from '../store/store.ts';
import type { Desired, WriteGate } from './state-overrides.ts';

/** A digest in quotes, and what stands around it. */
const BYTES_OF_VALUE = 50;

/** What had no room. */
export interface NoRoom {
  readonly configs: ReadonlySet<ObjectKey>;
  readonly shards: ReadonlySet<number>;
}

/**
 * Takes from `desired` what its shard has no room for, by the upper bound of what it adds. `room`: how many bytes a shard may
 * grow by.
 */
export function takeOutWhatHasNoRoom(
  store: Store,
  desired: Map<ObjectKey, Desired>,
  { gate, room }: { readonly gate: WriteGate; readonly room: (shard: number) => number },
): NoRoom {
  const left = new Map<number, number>();
  const configs = new Set<ObjectKey>();
  const shards = new Set<number>();
  for (const [config, one] of [...desired]) {
    const bytes = growthOf(store, config, one, gate);
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

/** How many bytes the write of an entry adds at most: a key that is there already costs nothing. */
function growthOf(store: Store, config: ObjectKey, { ref, entry }: Desired, gate: WriteGate): number {
  if (entry === undefined) return 0;
  const before = store.persisted.entryOf(ref);
  const key = store.persisted.entryKeyOf(ref);
  if (before?.digest === entry.digest && before.sequence === entry.sequence) return 0;
  let bytes = before === undefined ? key.length + formatEntry(entry).length : 0;
  const add = (about: StateKey, local: StateKey): void => {
    bytes += about.length + local.length + BYTES_OF_VALUE;
  };
  for (const scope of before === undefined ? [] : gate.refused(ref.namespace)) add(scope.kind, key);
  for (const [{ workload }, edge] of store.edgesOf(config)) {
    const isBehind = recordedDigest(edge, false) !== entry.digest && !isUncommitted(edge.stamp, entry);
    if (!isBehind || store.persisted.overrideOf(workload.ref, ref) !== undefined) continue;
    add(store.persisted.overridesKeyOf(workload.ref), overriddenKeyOf(workload.ref.namespace, ref));
  }
  return bytes;
}
