/** Indexes of objects and sets of keys, which are found by their own key or by that of the whole object. */

import { type ConfigKind, type ConfigRef, type ObjectKey, wholeKeyOf } from '../model/object-ref.ts';
import type { Entries } from '../model/persisted-state.ts';
import { configRefOf } from '../model/state-entry.ts';

/** The followed sets of keys by object: each set is followed like an object of its own. It keeps no object without one. */
export class ScopesIndex {
  readonly #scopes = new Map<ObjectKey, Map<ObjectKey, ConfigRef>>();

  /** The followed sets of keys of `whole`. */
  of(whole: ObjectKey): readonly ConfigRef[] {
    return [...(this.#scopes.get(whole)?.values() ?? [])];
  }

  /** The key of `whole`, and those of its followed sets of keys. */
  partsOf(whole: ObjectKey): readonly ObjectKey[] {
    return [whole, ...(this.#scopes.get(whole)?.keys() ?? [])];
  }

  /** Whether a set of keys of `whole` is followed. */
  hasOf(whole: ObjectKey): boolean {
    return this.#scopes.has(whole);
  }

  /** Adds `ref`, whose key is `key`. */
  set(key: ObjectKey, ref: ConfigRef): void {
    const whole = wholeKeyOf(key);
    const scopes = this.#scopes.get(whole) ?? new Map<ObjectKey, ConfigRef>();
    this.#scopes.set(whole, scopes.set(key, ref));
  }

  delete(key: ObjectKey): void {
    const whole = wholeKeyOf(key);
    const scopes = this.#scopes.get(whole);
    scopes?.delete(key);
    if (scopes?.size === 0) this.#scopes.delete(whole);
  }
}

/** See the file's comment. It keeps no namespace and kind without a name. */
export class NamesIndex {
  readonly #names = new Map<string, Set<string>>();

  /** The names of one kind in one namespace. */
  of(namespace: string, kind: ConfigKind): ReadonlySet<string> {
    return this.#names.get(placeOf(namespace, kind)) ?? NO_NAMES;
  }

  /** Records the name of `ref`. */
  add({ namespace, kind, name }: ConfigRef): void {
    const place = placeOf(namespace, kind);
    const names = this.#names.get(place) ?? new Set();
    this.#names.set(place, names.add(name));
  }

  /** Forgets the name of `ref`. */
  delete({ namespace, kind, name }: ConfigRef): void {
    const place = placeOf(namespace, kind);
    const names = this.#names.get(place);
    names?.delete(name);
    if (names?.size === 0) this.#names.delete(place);
  }
}

const NO_NAMES: ReadonlySet<string> = new Set();
const PARSED = new WeakMap<Entries, NamesIndex>();

/** The names of the objects with an entry in `entries`. Parsed once per state, which is immutable. */
export function namesOfEntries(entries: Entries, homeNamespace: string): NamesIndex {
  const known = PARSED.get(entries);
  if (known !== undefined) return known;
  const names = new NamesIndex();
  for (const key of entries.keys()) {
    const ref = configRefOf(key, homeNamespace);
    if (ref !== undefined) names.add(ref);
  }
  PARSED.set(entries, names);
  return names;
}

function placeOf(namespace: string, kind: ConfigKind): string {
  return [namespace, kind].join('/');
}
