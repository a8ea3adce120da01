/** The key of the digests: in memory, and in the Secret beside the state, which the first process of an installation creates. */

import {
  type Algorithm,
  type AlgorithmName,
  type Algorithms,
  keyedAlgorithm,
  SHA1,
  UNKEYED,
} from '../model/digest.ts';
import type { Log } from '../model/log.ts';
import type { FailedRead, WriteResult } from '../model/outcome.ts';
import type { StateVersion } from '../model/persisted-state.ts';
import { algorithmsNamedIn } from '../model/state-entry.ts';
import type { AllShards, KeyClient } from '../store/state-client.ts';
import { failureOf } from './refusal.ts';

/** A key as the Secret holds it: its id, and 32 bytes in base64. */
export interface HeldKey {
  readonly id: AlgorithmName;
  readonly value: string;
}

/** The collaborators and settings. */
export interface DigestKeysOptions {
  /** Whether this process digests under a key, if it may; else with SHA-1. */
  readonly isKeyed: boolean;
  readonly newKey: () => HeldKey;
  readonly log: Log;
}

/** Where the Secret's data have the id of the key. */
const CURRENT = 'current';
const ID = /^k[0-9a-f]{8}$/;
const BYTES = 32;
const UNREAD = 'cannot read the digest keys; nothing is watched until they are read';

/** The algorithm under the key in the Secret's data; undefined if they hold none that is well-formed. */
export function keyedIn(data: Readonly<Record<string, string>>): Algorithm | undefined {
  const id = Buffer.from(data[CURRENT] ?? '', 'base64').toString();
  const key = Buffer.from(data[id] ?? '', 'base64');
  return ID.test(id) && key.length === BYTES ? keyedAlgorithm(id, key) : undefined;
}

/** See the file's comment. A process has one key, and digests under one algorithm, until its end. */
export class DigestKeys implements Algorithms {
  readonly #options: DigestKeysOptions;
  #key: Algorithm | undefined;
  #own: Algorithm | undefined;
  /** Whether the Secret has another key than this process by now: what it wrote, no later process could read. */
  isReplaced = false;

  constructor(options: DigestKeysOptions) {
    this.#options = options;
  }

  get own(): Algorithm {
    if (this.#own === undefined) throw new Error('an object was digested before the key was read');
    return this.#own;
  }

  /** Whether the algorithm of this process is chosen, so that objects can be digested. */
  get areKnown(): boolean {
    return this.#own !== undefined;
  }

  get keys(): readonly AlgorithmName[] {
    return this.#key === undefined ? [] : [this.#key.name];
  }

  readonly named = (name: AlgorithmName): Algorithm | undefined =>
    UNKEYED.named(name) ?? (this.#key?.name === name ? this.#key : undefined);

  /**
   * Makes one attempt to read the Secret, once the state, `shards`, is known. The first attempt of a new installation makes the
   * key. Without the right to the Secret, and while the state names no key, the algorithm is SHA-1. A process that has begun reads
   * it only if the state names a key that it does not have. The result: the failure, if it failed. Never rejects.
   */
  async read(client: KeyClient, shards: AllShards, signal: AbortSignal): Promise<FailedRead | undefined> {
    const { isKeyed, log } = this.#options;
    const values = shards.flatMap((shard) => Object.values(shard?.data ?? {}));
    const named = [...algorithmsNamedIn(values)].filter((name) => ID.test(name));
    if (this.areKnown && named.every((id) => this.#key?.name === id)) return undefined;
    const isNeeded = isKeyed || named.length > 0;
    const held = isNeeded ? await this.#held(client, signal) : { data: {} };
    if ('data' in held) {
      const found = keyedIn(held.data);
      this.#key ??= found;
      this.isReplaced = found !== undefined && found.name !== this.#key?.name;
      this.#own ??= isKeyed ? this.#key : SHA1;
      return undefined;
    }
    if (!held.isForbidden || named.length > 0) return { ...held, message: `${UNREAD}: ${held.message}` };
    log.warn(`cannot use the digest key: ${held.message}; digests are plain SHA-1 until the next start`);
    this.#own ??= SHA1;
    return undefined;
  }

  /** The Secret with its key; a process that is to digest under one creates what is missing. */
  async #held(client: KeyClient, signal: AbortSignal): Promise<Pick<StateVersion, 'data'> | FailedRead> {
    const reading = await client.read(signal);
    if (reading.kind === 'failed') return reading;
    const { isKeyed, newKey } = this.#options;
    const found = reading.kind === 'found' ? reading.object : undefined;
    if (!isKeyed || this.areKnown || keyedIn(found?.data ?? {}) !== undefined) return found ?? { data: {} };
    const created = found ?? stateIn(await client.create());
    if ('kind' in created) return created;
    const { resourceVersion } = created;
    const { id, value } = newKey();
    const data = { [id]: value, [CURRENT]: Buffer.from(id).toString('base64') };
    return stateIn(await client.patch({ resourceVersion, data, annotations: {} }));
  }
}

function stateIn(result: WriteResult<StateVersion>): StateVersion | FailedRead {
  return result.kind === 'accepted' ? result.object : failureOf(result, 'the Secret cannot be written');
}
