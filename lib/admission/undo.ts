/**
 * Recognizes `kubectl rollout undo` by field managers. An undo is stored as it is: the person wants the former pods, and the
 * former stamps then show which content they start with.
 */

import type { RawManagedFields } from '../model/raw-objects.ts';
import type { AdmissionRequest } from './review.ts';

type Writing = Pick<AdmissionRequest, 'fieldManager' | 'object' | 'oldObject'>;

/** The field manager of restarts and pauses of kubectl. */
const ROLLOUT = 'kubectl-rollout';
/**
 * The field manager that the API server records for a kubectl without one. Of all commands that write workloads only undo has
 * none.
 */
const NAMELESS = 'kubectl';

/** Whether the write is an undo of kubectl. An undo by another tool cannot be distinguished from an older manifest. */
export function isUndo(write: Writing): boolean {
  if (write.fieldManager !== undefined) return write.fieldManager === ROLLOUT;
  return writerOf(write) === NAMELESS;
}

/** The field manager that the API server recorded before it called the webhook: that of the latest changed entry. */
function writerOf({ object, oldObject }: Writing): string | undefined {
  const before = new Set((oldObject?.metadata.managedFields ?? []).map((entry) => JSON.stringify(entry)));
  const changed = (object.metadata.managedFields ?? []).filter(
    (entry) => entry.subresource === undefined && !before.has(JSON.stringify(entry)),
  );
  return changed.reduce<RawManagedFields | undefined>(
    (latest, entry) => ((entry.time ?? '') >= (latest?.time ?? '') ? entry : latest),
    undefined,
  )?.manager;
}
