/**
 * Reads and keeps the Secret with the keys of the digests. A process digests under one key from its first object to its end: a
 * key that another one replaces ends the process, and the next one compares everything under the new key.
 */

import { type AlgorithmName, SHA1 } from '../model/digest.ts';
import type { Log } from '../model/log.ts';
import type { WriteResult } from '../model/outcome.ts';
import { algorithmsNamedIn } from '../model/state-entry.ts';
import type { AllShards, Failure, KeyClient, StateVersion } from '../store/state-client.ts';
import { currentIn, dataWith, type HeldKey, isKeyId, type Keyring, keysIn } from './keyring.ts';
import { failureOf } from './refusal.ts';

/** The annotation of the Secret that asks for a new key; its value does not matter. */
const ROTATE_ANNOTATION = 'reloader.k8s.collaborne.com/rotate-key';
/** The annotation of the Secret with the time at which the key in use was made, as RFC 3339. */
const CREATED_ANNOTATION = 'reloader.k8s.collaborne.com/key-created';

/** Beyond this number of keys no further one is made: each costs a digest of every followed object. */
const MOST_KEYS = 8;

/** The collaborators and settings. */
export interface DigestKeysOptions {
  readonly keyring: Keyring;
  /** Whether this process digests under a key, if it may; else with SHA-1. */
  readonly isKeyed: boolean;
  /** The age at which the leader replaces the key in use, in milliseconds; undefined: only on request. */
  readonly rotateAfterMs: number | undefined;
  /** In a dry run no new key is due: it would be in memory alone, and due again after the process that it ends. */
  readonly isDryRun: boolean;
  readonly newKey: () => HeldKey;
  readonly log: Log;
  /** Milliseconds of the epoch. */
  readonly now: () => number;
}

/** The result of reading the keys; `superseded`: the Secret has another key in use than this process. */
export type KeyReading = { readonly kind: 'read' } | { readonly kind: 'superseded' } | Failure;

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
   * algorithm is SHA-1. A process that has begun and knows every key that the state names goes on without an answer. Never
   * rejects.
   */
  async read(client: KeyClient, shards: AllShards, signal: AbortSignal): Promise<KeyReading> {
    const { keyring, isKeyed } = this.#options;
    const values = shards.flatMap((shard) => Object.values(shard?.data ?? {}));
    const named = [...algorithmsNamedIn(values)].filter(isKeyId);
    const areNamed = named.length > 0;
    if (!isKeyed && !areNamed) {
      keyring.begin(SHA1.name);
      return { kind: 'read' };
    }
    const held = await this.#held(client, signal);
    if (held.kind === 'failed') {
      // A standby that takes over needs no more than it knows.
      if (keyring.hasBegun && named.every((id) => keyring.named(id))) return { kind: 'read' };
      if (held.isForbidden !== true || areNamed || keyring.hasBegun) return held;
      this.#warn(`${held.message}; until it may, and this program is started again, digests are plain SHA-1`);
      keyring.begin(SHA1.name);
      return { kind: 'read' };
    }
    keyring.take(held.state.data);
    const current = currentIn(held.state.data);
    if (!isKeyed) keyring.begin(SHA1.name);
    else if (current !== undefined) keyring.begin(current);
    return { kind: this.#isSuperseded(current) ? 'superseded' : 'read' };
  }

  /** Reads the Secret again because the state names a key that is not known. */
  async readAgain(client: KeyClient): Promise<Failure | undefined> {
    const reading = await client.read();
    if (reading.kind === 'failed') return reading;
    if (reading.kind === 'found') this.#options.keyring.take(reading.state.data);
    return undefined;
  }

  /**
   * One look of a leader at the Secret: writes again what was removed from it, removes keys that are not `used` any more
   * (undefined: that is not known), and makes a new key when one is due. Answers whether another key is in use now. Never
   * rejects; what fails is done by the next look.
   */
  async look(client: KeyClient, used: ReadonlySet<AlgorithmName> | undefined): Promise<boolean> {
    const { keyring } = this.#options;
    if (this.#isUnkeyed()) return false;
    const reading = await client.read();
    if (reading.kind === 'failed') return this.#fail(reading.message);
    const result = reading.kind === 'found' ? reading.state : stateIn(await client.create());
    if ('kind' in result) return this.#fail(result.message);
    keyring.take(result.data);
    const current = currentIn(result.data);
    const unused = keyring.keys.filter(
      (id) => used !== undefined && !used.has(id) && id !== keyring.own.name && id !== current,
    );
    for (const id of unused) keyring.drop(id);
    const renewed = this.#isDue(result) ? this.#renewed() : undefined;
    const removed = Object.fromEntries(unused.map((id) => [id, null]));
    const data = { ...keyring.missingIn(result.data), ...removed, ...renewed?.data };
    const annotations = renewed?.annotations ?? this.#missingAge(result);
    if (Object.keys({ ...data, ...annotations }).length === 0) return this.#isSuperseded(current);
    const { resourceVersion } = result;
    const written = stateIn(await client.patch({ resourceVersion, data, annotations }));
    if ('kind' in written) return this.#fail(written.message);
    return this.#isSuperseded(currentIn(written.data));
  }

  /** The Secret with a key in use; a process that has no key yet creates what is missing. */
  async #held(
    client: KeyClient,
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'held'; readonly state: StateVersion } | Failure> {
    const reading = await client.read(signal);
    if (reading.kind === 'failed') return reading;
    const { keyring, isKeyed } = this.#options;
    let state = reading.kind === 'found' ? reading.state : undefined;
    const isLacking = state === undefined || currentIn(state.data) === undefined;
    if (isKeyed && isLacking && !keyring.hasBegun) {
      const created = state ?? stateIn(await client.create());
      if ('kind' in created) return created;
      const { data, annotations } = this.#renewed();
      const { resourceVersion } = created;
      const written = stateIn(await client.patch({ resourceVersion, data, annotations }));
      if ('kind' in written) return written;
      state = written;
    }
    return { kind: 'held', state: state ?? { resourceVersion: '', data: {}, annotations: {} } };
  }

  /** Whether this process digests without a key, or has not begun. */
  #isUnkeyed(): boolean {
    const { keyring } = this.#options;
    return !keyring.hasBegun || keyring.own === SHA1;
  }

  /** True also of a process that has begun without a key for want of the right to it: the Secret has one now. */
  #isSuperseded(current: AlgorithmName | undefined): boolean {
    const { keyring, isKeyed } = this.#options;
    return isKeyed && keyring.hasBegun && current !== undefined && current !== keyring.own.name;
  }

  #isDue({ data, annotations }: StateVersion): boolean {
    const { rotateAfterMs, isDryRun, now } = this.#options;
    const createdAt = Date.parse(annotations[CREATED_ANNOTATION] ?? '');
    const isOld = rotateAfterMs !== undefined && now() - createdAt >= rotateAfterMs;
    if (isDryRun || (annotations[ROTATE_ANNOTATION] === undefined && !isOld)) return false;
    if (keysIn(data).length < MOST_KEYS) return true;
    this.#warn(`no new key is made: ${MOST_KEYS} older ones are still in use`);
    return false;
  }

  /** The age of the key in use begins now if none can be read: another client removed it with the Secret, or wrote it. */
  #missingAge({ annotations }: StateVersion): Record<string, string> {
    const { rotateAfterMs, now } = this.#options;
    const isKnown = Date.parse(annotations[CREATED_ANNOTATION] ?? '') <= now();
    return rotateAfterMs === undefined || isKnown
      ? {}
      : { [CREATED_ANNOTATION]: new Date(now()).toISOString() };
  }

  #renewed(): { readonly data: Record<string, string>; readonly annotations: Record<string, string | null> } {
    const { newKey, now } = this.#options;
    const created = new Date(now()).toISOString();
    return {
      data: dataWith(newKey()),
      annotations: { [CREATED_ANNOTATION]: created, [ROTATE_ANNOTATION]: null },
    };
  }

  #fail(message: string): false {
    this.#warn(message);
    return false;
  }

  #warn(message: string): void {
    this.#options.log.warn(`the keys of the digests: ${message}`);
  }
}

function stateIn(result: WriteResult<StateVersion>): StateVersion | Failure {
  return result.kind === 'accepted' ? result.object : failureOf(result, 'the Secret cannot be written');
}
