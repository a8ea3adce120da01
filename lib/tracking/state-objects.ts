/** ConfigMaps in which a reloader keeps its state: for workloads they count as missing. */

import type { ConfigObject } from '../model/config-object.ts';
import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { ConfigRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { Effects } from './effects.ts';

type Present = Extract<InformerEvent<ConfigObject>, { type: 'present' }>;

/** Records that the object holds a state, at this version. */
export function becomeState(store: Store, effects: Effects, { object, key, span }: Present): void {
  const record = store.configRecordOf(object.ref, key);
  record.resourceVersion = object.resourceVersion;
  record.writtenAt = span.to;
  if (record.isState !== true) lookAgain(store, effects, key);
  record.isState = true;
}

/** The object was deleted: if it held a state, it is now missing like any other. */
export function endState(store: Store, effects: Effects, record: ConfigRecord): void {
  if (record.isState !== true) return;
  lookAgain(store, effects, keyOf(record.ref));
  record.isState = false;
}

/** Has the probe look for the object again: its result about the missing object does not hold any more. */
function lookAgain(store: Store, effects: Effects, key: ObjectKey): void {
  for (const each of store.scopes.partsOf(key)) {
    if (store.dependents.dependentsOf(each).size === 0) continue;
    effects.report({ type: 'found', config: each });
    effects.report({ type: 'missing', config: each });
  }
}
