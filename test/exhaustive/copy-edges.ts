/** Copies the knowledge of a process, field by field, without knowing more of it than that its rules' values are immutable. */

import { Store } from '../../lib/store/store.ts';

const REBUILT = new Set(['settings', 'dependents', 'persisted']);

/** A copy of which nothing mutable is shared. */
export function copyEdges(store: Store): Store {
  const copy = new Store(store.settings);
  copyFields(store, copy);
  copyFields(store.persisted, copy.persisted);
  for (const [workload, record] of [...copy.workloads].sort(byKey)) {
    for (const config of record.edges.keys()) copy.dependents.add(config, workload);
  }
  return copy;
}

function copyFields(from: object, to: object): void {
  for (const [field, value] of Object.entries(from)) {
    if (!REBUILT.has(field)) Object.assign(to, { [field]: copyCollection(value) });
  }
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : 1;
}

function copyCollection(value: unknown): unknown {
  if (value instanceof Set) return new Set(value);
  if (!(value instanceof Map)) return value;
  return new Map([...value].map(([key, item]) => [key, copyRecord(item)]));
}

/** Records are mutable, and so are the maps and sets in them; what those hold is not. */
function copyRecord(record: unknown): unknown {
  if (typeof record !== 'object' || record === null) return record;
  const copy: Record<string, unknown> = { ...record };
  for (const [field, value] of Object.entries(copy)) {
    if (value instanceof Map) copy[field] = new Map(value);
    else if (value instanceof Set) copy[field] = new Set(value);
  }
  return copy;
}
