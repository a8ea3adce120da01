/** Of which objects only some keys are followed, and which: each such set of keys is followed like an object of its own. */

import { type ConfigRef, keyOf, type ObjectKey, wholeOf } from '../model/object-ref.ts';

/** An index from whole objects to the sets of their keys that are followed. It shrinks with its last entries. */
export class ScopesIndex {
  /** Whether it is known from the beginning that keys are followed: then those of every object are kept in mind. */
  keepsAll = false;
  /** The whole objects of which the state had entries of some keys at the start: what they were has to be compared. */
  readonly recorded: Set<ObjectKey> = new Set();
  readonly #scopes = new Map<ObjectKey, Map<ObjectKey, ConfigRef>>();

  /** What is followed of `whole`, besides all of it. */
  of(whole: ObjectKey): readonly ConfigRef[] {
    const scopes = this.#scopes.get(whole);
    return scopes === undefined ? NONE : [...scopes.values()];
  }

  /** Whether the keys of `whole` have to be told apart. */
  wants(whole: ObjectKey): boolean {
    return this.keepsAll || this.#scopes.has(whole) || this.recorded.has(whole);
  }

  /** Records that `ref` is followed, which names keys. */
  add(ref: ConfigRef): void {
    const whole = keyOf(wholeOf(ref));
    const scopes = this.#scopes.get(whole) ?? new Map<ObjectKey, ConfigRef>();
    this.#scopes.set(whole, scopes.set(keyOf(ref), ref));
  }

  /** Forgets it. */
  delete(ref: ConfigRef): void {
    const whole = keyOf(wholeOf(ref));
    const scopes = this.#scopes.get(whole);
    scopes?.delete(keyOf(ref));
    if (scopes?.size === 0) this.#scopes.delete(whole);
  }
}

const NONE: readonly ConfigRef[] = [];
