/** Copies the knowledge of a process, field by field, without knowing more of it than that its rules' values are immutable. */

import { Edges } from '../../lib/tracking/edges.ts';

const REBUILT = new Set(['vocabularies', 'homeNamespace', 'dependents']);

/** A copy of which nothing mutable is shared. */
export function copyEdges(edges: Edges): Edges {
  const copy = new Edges(edges.vocabularies, edges.homeNamespace);
  const target = copy as unknown as Record<string, unknown>;
  for (const [field, value] of Object.entries(edges)) {
    if (!REBUILT.has(field)) target[field] = field === 'state' ? value : copyCollection(value);
  }
  for (const [workload, record] of [...copy.workloads].sort(byKey)) {
    for (const config of record.edges.keys()) copy.dependents.add(workload, config);
  }
  return copy;
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
