/** The shards of the state: one ConfigMap, and further ones for entries that do not fit into it. */

/** The maximum number of shards: a Role names each of them. */
export const MOST_SHARDS = 10;

/** A new entry goes to the first shard whose keys and values stay below this size with it, in bytes. */
export const SHARD_BYTES = 262_144;

/**
 * Beyond this size, in bytes of keys and values, a shard accepts no commit of a change with outdated workloads. The API server
 * allows 1 MiB of values, and etcd a request of 1.5 MiB, in which each key stands twice, once in managedFields: with values of at
 * least 16 bytes that is never more than twice this size.
 */
export const FULL_BYTES = 786_432;

/** The annotation of the first shard with the number of shards; without it there is one. */
export const STATE_SHARDS_ANNOTATION = 'reloader.k8s.collaborne.com/state-shards';

/** The names of all shards that the state called `name` may ever have: it, then `<name>-1` to `<name>-9`. */
export function shardNames(name: string): readonly string[] {
  return Array.from({ length: MOST_SHARDS }, (_, shard) => (shard === 0 ? name : `${name}-${shard}`));
}

/** The number of shards by the annotations of the first one: 1 without the annotation, and if it is invalid. */
export function shardsToldBy(annotations: Readonly<Record<string, string>> | undefined): number {
  const text = annotations?.[STATE_SHARDS_ANNOTATION] ?? '';
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 1;
  return count >= 1 && count <= MOST_SHARDS ? count : 1;
}

/** The facts from which a shard is chosen. */
export interface Shelves {
  /** The bytes in each existing shard, in order. */
  readonly bytes: readonly number[];
  /** The maximum number of shards now. */
  readonly most: number;
  readonly limitBytes: number;
}

/**
 * Chooses shards for new entries, one after the other: the first with room for the given bytes, else a further one; at the
 * maximum number, the last one, even if it is full.
 */
export function placerFor({ bytes, most, limitBytes }: Shelves): (bytes: number) => number {
  const filled = [...bytes];
  return (size) => {
    const withRoom = filled.findIndex((used) => used + size <= limitBytes);
    const shard = withRoom >= 0 ? withRoom : Math.min(filled.length, most - 1);
    filled[shard] = (filled[shard] ?? 0) + size;
    return shard;
  };
}

/** The bytes of a shard's keys and values. */
export function sizeOf(data: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) bytes += key.length + value.length;
  return bytes;
}
