/** The client of the state's shards, as the rules need it, and the reading of all shards at a start. */

import { type ConfigRef, keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { FailedRead, Reading, WriteResult } from '../model/outcome.ts';
import type { StateChange, StateVersion } from '../model/persisted-state.ts';
import { MOST_SHARDS, shardNames, shardsToldBy } from '../model/shards.ts';

/** Reads and writes the Secret with the keys of the digests; its values are base64. Its methods never reject. */
export interface KeyClient {
  readonly read: (signal?: AbortSignal) => Promise<Reading<StateVersion>>;
  /** Creates the Secret without data; an existing one keeps its data. */
  readonly create: () => Promise<WriteResult<StateVersion>>;
  readonly patch: (change: StateChange) => Promise<WriteResult<StateVersion>>;
}

/** Reads and writes the shards of the state, by their numbers from 0. Its methods never reject. */
export interface StateClient {
  /** Scheme and host of the API server, for log lines about failures. */
  readonly server?: string | undefined;
  readonly read: (shard: number, signal?: AbortSignal) => Promise<Reading<StateVersion>>;
  /** Creates a shard without data; an existing one keeps its data. */
  readonly create: (shard: number) => Promise<WriteResult<StateVersion>>;
  readonly patch: (shard: number, change: StateChange) => Promise<WriteResult<StateVersion>>;
}

/** The state with the keys of its digests. */
export interface KeyedStateClient extends StateClient {
  readonly keys: KeyClient;
}

/** All shards in order; undefined for one that does not exist. */
export type AllShards = readonly [StateVersion | undefined, ...(StateVersion | undefined)[]];

/** The Secret with the keys of the digests, beside the state `name`. */
export function keySecretOf(name: string, namespace: string): ConfigRef {
  return { kind: 'Secret', namespace, name: `${name}-key` };
}

/** The keys of all ConfigMaps that may hold shards of the state `name`, existing or not. */
export function stateKeysOf(name: string, namespace: string): readonly ObjectKey[] {
  return shardNames(name).map((shard) => keyOf({ kind: 'ConfigMap', namespace, name: shard }));
}

/**
 * Reads all shards. The result ends with the last one that exists or that the first one announces; a missing one before that is
 * undefined. A shard that may not be read and is not announced counts as missing: the Role may name the first shard only.
 */
export async function readShards(
  stateClient: StateClient,
  signal?: AbortSignal,
): Promise<{ readonly kind: 'read'; readonly shards: AllShards } | FailedRead> {
  const numbers = Array.from({ length: MOST_SHARDS }, (_, shard) => shard);
  const readings = await Promise.all(numbers.map((shard) => stateClient.read(shard, signal)));
  const announced = readings[0]?.kind === 'found' ? shardsToldBy(readings[0].object.annotations) : 1;
  for (const [shard, reading] of readings.entries()) {
    const isNone = reading.kind === 'failed' && reading.isForbidden === true && shard >= announced;
    if (reading.kind === 'failed' && !isNone) return reading;
  }
  const [first, ...further] = readings.map((reading) =>
    reading.kind === 'found' ? reading.object : undefined,
  );
  const found = further.findLastIndex((state) => state !== undefined) + 1;
  return { kind: 'read', shards: [first, ...further.slice(0, Math.max(found, announced - 1))] };
}
