/** The keys of digests: in memory, and as the values of the Secret beside the state. */

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

/** The key of the Secret's data under which the id of the key in use stands. */
const CURRENT = 'current';

const ID = /^k[0-9a-f]{8}$/;
const BYTES = 32;

/** Whether digests under the algorithm need a key. */
export function isKeyId(name: AlgorithmName): boolean {
  return ID.test(name);
}

/** The well-formed keys in the Secret's data; all else is ignored. */
function keysIn(data: Readonly<Record<string, string>>): readonly HeldKey[] {
  return Object.entries(data)
    .filter(([id, value]) => isKeyId(id) && Buffer.from(value, 'base64').length === BYTES)
    .map(([id, value]) => ({ id, value }));
}

/** The id of the key in use by the Secret's data; undefined if the Secret does not have that key. */
export function currentIn(data: Readonly<Record<string, string>>): AlgorithmName | undefined {
  const current = Buffer.from(data[CURRENT] ?? '', 'base64').toString();
  return keysIn(data).find(({ id }) => id === current)?.id;
}

/** The Secret's data that make `key` the key in use. */
export function dataWith({ id, value }: HeldKey): Readonly<Record<string, string>> {
  return { [id]: value, [CURRENT]: Buffer.from(id).toString('base64') };
}

/** The keys of one process. No object may be digested before `begin`; from then on all digests are under one algorithm. */
export class Keyring implements Algorithms {
  readonly #keys = new Map<AlgorithmName, Algorithm>();
  #own: Algorithm | undefined;

  get own(): Algorithm {
    if (this.#own === undefined) throw new Error('an object was digested before the keys were read');
    return this.#own;
  }

  /** Whether the algorithm of this process is chosen. */
  get hasBegun(): boolean {
    return this.#own !== undefined;
  }

  /** The ids of all known keys. */
  keys: readonly AlgorithmName[] = [];

  readonly named = (name: AlgorithmName): Algorithm | undefined =>
    UNKEYED.named(name) ?? this.#keys.get(name);

  /** Chooses the algorithm of this process; the first choice counts. */
  begin(name: AlgorithmName): void {
    this.#own ??= this.named(name);
  }

  /** Adds the keys of the Secret; a known id keeps its key. */
  take(data: Readonly<Record<string, string>>): void {
    for (const { id, value } of keysIn(data))
      if (!this.#keys.has(id)) this.#keys.set(id, keyedAlgorithm(id, Buffer.from(value, 'base64')));
    this.keys = [...this.#keys.keys()];
  }
}
