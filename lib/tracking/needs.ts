/**
 * The missing dependencies of a workload: objects and keys that it follows, without which new pods would not start. A rollout
 * waits for them. Only for workloads that are rolled for keys.
 */

import { missingKeysOf } from '../model/digest.ts';
import type { MissingObject } from '../model/finding.ts';
import {
  type ConfigRef,
  isMountedKind,
  keyOf,
  type ObjectKey,
  SOURCE_KINDS,
  wholeOf,
} from '../model/object-ref.ts';
import type { Reference } from '../model/references.ts';
import { referenceOf } from '../model/workload.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';

type AbsenceOf = (config: ObjectKey) => MissingObject | undefined;

/** The missing objects, and the missing keys of existing ones. `missingObjectOf`: the result of the probe for an object. */
export function missingNeeds(
  store: Store,
  record: WorkloadRecord,
  missingObjectOf: AbsenceOf,
): readonly ConfigRef[] {
  if (!store.settings.vocabularies.isKeyScoped(record.workload.annotations)) return [];
  return [...record.edges.keys()].flatMap((config) => missingOf(store, record, config, missingObjectOf));
}

/** The missing dependencies among one followed object and its keys. */
function missingOf(
  store: Store,
  { workload }: WorkloadRecord,
  config: ObjectKey,
  missingObjectOf: AbsenceOf,
): readonly ConfigRef[] {
  const record = store.configs.get(config);
  const reference = record && referenceOf(workload, record.ref);
  if (record === undefined || reference === undefined) return [];
  if (!isMissing(store, record, missingObjectOf(config))) return missingKeys(store, record, reference);
  return reference.isOptional ? [] : [wholeOf(record.ref)];
}

/** The missing keys of an existing object. */
function missingKeys(store: Store, { ref, digest }: ConfigRecord, { read }: Reference): readonly ConfigRef[] {
  const whole = wholeOf(ref);
  const { keyDigests } = store.configs.get(keyOf(whole)) ?? {};
  if (digest === undefined || keyDigests === undefined || read === undefined) return [];
  const keys = missingKeysOf(keyDigests, read.needed);
  return keys.length === 0 ? [] : [{ ...whole, keys }];
}

/**
 * Whether the object is known not to exist. One that no stream shows may exist all the same, with other labels or a type of
 * Secret that is not watched.
 */
function isMissing(
  store: Store,
  { ref, digest, isUnread, lastDigest }: ConfigRecord,
  missingObject: MissingObject | undefined,
): boolean {
  if (digest !== undefined || isUnread === true || !store.presence.isAbsent(ref)) return false;
  if (store.isState(ref) || isMountedKind(ref.kind)) return false;
  if (missingObject !== undefined)
    return missingObject.leftOutType === undefined && !missingObject.isUnselected;
  const isShown = SOURCE_KINDS[ref.kind].ignoredTypes.length === 0 || lastDigest !== undefined;
  return !store.settings.isSelective && isShown;
}
