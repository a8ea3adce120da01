/** The contents that ConfigMaps have had, and which of them a stamp or an entry of the state is of. */

import { type Algorithm, type AlgorithmName, algorithmOf, UNKEYED } from '../../lib/model/digest.ts';
import { keyedIn } from '../../lib/state/digest-keys.ts';

/** See the file's comment. A content is the value of the one key `key`; no ConfigMap has the same one twice. */
export class Contents {
  readonly #namespace: string;
  #key: Algorithm | undefined;
  readonly #had = new Map<string, string[]>();
  /** By name and algorithm, the digests of the first contents; made when they are asked for. */
  readonly #digests = new Map<string, string[]>();

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  /** Takes in the keys of the Secret beside the state. */
  takeKeys(data: Readonly<Record<string, string>>): void {
    this.#key ??= keyedIn(data);
  }

  /** The ConfigMap has, or may have, that content from now on. */
  add(name: string, content: string): void {
    this.#had.set(name, [...this.of(name), content]);
  }

  /** All of one ConfigMap, the first one included. */
  of(name: string): readonly string[] {
    return this.#had.get(name) ?? [];
  }

  /** Which content, from 0, a stamp or an entry is of, under the algorithm that it names; -1: none of them. */
  indexOf(name: string, stamp: string): number {
    const [digest = ''] = stamp.split('.', 1);
    const algorithm = algorithmOf(digest);
    return algorithm === undefined ? -1 : this.#digestsOf(name, algorithm).indexOf(digest);
  }

  #digestsOf(name: string, algorithmName: AlgorithmName): readonly string[] {
    const algorithm = algorithmName === this.#key?.name ? this.#key : UNKEYED.named(algorithmName);
    if (algorithm === undefined) return [];
    const key = `${name}/${algorithmName}`;
    const digests = this.#digests.get(key) ?? [];
    this.#digests.set(key, digests);
    const ref = { kind: 'ConfigMap', namespace: this.#namespace, name } as const;
    for (const content of this.of(name).slice(digests.length))
      digests.push(algorithm.digestOf(ref, { metadata: { name }, data: { key: content } }));
    return digests;
  }
}
