/**
 * Edges that end outdated. A workload whose opt-in is away for a moment stays outdated, and so does one that is created
 * anew under its name: its pods may have been left alone. For long nothing is remembered: an opt-in is no rollout.
 */

import type { ObjectKey } from '../model/object-ref.ts';
import type { Store } from '../store/store.ts';

/** How long it is remembered. */
const GRACE_MS = 60_000;

/** Remembers that the edge of `workload` and `config` ends outdated. */
export function rememberDebt(
  { debts, settings: { now } }: Store,
  workload: ObjectKey,
  config: ObjectKey,
): void {
  const present = now();
  for (const [edge, until] of debts) if (until <= present) debts.delete(edge);
  debts.set(nameOf(workload, config), present + GRACE_MS);
}

/** Whether the edge, which begins, was outdated as it ended a moment ago. */
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
