/** The key of digests: in memory, and in the Secret beside the state. */

import {
  type Algorithm,
  type AlgorithmName,
  type Algorithms,
  keyedAlgorithm,
  UNKEYED,
} from '../model/digest.ts';

/** A key as the Secret holds it: its id, and 32 bytes in base64. */
export interface HeldKey {
  readonly id: AlgorithmName;
  readonly value: string;
}

/** Where the Secret's data have the id of the key. */
const CURRENT = 'current';

const ID = /^k[0-9a-f]{8}$/;
const BYTES = 32;

/** Whether digests under the algorithm need a key. */
export function isKeyId(name: AlgorithmName): boolean {
  return ID.test(name);
}

/** The key in the Secret's data; undefined if they hold none that is well-formed. */
export function keyIn(data: Readonly<Record<string, string>>): HeldKey | undefined {
  const id = Buffer.from(data[CURRENT] ?? '', 'base64').toString();
  const value = data[id] ?? '';
  return isKeyId(id) && Buffer.from(value, 'base64').length === BYTES ? { id, value } : undefined;
}

/** The Secret's data that make `key` the key in use. */
export function dataWith({ id, value }: HeldKey): Readonly<Record<string, string>> {
  return { [id]: value, [CURRENT]: Buffer.from(id).toString('base64') };
}

/** The key of one process. No object may be digested before `begin`; from then on all digests are under one algorithm. */
export class Keyring implements Algorithms {
  #key: Algorithm | undefined;
  #own: Algorithm | undefined;

  get own(): Algorithm {
    if (this.#own === undefined) throw new Error('an object was digested before the key was read');
    return this.#own;
  }

  /** Whether the algorithm of this process is chosen. */
  get hasBegun(): boolean {
    return this.#own !== undefined;
  }

  /** The id of the key, if there is one. */
  get keys(): readonly AlgorithmName[] {
    return this.#key === undefined ? [] : [this.#key.name];
  }

  readonly named = (name: AlgorithmName): Algorithm | undefined =>
    UNKEYED.named(name) ?? (this.#key?.name === name ? this.#key : undefined);

  /** Chooses the algorithm of this process; the first choice counts. */
  begin(name: AlgorithmName): void {
    this.#own ??= this.named(name);
  }

  /** Takes the key of the Secret; the first one stays. */
  take(data: Readonly<Record<string, string>>): void {
    const { id, value } = keyIn(data) ?? {};
    if (id !== undefined) this.#key ??= keyedAlgorithm(id, Buffer.from(value ?? '', 'base64'));
  }
}
