/** When the outdated workloads are rolled, grouped by object. */

import type { ObjectKey, WorkloadRef } from '../model/object-ref.ts';
import type { Store } from '../store/store.ts';
import type { Due } from './reporter.ts';

/** Windows that end so many ms apart are told of together. */
const TOGETHER_MS = 100;

/** Begins the window of every workload that was touched, by `touch`, which answers when it ends. By object, then by that. */
export function duesOf(
  store: Store,
  touched: ReadonlyMap<ObjectKey, ReadonlySet<ObjectKey>>,
  touch: (workload: ObjectKey, changes: number) => number,
): ReadonlyMap<ObjectKey, readonly Due[]> {
  const dues = new Map<ObjectKey, Map<number, { ms: number; refs: WorkloadRef[] }>>();
  for (const [workload, configs] of touched) {
    const ref = store.workloads.get(workload)?.workload.ref;
    if (ref === undefined) continue;
    const ms = touch(workload, configs.size);
    for (const config of configs) {
      const ofConfig = dues.get(config) ?? new Map();
      const moment = Math.round(ms / TOGETHER_MS);
      const due = ofConfig.get(moment) ?? { ms, refs: [] };
      due.refs.push(ref);
      dues.set(config, ofConfig.set(moment, due));
    }
  }
  return new Map([...dues].map(([config, ofConfig]) => [config, [...ofConfig.values()]]));
}
