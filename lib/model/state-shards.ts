/** The ConfigMaps that the state lies in: one, and what does not fit into it continues in others beside it. */

/** The state never lies in more ConfigMaps than this: a Role names each of them. */
export const MOST_SHARDS = 10;

/** A new entry goes to the first shard whose keys and values stay below this with it. */
export const SHARD_BYTES = 262_144;

/**
 * Beyond that many bytes of keys and values a ConfigMap takes no commit of what has workloads behind. The API server allows 1 MiB
 * of values, and etcd a request of 1.5 MiB, in which each key stands twice, since it has an owner: with values of 16 bytes
 * and more that is never more than twice this.
 */
export const FULL_BYTES = 786_432;

/** The annotation of the first shard that tells how many there are; without it there is one. */
export const STATE_SHARDS_ANNOTATION = 'reloader.k8s.collaborne.com/state-shards';

/** The names of all shards that the state called `name` may ever have: it, then `<name>-1` to `<name>-9`. */
export function shardNames(name: string): readonly string[] {
  return Array.from({ length: MOST_SHARDS }, (_, shard) => (shard === 0 ? name : `${name}-${shard}`));
}

/** How many shards there are by the annotations of the first one: 1 where it does not say, or says what cannot be. */
export function shardsToldBy(annotations: Readonly<Record<string, string>> | undefined): number {
  const text = annotations?.[STATE_SHARDS_ANNOTATION] ?? '';
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 1;
  return count >= 1 && count <= MOST_SHARDS ? count : 1;
}

/** What has to be known to choose a shard. */
export interface Shelves {
  /** The bytes in each shard that there is, the first one first. */
  readonly bytes: readonly number[];
  /** How many shards there may be at most now. */
  readonly most: number;
  readonly limitBytes: number;
}

/**
 * Chooses shards for new entries, one after the other: the first with room for so many bytes, else one more; where there
 * may be no more, the last one, full or not.
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
