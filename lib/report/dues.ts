/**
 * Groups the windows of changed workloads by object and end, so that one log line reports many workloads that are rolled
 * together.
 */

import type { ObjectKey, WorkloadRef } from '../model/object-ref.ts';
import type { Store } from '../store/store.ts';
import type { Due } from './reporter.ts';

/** Windows that end within so many ms of each other are reported together. */
const TOGETHER_MS = 100;

/**
 * Calls `touch` once for each workload in `touched`, with the number of its changed objects; it answers in how many ms the
 * workload is rolled. The result: by object, one `Due` for each end of windows.
 */
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
