/**
 * Kind overrides: the digest committed before, for workloads that could not be listed when the entry of an object was written. It
 * counts for each workload of that kind without an override of its own; such a workload gets mixed pods, since its pods may have
 * started with any content since.
 */

import type { RunningDigest } from './edge.ts';
import type { ConfigRef, WorkloadRef } from './object-ref.ts';
import { overrideOf, type PersistedState } from './persisted-state.ts';
import { overriddenKeyOf, overridesKeyOf, type StateKey } from './state-entry.ts';

/** The workloads of a kind override: of one kind, in one namespace or (undefined) in all. */
export interface KindScope {
  readonly kind: string;
  readonly namespace: string | undefined;
}

/** Takes the place of a workload's name in a key; unambiguous, since names have no capital letters. */
const IN_NAMESPACE = 'ALL';
const IN_ALL_NAMESPACES = 'EVERYWHERE';
const OVERRIDE_KEY = /^(?:(?<namespace>[a-z0-9-]+)_)?ran\.(?<kind>[A-Za-z]+)_(?<scope>ALL|EVERYWHERE)$/;

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
): RunningDigest | undefined {
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
): { readonly runningDigest: RunningDigest | undefined; readonly isOfKind: boolean } {
  const key = overridesKeyOf(workload, homeNamespace);
  const own = overrideOf(state, key, overriddenKeyOf(workload.namespace, config));
  if (own !== undefined) return { runningDigest: own, isOfKind: false };
  const runningDigest = kindOverrideOf(state, workload, config, homeNamespace);
  return { runningDigest, isOfKind: runningDigest !== undefined };
}
