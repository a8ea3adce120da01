/**
 * What is owed as an edge ends. An opt-in that is away for a moment owes it still, and so does a workload that is created
 * anew under its name: its pods may have been left alone. For long nothing is remembered: an opt-in is no rollout.
 */

import type { ObjectKey } from '../model/object-ref.ts';
import type { Store } from '../store/store.ts';

/** How long it is remembered. */
const GRACE_MS = 60_000;

/** The edge of `workload` and `config` ends, and is owed. */
export function rememberDebt(
  { debts, settings: { now } }: Store,
  workload: ObjectKey,
  config: ObjectKey,
): void {
  const present = now();
  for (const [edge, until] of debts) if (until <= present) debts.delete(edge);
  debts.set(nameOf(workload, config), present + GRACE_MS);
}

/** Whether the edge, which begins, was owed as it ended a moment ago. */
export function recallDebt(
  { debts, settings: { now } }: Store,
  workload: ObjectKey,
  config: ObjectKey,
): boolean {
  const edge = nameOf(workload, config);
  const until = debts.get(edge) ?? Number.NEGATIVE_INFINITY;
  debts.delete(edge);
  return until > now();
}

function nameOf(workload: ObjectKey, config: ObjectKey): string {
  return `${workload} ${config}`;
}
