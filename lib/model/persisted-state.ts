/**
 * The parsed content of one ConfigMap of the state: the memory that survives the process.
 *
 * Kind overrides: the digest committed before, for workloads that could not be listed when the entry of an object was written. It
 * counts for each workload of that kind without an override of its own; such a workload gets mixed pods, since its pods may have
 * started with any content since.
 */

import type { RecordedDigest } from './edge.ts';
import type { ConfigRef, WorkloadRef } from './object-ref.ts';
import {
  KIND_IN_KEY,
  type Knows,
  type Overrides,
  overriddenKeyOf,
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

/** The override recorded for one edge. */
export function overrideOf(
  state: PersistedState,
  workload: StateKey,
  config: StateKey,
): RecordedDigest | undefined {
  return state.overrides.get(workload)?.[config];
}

function setIfDefined<T>(map: Map<StateKey, T>, key: StateKey, value: T | undefined): boolean {
  if (value === undefined) return false;
  map.set(key, value);
  return true;
}

/** The workloads of a kind override: of one kind, in one namespace or (undefined) in all. */
export interface KindScope {
  readonly kind: string;
  readonly namespace: string | undefined;
}

/** Takes the place of a workload's name in a key; unambiguous, since names have no capital letters. */
const IN_NAMESPACE = 'ALL';
const IN_ALL_NAMESPACES = 'EVERYWHERE';
const OVERRIDE_KEY = new RegExp(
  `^(?:(?<namespace>[a-z0-9-]+)_)?ran\\.(?<kind>${KIND_IN_KEY})_(?<scope>ALL|EVERYWHERE)$`,
);

/** The key in the state: `ran.<Kind>_ALL`, with the prefix of the namespace outside the home one, or `ran.<Kind>_EVERYWHERE`. */
export function kindOverrideKeyOf({ kind, namespace }: KindScope, homeNamespace: string): StateKey {
  const name = namespace === undefined ? IN_ALL_NAMESPACES : IN_NAMESPACE;
  return overridesKeyOf({ kind, namespace: namespace ?? homeNamespace, name }, homeNamespace);
}

/** The name of an object in the value under that key. */
export function keyUnderKind({ namespace }: KindScope, config: ConfigRef, homeNamespace: string): StateKey {
  return overriddenKeyOf(namespace ?? homeNamespace, config);
}

/** The workloads of a key; undefined if it is not that of a kind override. */
export function kindScopeOf(key: StateKey, homeNamespace: string): KindScope | undefined {
  const { namespace = homeNamespace, kind, scope } = OVERRIDE_KEY.exec(key)?.groups ?? {};
  if (kind === undefined) return undefined;
  return { kind, namespace: scope === IN_ALL_NAMESPACES ? undefined : namespace };
}

/** The kind override of `config` that applies to `workload`. */
export function kindOverrideOf(
  { overrides }: Pick<PersistedState, 'overrides'>,
  { kind, namespace }: WorkloadRef,
  config: ConfigRef,
  homeNamespace: string,
): RecordedDigest | undefined {
  for (const scope of [
    { kind, namespace },
    { kind, namespace: undefined },
  ]) {
    const runningDigest = overrides.get(kindOverrideKeyOf(scope, homeNamespace));
    const own = runningDigest?.[keyUnderKind(scope, config, homeNamespace)];
    if (own !== undefined) return own;
  }
  return undefined;
}

/** The recorded running digest of an edge, and whether it is a kind override, which applies without an override of the edge. */
export function recordedOf(
  state: PersistedState,
  workload: WorkloadRef,
  config: ConfigRef,
  homeNamespace: string,
): { readonly runningDigest: RecordedDigest | undefined; readonly isOfKind: boolean } {
  const key = overridesKeyOf(workload, homeNamespace);
  const own = overrideOf(state, key, overriddenKeyOf(workload.namespace, config));
  if (own !== undefined) return { runningDigest: own, isOfKind: false };
  const runningDigest = kindOverrideOf(state, workload, config, homeNamespace);
  return { runningDigest, isOfKind: runningDigest !== undefined };
}
