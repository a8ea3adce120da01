/** The list of blockers, in their order of precedence. A new reason to wait is one file, and one line here. */

import type { Blocked } from '../model/outcome.ts';
import type { WorkloadRecord } from '../store/records.ts';
import { approval } from './approval.ts';
import { externalRollout } from './awaited-rollout.ts';
import type { Blocker, Readers } from './blocker.ts';
import { reloadWindow } from './closed-window.ts';
import { failedRollout } from './failed-rollout.ts';
import { hold } from './hold-annotation.ts';
import { namespaceAnnotations, namespaceSelection } from './namespaces.ts';
import { notifyOnly } from './notify-only.ts';
import { reverted } from './reverted.ts';

/** All blockers, the one that decides first. An approval comes before a window: people give it while they work. */
export function newBlockers(readers: Readers): readonly Blocker[] {
  const blockers = [
    namespaceSelection(readers),
    namespaceAnnotations(readers),
    reverted(readers),
    failedRollout(readers),
    hold(readers),
    notifyOnly(readers),
    approval(readers),
    reloadWindow(readers),
    readers.pace,
    externalRollout(readers),
    readers.stages,
    readers.budget,
  ];
  return blockers.filter((blocker) => blocker !== undefined);
}

/** What blocks the workload at `now`, in ms since 1970, one after the other; the first one decides. */
export function* blocksOf(
  blockers: readonly Blocker[],
  record: WorkloadRecord,
  now: number,
): Generator<Blocked, void> {
  for (const blocker of blockers) {
    const blocked = blocker.check(record, now);
    if (blocked !== undefined && blocked !== 'unknown') yield blocked;
  }
}

/** What decides; undefined: nothing blocks the workload. */
export function blockOf(...about: Parameters<typeof blocksOf>): Blocked | undefined {
  return blocksOf(...about).next().value ?? undefined;
}
