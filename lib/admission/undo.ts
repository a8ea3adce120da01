/** Whether a write is `kubectl rollout undo`, as far as that can be told. */

import type { RawManagedFields, RawWorkload } from '../model/raw-objects.ts';

/** What is looked at. */
export interface Writing {
  /** As the request names it. */
  readonly fieldManager: string | undefined;
  readonly object: RawWorkload;
  readonly oldObject: RawWorkload | undefined;
}

/** Restarts and pauses of kubectl call themselves so. */
const ROLLOUT = 'kubectl-rollout';
/** What the API server calls a kubectl that gives no name. Of all commands that write workloads that is the undo alone. */
const NAMELESS = 'kubectl';

/** Other tools that undo look like anybody who writes an older manifest. */
export function isUndo(write: Writing): boolean {
  if (write.fieldManager !== undefined) return write.fieldManager === ROLLOUT;
  return writerOf(write) === NAMELESS;
}

/** Who writes by the account of the API server, which notes it before it asks: the latest of the entries that changed. */
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
