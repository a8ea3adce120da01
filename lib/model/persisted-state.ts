/** The parsed content of one ConfigMap of the state: the memory that survives the process. */

import {
  type Knows,
  LONGEST_KEY,
  namespaceIn,
  parseEntry,
  type StateEntry,
  type StateKey,
} from './state-entry.ts';
import type { Texts } from './text.ts';

/** The annotation with the version of the format; a state of Collaborne's reloader does not have it. */
export const STATE_VERSION_ANNOTATION = 'reloader.k8s.collaborne.com/state-version';

/** The version of the format that this program writes. */
export const STATE_VERSION = '1';

/** The annotation with the namespace to which keys without a prefix belong. @default that of the ConfigMap */
export const STATE_NAMESPACE_ANNOTATION = 'reloader.k8s.collaborne.com/state-namespace';

/** One ConfigMap of the state, or the Secret with the keys of its digests, at one version. */
export interface StateVersion {
  readonly resourceVersion: string;
  /** The values of a Secret are base64. */
  readonly data: Texts;
  readonly annotations: Texts;
}

/** A change of one of these by a merge patch: null removes a key. A conflict unless the object is at `resourceVersion`. */
export interface StateChange {
  readonly resourceVersion: string;
  readonly data: Readonly<Record<string, string | null>>;
  readonly annotations: Texts;
}

/** The records of objects, by key. */
export type Entries = ReadonlyMap<StateKey, StateEntry>;

/** The result of parsing. */
export type ParsedState =
  | {
      readonly type: 'state';
      readonly entries: Entries;
      /** Our keys whose values do not parse: treated as absent. */
      readonly unreadable: readonly StateKey[];
    }
  /** Written by a later version of this program, and not to be overwritten. */
  | { readonly type: 'unknown-version'; readonly version: string };

/**
 * The data of a state that was restored or copied from another namespace to `homeNamespace`: each key names the same object as
 * before. Entries whose key may end in a digest are left out, so that the content first observed is the baseline.
 */
export function rehomed(data: Texts, annotations: Texts, homeNamespace: string): Texts {
  const { [STATE_NAMESPACE_ANNOTATION]: from = homeNamespace } = annotations;
  if (from === homeNamespace) return data;
  const entries = Object.entries(data).flatMap(([key, value]) => {
    const namespace = namespaceIn(key, from);
    if (namespace === undefined) return [[key, value]];
    const bare = key.startsWith(`${namespace}_`) ? key.slice(namespace.length + 1) : key;
    const next = namespace === homeNamespace ? bare : `${namespace}_${bare}`;
    return Math.max(key.length, next.length) < LONGEST_KEY ? [[next, value]] : [];
  });
  return Object.fromEntries(entries);
}

/** Parses a state ConfigMap; keys that are not ours are ignored. */
export function parseState(
  data: Texts,
  annotations: Texts,
  homeNamespace: string,
  knows: Knows,
): ParsedState {
  const unknown = unknownVersionIn(annotations);
  if (unknown !== undefined) return { type: 'unknown-version', version: unknown };
  const entries = new Map<StateKey, StateEntry>();
  const unreadable: StateKey[] = [];
  for (const [key, value] of Object.entries(rehomed(data, annotations, homeNamespace))) {
    if (namespaceIn(key, homeNamespace) === undefined) continue;
    const entry = parseEntry(value, knows);
    if (entry === undefined) unreadable.push(key);
    else entries.set(key, entry);
  }
  return { type: 'state', entries, unreadable };
}

/** The version of a state that this program must not write; undefined if it may write. */
export function unknownVersionIn(annotations: Texts): string | undefined {
  const version = annotations[STATE_VERSION_ANNOTATION];
  return version === STATE_VERSION ? undefined : version;
}
