/**
 * What wave leaves behind: while something was missing that pods need, it gave them a scheduler that does not exist and kept
 * the name of the real one in an annotation. Versions up to 0.5 also kept workloads from being deleted without them.
 */

import type { WaveLeftovers } from '../model/hold.ts';
import type { RawMetadata, RawPodTemplate } from '../model/raw-objects.ts';

const NOBODY = 'wave.pusher.com/invalid';
const SCHEDULER = 'wave.pusher.com/scheduling-disabled';
const FINALIZER = 'wave.pusher.com/finalizer';

/** What of it there is; undefined: nothing. Of what is being deleted the pods are nobody's concern any more. */
export function waveLeftoversOf(metadata: RawMetadata, { spec }: RawPodTemplate): WaveLeftovers | undefined {
  const finalizers = metadata.finalizers?.includes(FINALIZER) === true ? [FINALIZER] : [];
  const former = metadata.annotations?.[SCHEDULER];
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const isParked = spec?.schedulerName === NOBODY && !isDeleted;
  const annotations = former === undefined || isDeleted ? [] : [SCHEDULER];
  if (!isParked && annotations.length === 0 && finalizers.length === 0) return undefined;
  return { scheduler: isParked ? realScheduler(former) : undefined, annotations, finalizers };
}

/** Null is the default one. */
function realScheduler(name = ''): string | null {
  return name === '' || name === NOBODY ? null : name;
}
