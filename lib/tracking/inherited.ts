/** The import of workloads that another reloader served until now: its stamps tell what the pods read last. */

import { inheritedStampsOf } from '../annotations/inherited-stamps.ts';
import { type ConfigRef, keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { isOutdatedOn, putEdge, wouldForget } from './edge-policy.ts';
import { nextEdge } from './edge-state.ts';
import { Effects } from './effects.ts';
import { isPartOfKnown } from './other-scopes.ts';

/** The edge of `ref` begins at a start: if the state says nothing of the object, an inherited stamp is to be compared with it. */
export function awaitComparison(store: Store, record: WorkloadRecord, ref: ConfigRef): void {
  if (store.persisted.entryOf(ref) !== undefined || isPartOfKnown(store, ref)) return;
  const config = keyOf(ref);
  if (inheritedStampsOf(record.workload, [config]).length === 0) return;
  record.uncompared = (record.uncompared ?? new Set()).add(config);
}

/** Whether the write of the first entry waits for a comparison. */
export function isUncompared(store: Store, config: ObjectKey): boolean {
  return store
    .edgesOf(config)
    .some(
      ([{ workload, uncompared }]) =>
        uncompared?.has(config) === true && store.isSelected(workload.ref.namespace),
    );
}

/** Objects are compared: the pods may run an earlier content of those `missed`; that of all others is the baseline. */
export function endComparison(
  store: Store,
  record: WorkloadRecord,
  compared: readonly ObjectKey[],
  missed: ReadonlySet<ObjectKey>,
): Effects {
  const effects = new Effects();
  const workload = record.workload.ref;
  for (const config of compared) {
    record.uncompared?.delete(config);
    const [edge, object] = [record.edges.get(config), store.configs.get(config)];
    if (edge === undefined || object === undefined) continue;
    const isMissed = missed.has(config);
    // If the content changed since it was listed, an equal stamp is of another content than the edge believes.
    const isDoubted = isMissed || isOutdatedOn(store, record, config, edge);
    const next = isDoubted ? putEdge(store, record, config, nextEdge(edge, { type: 'doubted' })) : edge;
    if (isMissed && isOutdatedOn(store, record, config, next)) {
      effects.note({ reason: 'missed-before', workload, config: object.ref });
      effects.enqueue(keyOf(workload), { type: 'changed', config });
    }
    effects.persist(config, wouldForget(store, record, object, next) ? 'now' : 'soon');
  }
  return effects;
}
