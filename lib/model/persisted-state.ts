/** The parsed content of one ConfigMap of the state: the memory that survives the process. */

import type { Mark } from './edge.ts';
import type { ConfigRef, WorkloadRef } from './object-ref.ts';
import {
  type Knows,
  localEntryKeyOf,
  type Overrides,
  overridesKeyOf,
  parseEntry,
  parseOverrides,
  parseStateKey,
  type StateEntry,
  type StateKey,
} from './state-entry.ts';

/** The annotation with the version of the format; a state of Collaborne's reloader does not have it. */
export const STATE_VERSION_ANNOTATION = 'reloader.k8s.collaborne.com/state-version';

/** The version of the format that this program writes. */
export const STATE_VERSION = '1';

/** One ConfigMap of the state, or the Secret with the keys of its digests, at one version. */
export interface StateVersion {
  readonly resourceVersion: string;
  /** The values of a Secret are base64. */
  readonly data: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** See lastWriteOf. */
  readonly lastWrite?: number | undefined;
}

/** A change of one of these by a merge patch: null removes a key. A conflict unless the object is at `resourceVersion`. */
export interface StateChange {
  readonly resourceVersion: string;
  readonly data: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Entries and overrides, by key. */
export interface PersistedState {
  readonly entries: ReadonlyMap<StateKey, StateEntry>;
  readonly overrides: ReadonlyMap<StateKey, Overrides>;
}

/** The result of parsing. */
export type ParsedState =
  | {
      readonly type: 'state';
      readonly state: PersistedState;
      /** Our keys whose values do not parse: treated as absent. */
      readonly unreadable: readonly StateKey[];
    }
  /** Written by a later version of this program, and not to be overwritten. */
  | { readonly type: 'unknown-version'; readonly version: string };

/** An empty state. */
export const EMPTY_STATE: PersistedState = { entries: new Map(), overrides: new Map() };

/** Parses a state ConfigMap; keys that are not ours are ignored. */
export function parseState(
  data: Readonly<Record<string, string>>,
  annotations: Readonly<Record<string, string>>,
  homeNamespace: string,
  knows: Knows,
): ParsedState {
  const unknown = unknownVersionIn(annotations);
  if (unknown !== undefined) return { type: 'unknown-version', version: unknown };
  const entries = new Map<StateKey, StateEntry>();
  const overrides = new Map<StateKey, Overrides>();
  const unreadable: StateKey[] = [];
  for (const [key, value] of Object.entries(data)) {
    const parsedKey = parseStateKey(key, homeNamespace);
    if (parsedKey === undefined) continue;
    const isRead =
      parsedKey.type === 'entry'
        ? setIfDefined(entries, key, parseEntry(value, knows))
        : setIfDefined(overrides, key, parseOverrides(value));
    if (!isRead) unreadable.push(key);
  }
  return { type: 'state', state: { entries, overrides }, unreadable };
}

/** The version of a state that this program must not write; undefined if it may write. */
export function unknownVersionIn(annotations: Readonly<Record<string, string>>): string | undefined {
  const version = annotations[STATE_VERSION_ANNOTATION];
  return version === STATE_VERSION ? undefined : version;
}

function setIfDefined<T>(map: Map<StateKey, T>, key: StateKey, value: T | undefined): boolean {
  if (value === undefined) return false;
  map.set(key, value);
  return true;
}

/** The recorded running digest of an edge. */
export function recordedOf(
  state: PersistedState,
  workload: WorkloadRef,
  config: ConfigRef,
  homeNamespace: string,
): Mark | undefined {
  const overrides = state.overrides.get(overridesKeyOf(workload, homeNamespace));
  return overrides?.[localEntryKeyOf(config)];
}
