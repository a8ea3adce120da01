/**
 * Remembers for a minute that an edge was out of date when it ended. If the edge returns within that time (an opt-in that was
 * removed for a moment, a workload recreated under its name with its old pods), it is still out of date. After that time an
 * opt-in is a new edge, and no workload is rolled for a new edge.
 */

import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { Workload } from '../model/workload.ts';
import type { Store } from '../store/store.ts';

/** How long it is remembered. */
const GRACE_MS = 60_000;

/** Remembers that the edge of `workload` and `config` was out of date when it ended; forgets expired ones. */
export function rememberDebt(
  { debts, settings: { now } }: Store,
  workload: Workload,
  config: ObjectKey,
): void {
  const present = now();
  for (const [edge, until] of debts) if (until <= present) debts.delete(edge);
  debts.set(nameOf(workload, config), present + GRACE_MS);
}

/** Whether the edge, which begins now, was out of date when it ended less than a minute ago. Forgets it. */
export function recallDebt(
  { debts, settings: { now } }: Store,
  workload: Workload,
  config: ObjectKey,
): boolean {
  const edge = nameOf(workload, config);
  const until = debts.get(edge) ?? Number.NEGATIVE_INFINITY;
  debts.delete(edge);
  return until > now();
}

function nameOf({ ref }: Workload, config: ObjectKey): string {
  return `${keyOf(ref)} ${config}`;
}
