/** The names of objects by namespace and kind, against which the expressions of workloads are matched. */

import type { ConfigKind, ConfigRef } from '../model/object-ref.ts';
import type { PersistedState } from '../model/persisted-state.ts';
import { configRefOf } from '../model/state-entry.ts';

/** See the file's comment. It keeps no namespace and kind without a name. */
export class NamesIndex {
  readonly #names = new Map<string, Set<string>>();

  /** The names of one kind in one namespace. */
  of(namespace: string, kind: ConfigKind): ReadonlySet<string> {
    return this.#names.get(placeOf(namespace, kind)) ?? NONE;
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

const NONE: ReadonlySet<string> = new Set();
const PARSED = new WeakMap<PersistedState, NamesIndex>();

/** The names of the objects with an entry in `state`. Parsed once per state, which is immutable. */
export function namesOfEntries(state: PersistedState, homeNamespace: string): NamesIndex {
  const known = PARSED.get(state);
  if (known !== undefined) return known;
  const names = new NamesIndex();
  for (const key of state.entries.keys()) {
    const ref = configRefOf(key, homeNamespace);
    if (ref !== undefined) names.add(ref);
  }
  PARSED.set(state, names);
  return names;
}

function placeOf(namespace: string, kind: ConfigKind): string {
  return [namespace, kind].join('/');
}
