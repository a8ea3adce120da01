/** Reads the Secret with the key of the digests; the first process of an installation creates it. A process has one key until its end. */

import { SHA1 } from '../model/digest.ts';
import type { Log } from '../model/log.ts';
import type { FailedRead, WriteResult } from '../model/outcome.ts';
import type { StateVersion } from '../model/persisted-state.ts';
import { algorithmsNamedIn } from '../model/state-entry.ts';
import type { AllShards, KeyClient } from '../store/state-client.ts';
import { dataWith, type HeldKey, isKeyId, type Keyring, keyIn } from './keyring.ts';
import { failureOf } from './refusal.ts';

/** The collaborators and settings. */
export interface DigestKeysOptions {
  readonly keyring: Keyring;
  /** Whether this process digests under a key, if it may; else with SHA-1. */
  readonly isKeyed: boolean;
  readonly newKey: () => HeldKey;
  readonly log: Log;
}

const UNREAD = 'cannot read the digest keys; nothing is watched until they are read';

/** See the file's comment. */
export class DigestKeys {
  readonly #options: DigestKeysOptions;
  /** Whether the Secret has another key than this process by now: what it wrote, no later process could read. */
  isReplaced = false;

  constructor(options: DigestKeysOptions) {
    this.#options = options;
  }

  /** Whether the keys are known, so that objects can be digested. */
  get areKnown(): boolean {
    return this.#options.keyring.hasBegun;
  }

  /**
   * Makes one attempt to read the Secret, once the state, `shards`, is known. The first attempt of a new installation makes the
   * key. Without the right to the Secret, and while the state names no key, the algorithm is SHA-1. A process that has begun reads
   * it only if the state names a key that it does not have. The result: the failure, if it failed. Never rejects.
   */
  async read(client: KeyClient, shards: AllShards, signal: AbortSignal): Promise<FailedRead | undefined> {
    const { keyring, isKeyed, log } = this.#options;
    const values = shards.flatMap((shard) => Object.values(shard?.data ?? {}));
    const named = [...algorithmsNamedIn(values)].filter(isKeyId);
    if (keyring.hasBegun && named.every((id) => keyring.keys.includes(id))) return undefined;
    if (!isKeyed && named.length === 0) {
      keyring.begin(SHA1.name);
      return undefined;
    }
    const held = await this.#held(client, signal);
    if ('kind' in held) {
      if (!held.isForbidden || named.length > 0) return { ...held, message: `${UNREAD}: ${held.message}` };
      log.warn(`cannot use the digest key: ${held.message}; digests are plain SHA-1 until the next start`);
      keyring.begin(SHA1.name);
      return undefined;
    }
    keyring.take(held.data);
    const [key = ''] = keyring.keys;
    this.isReplaced = key !== (keyIn(held.data)?.id ?? key);
    keyring.begin(isKeyed ? key : SHA1.name);
    return undefined;
  }

  /** The Secret with its key; a process that is to digest under one creates what is missing. */
  async #held(client: KeyClient, signal: AbortSignal): Promise<Pick<StateVersion, 'data'> | FailedRead> {
    const reading = await client.read(signal);
    if (reading.kind === 'failed') return reading;
    const { keyring, isKeyed, newKey } = this.#options;
    const found = reading.kind === 'found' ? reading.object : undefined;
    if (!isKeyed || keyring.hasBegun || (found !== undefined && keyIn(found.data) !== undefined))
      return found ?? { data: {} };
    const created = found ?? stateIn(await client.create());
    if ('kind' in created) return created;
    const { resourceVersion } = created;
    return stateIn(await client.patch({ resourceVersion, data: dataWith(newKey()), annotations: {} }));
  }
}

function stateIn(result: WriteResult<StateVersion>): StateVersion | FailedRead {
  return result.kind === 'accepted' ? result.object : failureOf(result, 'the Secret cannot be written');
}
