/** ConfigMaps in which a reloader keeps its state: to workloads they are not there. */

import type { ConfigObject } from '../model/config-object.ts';
import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { ConfigRecord, Edges } from './edges.ts';
import type { Effects } from './effects.ts';

type Present = Extract<InformerEvent<ConfigObject>, { type: 'present' }>;

/** The object is one from now on, in this version; to workloads it is not there. */
export function becomeState(edges: Edges, effects: Effects, { object, key, span }: Present): void {
  const record = edges.configRecordOf(object.ref, key);
  record.resourceVersion = object.resourceVersion;
  record.writtenAt = span.to;
  if (!record.isState) lookAgain(edges, effects, key);
  record.isState = true;
}

/** The object is gone: if it was one, it is missing now like any other. */
export function endState(edges: Edges, effects: Effects, record: ConfigRecord): void {
  if (record.isState) lookAgain(edges, effects, keyOf(record.ref));
  record.isState = false;
}

/** What was found out of the absence of an object, by those who name it, does not hold any more. */
function lookAgain(edges: Edges, effects: Effects, key: ObjectKey): void {
  for (const each of [key, ...edges.scopes.of(key).map(keyOf)]) {
    if (edges.dependents.dependentsOf(each).size === 0) continue;
    effects.returned.add(each);
    effects.absent.add(each);
  }
}
