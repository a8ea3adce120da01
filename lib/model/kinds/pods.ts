/** What most kinds that own pods have in common: the pods by the status, and whether that is of the present spec. */

import type { RawWorkload } from '../raw-objects.ts';
import type { WorkloadKind } from '../workload-kind.ts';

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

/** The common part of kinds that own pods, and have their template and their numbers of pods where most have them. */
export const PLAIN: Pick<WorkloadKind, 'rollout' | 'done' | 'templatePath' | 'isObserved' | 'pods'> = {
  rollout: 'replace-pods',
  done: 'rolled',
  templatePath: ['template'],
  isObserved,
  pods: ({ status }) => podsOf(status?.replicas, status?.updatedReplicas),
};
