/** Where the state lies: what its keeper asks of the API server, and how all of it is read at a start. */

import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { WriteResult } from '../model/outcome.ts';
import { MOST_SHARDS, shardNames, shardsToldBy } from '../model/shards.ts';

/** One shard in one version. */
export interface StateVersion {
  readonly resourceVersion: string;
  readonly data: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** See lastWriteOf. */
  readonly lastWrite?: number | undefined;
}

/** Why something could not be read. */
export interface Failure {
  readonly kind: 'failed';
  readonly message: string;
  readonly retryAfterMs?: number;
  /** The service account may not read it. */
  readonly isForbidden?: boolean;
}

/** Knows how to read and write the shards of the state, by their numbers from 0. Never throws. */
export interface StateClient {
  /** Scheme and host of who keeps it, to be told where it cannot be read. */
  readonly server?: string | undefined;
  readonly read: (
    shard: number,
    signal?: AbortSignal,
  ) => Promise<
    { readonly kind: 'found'; readonly state: StateVersion } | { readonly kind: 'absent' } | Failure
  >;
  /** Creates it without data; one that is there keeps its data. */
  readonly create: (shard: number) => Promise<WriteResult<StateVersion>>;
  readonly patch: (
    shard: number,
    patch: {
      readonly resourceVersion: string;
      readonly data: Readonly<Record<string, string | null>>;
      readonly annotations: Readonly<Record<string, string>>;
    },
  ) => Promise<WriteResult<StateVersion>>;
}

/** All shards, the first one first; undefined for one that is not there. */
export type AllShards = readonly [StateVersion | undefined, ...(StateVersion | undefined)[]];

/** The keys of all ConfigMaps that the state called `name` may lie in. */
export function stateKeysOf(name: string, namespace: string): readonly ObjectKey[] {
  return shardNames(name).map((shard) => keyOf({ kind: 'ConfigMap', namespace, name: shard }));
}

/**
 * Reads all shards that there are. One that is missing between others, or that the first one tells of, is undefined. One that
 * may not be read, and that the first one does not name, counts as none: the rights may name the first shard alone.
 */
export async function readShards(
  stateClient: StateClient,
  signal?: AbortSignal,
): Promise<{ readonly kind: 'read'; readonly shards: AllShards } | Failure> {
  const numbers = Array.from({ length: MOST_SHARDS }, (_, shard) => shard);
  const readings = await Promise.all(numbers.map((shard) => stateClient.read(shard, signal)));
  const told = readings[0]?.kind === 'found' ? shardsToldBy(readings[0].state.annotations) : 1;
  for (const [shard, reading] of readings.entries()) {
    const isNone = reading.kind === 'failed' && reading.isForbidden === true && shard >= told;
    if (reading.kind === 'failed' && !isNone) return reading;
  }
  const [first, ...further] = readings.map((reading) =>
    reading.kind === 'found' ? reading.state : undefined,
  );
  const found = further.findLastIndex((state) => state !== undefined) + 1;
  return { kind: 'read', shards: [first, ...further.slice(0, Math.max(found, told - 1))] };
}
