/** The ConfigMaps that the state lies in: one, and what does not fit into it continues in others beside it. */

/** The state never lies in more ConfigMaps than this: a Role names each of them. */
const MOST_SHARDS = 10;

/** The names of all ConfigMaps that the state called `name` may ever lie in, the first one first: `<name>-1` to `<name>-9` follow it. */
export function shardNames(name: string): readonly string[] {
  return Array.from({ length: MOST_SHARDS }, (_, shard) => (shard === 0 ? name : `${name}-${shard}`));
}
