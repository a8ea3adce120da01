/** The state as it is persisted, read by a person: without the keys of its digests, and without the cluster that it is about. */

import { stateClientOf } from '../../app/clients.ts';
import type { Send } from '../../kubernetes/transport.ts';
import { ABSENT, algorithmOf, type Digest, SHA1, shortDigest } from '../../model/digest.ts';
import { type ConfigRef, describe, keyOf, wholeOf } from '../../model/object-ref.ts';
import { EMPTY_STATE, type PersistedState, parseState } from '../../model/persisted-state.ts';
import { type ShardedState, shardNames, together } from '../../model/shards.ts';
import { configRefOf, parseStateKey, type StateKey } from '../../model/state-entry.ts';
import type { Refusal } from '../../state/refusal.ts';
import {
  type AllShards,
  type KeyedStateClient,
  readShards,
  type StateVersion,
} from '../../store/state-client.ts';
import { CommandError } from '../connect.ts';
import { type InstalledReloader, unreachable } from '../installed-reloader.ts';

/** One ConfigMap of the state. */
export interface StoredPart {
  readonly name: string;
  /** Undefined: it does not exist, although the first one announces it. */
  readonly version: StateVersion | undefined;
  readonly state: PersistedState;
  /** The keys of ours whose values do not parse. */
  readonly unreadable: readonly StateKey[];
}

/** The state, and the client that writes it with the person's rights. */
export interface StoredState {
  readonly client: KeyedStateClient;
  /** The namespace of the state, whose objects have no prefix in its keys. */
  readonly home: string;
  /** As they were read, for programs. */
  readonly shards: AllShards;
  readonly parts: readonly StoredPart[];
  readonly all: ShardedState;
}

/** @throws CommandError if it cannot be read, or is of a later version of this program */
export async function storedState(
  send: Send,
  { options, place }: Pick<InstalledReloader, 'options' | 'place'>,
): Promise<StoredState> {
  const client = stateClientOf({ send, options: { ...options, dryRun: false }, place });
  const home = place.stateNamespace;
  const names = shardNames(options.stateConfigMap);
  const reading = await readShards(client);
  if (reading.kind === 'failed') {
    if (reading.isForbidden !== true) throw unreachable(reading);
    throw new CommandError(`you may not read the state, ConfigMap/${names[0]} in ${home}`);
  }
  const parts = reading.shards.map((version, shard) =>
    partOf(names[shard] ?? '', version, home, shard === 0),
  );
  const all = together(
    parts.map(({ state }) => state),
    home,
  );
  return { client, home, shards: reading.shards, parts, all };
}

function partOf(name: string, version: StateVersion | undefined, home: string, isFirst: boolean): StoredPart {
  if (version === undefined) return { name, version, state: EMPTY_STATE, unreadable: [] };
  const parsed = parseState(version.data, version.annotations, home, () => true, isFirst);
  if (parsed.type === 'state') return { name, version, ...parsed };
  throw new CommandError(
    `ConfigMap/${name} in ${home} is of version ${parsed.version}, which a later version of this program writes: use that one`,
  );
}

/** @throws CommandError if no state is there */
export function existing(stored: StoredState): StoredState {
  const { parts, home } = stored;
  if (parts.some(({ version }) => version !== undefined)) return stored;
  throw new CommandError(`there is no state: ConfigMap/${parts[0]?.name} in ${home} does not exist`);
}

/** Why a write of a person was refused. */
export function refusedText(refusal: Refusal): string {
  return 'message' in refusal ? refusal.message : 'another client wrote it meanwhile';
}

/** The object, or the workload, of a key for people; a key over the limit of Kubernetes ends in a digest and stays as it is. */
export function namedBy(ref: Parameters<typeof describe>[0] | undefined, key: StateKey): string {
  return ref === undefined ? key : describe(ref);
}

/** The namespace that a key of the state is about. */
export function namespaceOfKey(key: StateKey, home: string): string {
  return parseStateKey(key, home)?.namespace ?? home;
}

/** Whether the key is of the entry of an object, or of some of its keys. */
export function isEntryOf(key: StateKey, object: ConfigRef, home: string): boolean {
  const ref = configRefOf(key, home);
  return ref !== undefined && keyOf(wholeOf(ref)) === keyOf(object);
}

/** A digest for people, and how it was made if not with the usual algorithm. */
export function digestText(digest: Digest | undefined): string {
  if (digest === undefined) return 'unknown';
  if (digest === ABSENT) return 'absent';
  const algorithm = algorithmOf(digest);
  const by = algorithm === undefined || algorithm === SHA1.name ? '' : ` (${algorithm})`;
  return `${shortDigest(digest)}${by}`;
}
