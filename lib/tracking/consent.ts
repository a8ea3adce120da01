/**
 * Whether a workload may follow an object of another namespace: only while that object allows it. It then begins to follow the
 * object as if it named it from now on, and ceases to as if it named it no more.
 */

import { allows } from '../annotations/allow-from.ts';
import { type ConfigRef, configRefIn, keyOf, namespaceIn, type ObjectKey } from '../model/object-ref.ts';
import type { Workload } from '../model/workload.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';

/** `unknown`: the object was not seen yet. Of one that was deleted its last version counts. */
type Consent = 'given' | 'refused' | 'unknown';

/** Whether the object allows that workloads of `namespace` follow it, if they need that at all. */
export function consentOf(store: Store, namespace: string, ref: ConfigRef): Consent {
  if (!store.settings.vocabularies.needsConsent(namespace, ref)) return 'given';
  const record = store.configs.get(keyOf(ref));
  if (record?.lastDigest === undefined) return 'unknown';
  return allows(record.annotations, namespace) ? 'given' : 'refused';
}

/**
 * What a workload names: the objects that it may follow, and those that need consent, given or not. Of the first list
 * (`isAtStart`) it follows also what is not seen yet, if the state has an entry of it: that may have changed while no reloader
 * ran, and have allowed it all the time. Until it is seen it has no digest, so nothing is rolled for it.
 */
export function namedBy(
  store: Store,
  workload: Workload,
  isAtStart = false,
): { readonly refs: readonly ConfigRef[]; readonly elsewhere: readonly ConfigRef[] } {
  const { vocabularies } = store.settings;
  const { namespace } = workload.ref;
  const named = vocabularies.follows(workload, store.namesIn(namespace));
  const elsewhere = named.filter((ref) => vocabularies.needsConsent(namespace, ref));
  if (elsewhere.length === 0) return { refs: named, elsewhere };
  const edges = store.workloads.get(keyOf(workload.ref))?.edges;
  const mayFollow = (ref: ConfigRef): boolean => {
    const consent = consentOf(store, namespace, ref);
    if (consent !== 'unknown') return consent === 'given';
    return isAtStart ? store.persisted.entryOf(ref) !== undefined : edges?.has(keyOf(ref)) === true;
  };
  return { refs: named.filter(mayFollow), elsewhere };
}

/** The objects that the workload names and cannot follow now: they refuse it, do not exist, or are not seen yet. */
export function notAllowedTo(
  store: Store,
  { workload, elsewhere = [] }: WorkloadRecord,
): readonly ConfigRef[] {
  return elsewhere.filter((ref) => !isAllowed(store, workload.ref.namespace, ref));
}

/** Whether a workload names the object and cannot follow it now, see notAllowedTo. */
export function isRefusedToAny(store: Store, config: ObjectKey): boolean {
  const ref = configRefIn(config);
  for (const workload of store.namedElsewhere.dependentsOf(config))
    if (!isAllowed(store, namespaceIn(workload), ref)) return true;
  return false;
}

function isAllowed(store: Store, namespace: string, ref: ConfigRef): boolean {
  return consentOf(store, namespace, ref) === 'given' && store.configs.get(keyOf(ref))?.digest !== undefined;
}
