/**
 * What a workload needs and what is known not to be there: pods that it started now would wait for it. Only where it is
 * rolled for keys, and of what it follows.
 */

import { missingKeysOf } from '../model/digest.ts';
import type { MissingObject } from '../model/finding.ts';
import { type ConfigRef, keyOf, type ObjectKey, SOURCE_KINDS, wholeOf } from '../model/object-ref.ts';
import type { Reference } from '../model/references.ts';
import { referenceOf } from '../model/workload.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';

type AbsenceOf = (config: ObjectKey) => MissingObject | undefined;

/** The objects that are missing, and the keys of those that are there. `absenceOf`: what was found out about an object. */
export function missingNeeds(
  store: Store,
  record: WorkloadRecord,
  missingObjectOf: AbsenceOf,
): readonly ConfigRef[] {
  if (!store.settings.vocabularies.isKeyScoped(record.workload.annotations)) return [];
  return [...record.edges.keys()].flatMap((config) => missingOf(store, record, config, missingObjectOf));
}

/** What is missing of one object that the workload follows. */
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

/** Of an object that is there. */
function missingKeys(store: Store, { ref, digest }: ConfigRecord, { read }: Reference): readonly ConfigRef[] {
  const whole = wholeOf(ref);
  const { keyDigests } = store.configs.get(keyOf(whole)) ?? {};
  if (digest === undefined || keyDigests === undefined || read === undefined) return [];
  const keys = missingKeysOf(keyDigests, read.needed);
  return keys.length === 0 ? [] : [{ ...whole, keys }];
}

/** An object that no stream shows may be there all the same: by its labels, or a Secret by its type. */
function isMissing(
  store: Store,
  { ref, digest, isUnread, lastDigest }: ConfigRecord,
  missingObject: MissingObject | undefined,
): boolean {
  if (digest !== undefined || isUnread === true || !store.presence.isAbsent(ref)) return false;
  if (store.isState(ref)) return false;
  if (missingObject !== undefined)
    return missingObject.leftOutType === undefined && !missingObject.isUnselected;
  const isShown = SOURCE_KINDS[ref.kind].ignoredTypes.length === 0 || lastDigest !== undefined;
  return !store.settings.isSelective && isShown;
}
