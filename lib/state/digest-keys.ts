/** Reads the Secret with the key of the digests; the first process of an installation creates it. A process has one key until its end. */

import { SHA1 } from '../model/digest.ts';
import type { Log } from '../model/log.ts';
import type { FailedRead, WriteResult } from '../model/outcome.ts';
import type { StateVersion } from '../model/persisted-state.ts';
import { algorithmsNamedIn } from '../model/state-entry.ts';
import type { AllShards, KeyClient } from '../store/state-client.ts';
import { currentIn, dataWith, type HeldKey, isKeyId, type Keyring } from './keyring.ts';
import { failureOf } from './refusal.ts';

/** The collaborators and settings. */
export interface DigestKeysOptions {
  readonly keyring: Keyring;
  /** Whether this process digests under a key, if it may; else with SHA-1. */
  readonly isKeyed: boolean;
  readonly newKey: () => HeldKey;
  readonly log: Log;
}

/** An override that is tied to a stamp, whose digest may be under a key. */
const STAMP_OVERRIDE = /"\?\d/;

const UNREAD = 'the keys of the digests cannot be read, nothing is watched before they are';

/** See the file's comment. */
export class DigestKeys {
  readonly #options: DigestKeysOptions;

  constructor(options: DigestKeysOptions) {
    this.#options = options;
  }

  /** Whether the keys are known, so that objects can be digested. */
  get areKnown(): boolean {
    return this.#options.keyring.hasBegun;
  }

  /**
   * Makes one attempt to read the Secret, after `shards`, so that each key that these name is known if it exists. The first
   * attempt of a new installation makes the first key. Without the right to the Secret, and while the state names no key, the
   * algorithm is SHA-1. A process that has begun and knows every key that the state names goes on without an answer. The
   * result: the failure, if it failed. Never rejects.
   */
  async read(client: KeyClient, shards: AllShards, signal: AbortSignal): Promise<FailedRead | undefined> {
    const { keyring, isKeyed } = this.#options;
    const values = shards.flatMap((shard) => Object.values(shard?.data ?? {}));
    const named = [...algorithmsNamedIn(values)].filter(isKeyId);
    const areNamed = named.length > 0;
    if (!isKeyed && !areNamed && !values.some((value) => STAMP_OVERRIDE.test(value))) {
      keyring.begin(SHA1.name);
      return undefined;
    }
    const held = await this.#held(client, signal);
    if (held.kind === 'failed') {
      // A standby that takes over needs no more than it knows.
      if (keyring.hasBegun && named.every((id) => keyring.named(id))) return undefined;
      if (held.isForbidden !== true || areNamed || keyring.hasBegun)
        return { ...held, message: `${UNREAD}: ${held.message}` };
      this.#warn(`${held.message}; until it may, and this program is started again, digests are plain SHA-1`);
      keyring.begin(SHA1.name);
      return undefined;
    }
    keyring.take(held.state.data);
    const name = isKeyed ? currentIn(held.state.data) : SHA1.name;
    if (name !== undefined) keyring.begin(name);
    return undefined;
  }

  /** Reads the Secret again because the state names a key that is not known. */
  async readAgain(client: KeyClient): Promise<FailedRead | undefined> {
    const reading = await client.read();
    if (reading.kind === 'failed') return reading;
    if (reading.kind === 'found') this.#options.keyring.take(reading.object.data);
    return undefined;
  }

  /** The Secret with a key in use; a process that has no key yet creates what is missing. */
  async #held(
    client: KeyClient,
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'held'; readonly state: StateVersion } | FailedRead> {
    const reading = await client.read(signal);
    if (reading.kind === 'failed') return reading;
    const { keyring, isKeyed } = this.#options;
    let state = reading.kind === 'found' ? reading.object : undefined;
    const isLacking = state === undefined || currentIn(state.data) === undefined;
    if (isKeyed && isLacking && !keyring.hasBegun) {
      const created = state ?? stateIn(await client.create());
      if ('kind' in created) return created;
      const data = dataWith(this.#options.newKey());
      const { resourceVersion } = created;
      const written = stateIn(await client.patch({ resourceVersion, data, annotations: {} }));
      if ('kind' in written) return written;
      state = written;
    }
    return { kind: 'held', state: state ?? { resourceVersion: '', data: {}, annotations: {} } };
  }

  #warn(message: string): void {
    this.#options.log.warn(`the key of the digests: ${message}`);
  }
}

function stateIn(result: WriteResult<StateVersion>): StateVersion | FailedRead {
  return result.kind === 'accepted' ? result.object : failureOf(result, 'the Secret cannot be written');
}
