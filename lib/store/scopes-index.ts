/** Of which objects only some keys are followed, and which: each such set of keys is followed like an object of its own. */

import { type ConfigRef, keyOf, type ObjectKey } from '../model/object-ref.ts';
import { PartsIndex } from './parts-index.ts';

/** An index from whole objects to the sets of their keys that are followed. */
export class ScopesIndex {
  readonly #keepsAll: boolean;
  /** The whole objects of which the state had entries of some keys at the start: what they were has to be compared. */
  readonly recorded: Set<ObjectKey> = new Set();
  readonly #scopes = new PartsIndex();

  /** `keepsAll`: the keys of every object are told apart from the beginning. */
  constructor(keepsAll = false) {
    this.#keepsAll = keepsAll;
  }

  /** What is followed of `whole`, besides all of it. */
  of(whole: ObjectKey): readonly ConfigRef[] {
    return this.#scopes.of(whole);
  }

  /** Whether the keys of `whole` have to be told apart. */
  wants(whole: ObjectKey): boolean {
    return this.#keepsAll || this.#scopes.hasOf(whole) || this.recorded.has(whole);
  }

  /** Records that `ref` is followed, which names keys. */
  add(ref: ConfigRef): void {
    this.#scopes.set(keyOf(ref), ref);
  }

  /** Forgets it. */
  delete(ref: ConfigRef): void {
    this.#scopes.delete(keyOf(ref));
  }
}
