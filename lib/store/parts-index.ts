/** Objects and sets of keys of objects, found by themselves or with all that belongs to the same whole object. */

import { type ConfigRef, type ObjectKey, wholeKeyOf } from '../model/object-ref.ts';

/** An index from whole objects to what is kept of each. It shrinks with its last entries. */
export class PartsIndex {
  readonly #parts = new Map<ObjectKey, Map<ObjectKey, ConfigRef>>();

  get isEmpty(): boolean {
    return this.#parts.size === 0;
  }

  /** All that is kept of `whole`, itself included. */
  of(whole: ObjectKey): readonly ConfigRef[] {
    const parts = this.#parts.get(whole);
    return parts === undefined ? NONE : [...parts.values()];
  }

  /** Whether anything is kept of `whole`. */
  hasOf(whole: ObjectKey): boolean {
    return this.#parts.has(whole);
  }

  get(key: ObjectKey): ConfigRef | undefined {
    return this.#parts.get(wholeKeyOf(key))?.get(key);
  }

  has(key: ObjectKey): boolean {
    return this.get(key) !== undefined;
  }

  /** Keeps `ref`, whose key is `key`. */
  set(key: ObjectKey, ref: ConfigRef): void {
    const whole = wholeKeyOf(key);
    const parts = this.#parts.get(whole) ?? new Map<ObjectKey, ConfigRef>();
    this.#parts.set(whole, parts.set(key, ref));
  }

  delete(key: ObjectKey): void {
    const whole = wholeKeyOf(key);
    const parts = this.#parts.get(whole);
    parts?.delete(key);
    if (parts?.size === 0) this.#parts.delete(whole);
  }

  /** The keys of all that is kept. */
  *keys(): IterableIterator<ObjectKey> {
    for (const parts of this.#parts.values()) yield* parts.keys();
  }
}

const NONE: readonly ConfigRef[] = [];
