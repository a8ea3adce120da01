/** The pods of a workload by its status, and whether that is of the present spec. */

import type { RawWorkload } from '../raw-objects.ts';

/** The number of pods of the present template and of older ones; `all`: both together. */
export function podsOf(all = 0, updated = 0): { updated: number; old: number } {
  return { updated, old: all - updated };
}

/** Whether the controller has observed the present generation. */
export function isObserved({ metadata, status }: RawWorkload): boolean {
  return Number(status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

/** Whether there are so many pods, all of the present template and ready. */
export function areAllUpdated({ status }: RawWorkload, replicas: number): boolean {
  return (
    (status?.updatedReplicas ?? 0) === replicas &&
    (status?.readyReplicas ?? 0) === replicas &&
    (status?.replicas ?? 0) === replicas
  );
}
