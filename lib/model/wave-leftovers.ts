/** What another reloader has left on a workload so that its pods, or its deletion, wait for that reloader. */

import type { WorkloadRef } from './object-ref.ts';
import { workloadKindOf } from './workload-kind.ts';

/** What is to be undone of it. */
export interface WaveLeftovers {
  /** The scheduler that the pods are to have, null being the default one; undefined: they have one already. */
  readonly scheduler: string | null | undefined;
  /** Annotations of the workload itself that go. */
  readonly annotations: readonly string[];
  /** Finalizers that go. */
  readonly finalizers: readonly string[];
}

/** The patch that undoes `parking`; refused on any other version of the workload. */
export function cleanupPatch(
  { ref, resourceVersion }: { readonly ref: WorkloadRef; readonly resourceVersion: string },
  { scheduler, annotations, finalizers }: WaveLeftovers,
): object {
  const removed = Object.fromEntries(annotations.map((key) => [key, null]));
  return {
    metadata: {
      resourceVersion,
      ...(annotations.length === 0 ? {} : { annotations: removed }),
      ...(finalizers.length === 0 ? {} : { '$deleteFromPrimitiveList/finalizers': finalizers }),
    },
    ...(scheduler === undefined
      ? {}
      : { spec: workloadKindOf(ref.kind).specWith({ spec: { schedulerName: scheduler } }) }),
  };
}

/** Its controller waits for a pod that never ran to be ready before it replaces it. */
const STUCK = 'of a StatefulSet, those that stay pending have to be deleted once';

/** The same for people. */
export function cleanupText({ scheduler, finalizers }: WaveLeftovers): string {
  const pods =
    scheduler === undefined
      ? []
      : [`its pods are scheduled again, by ${scheduler ?? 'the default scheduler'} (${STUCK})`];
  const end = finalizers.length === 0 ? [] : ['its deletion waits for nobody any more'];
  const words = [...pods, ...end];
  return words.length === 0 ? 'nothing is left of its waiting' : words.join(', and ');
}
