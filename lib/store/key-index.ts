/** Indexes from keys to several values, and values that are derived from immutable ones. */

import type { ObjectKey } from '../model/object-ref.ts';

/** The values of each key, in the order in which they were added. It keeps no key without one, so it does not grow with deleted objects. */
export class Index<K, V> {
  readonly #values = new Map<K, Set<V>>();

  /** The keys with at least one value. */
  keys(): Iterable<K> {
    return this.#values.keys();
  }

  /** The values of `key`. A live view: it changes with the index. */
  of(key: K): ReadonlySet<V> {
    return this.#values.get(key) ?? NONE;
  }

  /** The values of any of `keys`. */
  ofAny(keys: Iterable<K>): ReadonlySet<V> {
    return new Set([...keys].flatMap((key) => [...this.of(key)]));
  }

  /** Adds a value; idempotent. */
  add(key: K, value: V): void {
    const values = this.#values.get(key) ?? new Set();
    this.#values.set(key, values.add(value));
  }

  delete(key: K, value: V): void {
    const values = this.#values.get(key);
    values?.delete(value);
    if (values?.size === 0) this.#values.delete(key);
  }
}

const NONE: ReadonlySet<never> = new Set();

/** The key of the whole object of a set of its keys; `<namespace>/<kind>` of a whole object. */
export function parentOf(key: ObjectKey): string {
  return key.slice(0, key.lastIndexOf('/'));
}

/** `make`, called once for each `source`, which is immutable. */
export function once<S extends object, T>(make: (source: S) => T): (source: S) => T {
  const made = new WeakMap<S, T>();
  return (source) => {
    const result = made.get(source) ?? make(source);
    made.set(source, result);
    return result;
  };
}
