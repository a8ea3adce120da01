/** The client of the state's shards, as the rules need it, and the reading of all shards at a start. */

import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { WriteResult } from '../model/outcome.ts';
import { MOST_SHARDS, shardNames, shardsToldBy } from '../model/shards.ts';

/** One shard at one version. */
export interface StateVersion {
  readonly resourceVersion: string;
  readonly data: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** See lastWriteOf. */
  readonly lastWrite?: number | undefined;
}

/** A failed read: the shard may exist or not. */
export interface Failure {
  readonly kind: 'failed';
  readonly message: string;
  readonly retryAfterMs?: number;
  /** The service account may not read it. */
  readonly isForbidden?: boolean;
}

/** Reads and writes the shards of the state, by their numbers from 0. Its methods never reject. */
export interface StateClient {
  /** Scheme and host of the API server, for log lines about failures. */
  readonly server?: string | undefined;
  readonly read: (
    shard: number,
    signal?: AbortSignal,
  ) => Promise<
    { readonly kind: 'found'; readonly state: StateVersion } | { readonly kind: 'absent' } | Failure
  >;
  /** Creates a shard without data; an existing one keeps its data. */
  readonly create: (shard: number) => Promise<WriteResult<StateVersion>>;
  /** A merge patch, null removes a key; a conflict unless the shard is at `resourceVersion`. */
  readonly patch: (
    shard: number,
    patch: {
      readonly resourceVersion: string;
      readonly data: Readonly<Record<string, string | null>>;
      readonly annotations: Readonly<Record<string, string>>;
    },
  ) => Promise<WriteResult<StateVersion>>;
}

/** All shards in order; undefined for one that does not exist. */
export type AllShards = readonly [StateVersion | undefined, ...(StateVersion | undefined)[]];

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
): Promise<{ readonly kind: 'read'; readonly shards: AllShards } | Failure> {
  const numbers = Array.from({ length: MOST_SHARDS }, (_, shard) => shard);
  const readings = await Promise.all(numbers.map((shard) => stateClient.read(shard, signal)));
  const announced = readings[0]?.kind === 'found' ? shardsToldBy(readings[0].state.annotations) : 1;
  for (const [shard, reading] of readings.entries()) {
    const isNone = reading.kind === 'failed' && reading.isForbidden === true && shard >= announced;
    if (reading.kind === 'failed' && !isNone) return reading;
  }
  const [first, ...further] = readings.map((reading) =>
    reading.kind === 'found' ? reading.state : undefined,
  );
  const found = further.findLastIndex((state) => state !== undefined) + 1;
  return { kind: 'read', shards: [first, ...further.slice(0, Math.max(found, announced - 1))] };
}
