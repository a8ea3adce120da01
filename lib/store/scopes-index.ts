/** The followed sets of keys by object: each set is followed like an object of its own. */

import { type ConfigRef, keyOf, type ObjectKey } from '../model/object-ref.ts';
import { PartsIndex } from './parts-index.ts';

/** See the file's comment. */
export class ScopesIndex {
  readonly #keepsAll: boolean;
  /** The objects of which the state had entries of sets of keys at the start: these digests are needed for the comparison. */
  readonly recorded: Set<ObjectKey> = new Set();
  readonly #scopes = new PartsIndex();

  /** `keepsAll`: whether the keys of every object are digested one by one from the beginning. */
  constructor(keepsAll = false) {
    this.#keepsAll = keepsAll;
  }

  /** The followed sets of keys of `whole`. */
  of(whole: ObjectKey): readonly ConfigRef[] {
    return this.#scopes.of(whole);
  }

  /** Whether the keys of `whole` have to be digested one by one. */
  wants(whole: ObjectKey): boolean {
    return this.#keepsAll || this.#scopes.hasOf(whole) || this.recorded.has(whole);
  }

  /** Records that `ref`, a set of keys, is followed. */
  add(ref: ConfigRef): void {
    this.#scopes.set(keyOf(ref), ref);
  }

  /** Forgets `ref`. */
  delete(ref: ConfigRef): void {
    this.#scopes.delete(keyOf(ref));
  }
}
