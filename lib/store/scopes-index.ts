/** The followed sets of keys by object: each set is followed like an object of its own. */

import type { ObjectKey } from '../model/object-ref.ts';
import { PartsIndex } from './parts-index.ts';

/** See the file's comment. */
export class ScopesIndex extends PartsIndex {
  readonly #keepsAll: boolean;
  /** The objects of which the state had entries of sets of keys at the start: these digests are needed for the comparison. */
  readonly recorded: Set<ObjectKey> = new Set();

  /** `keepsAll`: whether the keys of every object are digested one by one from the beginning. */
  constructor(keepsAll = false) {
    super();
    this.#keepsAll = keepsAll;
  }

  /** Whether the keys of `whole` have to be digested one by one. */
  wants(whole: ObjectKey): boolean {
    return this.#keepsAll || this.hasOf(whole) || this.recorded.has(whole);
  }
}
