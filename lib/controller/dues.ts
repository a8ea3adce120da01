/** When the workloads are rolled that owe something, told by object. */

import type { ObjectKey, WorkloadRef } from '../model/object-ref.ts';
import type { Edges } from './edges.ts';
import type { Due } from './reporter.ts';

/** Begins the window of every workload that was touched, by `touch`, which answers when it ends. */
export function duesOf(
  edges: Edges,
  touched: ReadonlyMap<ObjectKey, ReadonlySet<ObjectKey>>,
  touch: (workload: ObjectKey, changes: number) => number,
): ReadonlyMap<ObjectKey, Due> {
  const dues = new Map<ObjectKey, { ms: number; refs: WorkloadRef[] }>();
  for (const [workload, configs] of touched) {
    const ref = edges.workloads.get(workload)?.workload.ref;
    if (ref === undefined) continue;
    const ms = touch(workload, configs.size);
    for (const config of configs) {
      const line = dues.get(config) ?? { ms, refs: [] };
      line.refs.push(ref);
      dues.set(config, line);
    }
  }
  return dues;
}
