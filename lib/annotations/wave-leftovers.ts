/**
 * The leftovers of wave. While an object that pods need was missing, wave gave the pods a scheduler that does not exist and kept
 * the name of the real one in an annotation. Versions up to 0.5 also added a finalizer, which blocks deletion without wave.
 */

import type { WaveLeftovers } from '../model/hold.ts';
import type { RawMetadata, RawPodTemplate } from '../model/raw-objects.ts';

/** The scheduler that does not exist. */
export const NO_SCHEDULER = 'wave.pusher.com/invalid';
/** The annotation of a workload with the name of the real scheduler. */
export const SCHEDULER_ANNOTATION = 'wave.pusher.com/scheduling-disabled';
/** The finalizer of a workload. */
export const WAVE_FINALIZER = 'wave.pusher.com/finalizer';

/** The leftovers on a workload; undefined if there are none. While it is being deleted only the finalizer matters. */
export function waveLeftoversOf(metadata: RawMetadata, { spec }: RawPodTemplate): WaveLeftovers | undefined {
  const finalizers = metadata.finalizers?.includes(WAVE_FINALIZER) === true ? [WAVE_FINALIZER] : [];
  const former = metadata.annotations?.[SCHEDULER_ANNOTATION];
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const isUnscheduled = spec?.schedulerName === NO_SCHEDULER && !isDeleted;
  const annotations = former === undefined || isDeleted ? [] : [SCHEDULER_ANNOTATION];
  if (!isUnscheduled && annotations.length === 0 && finalizers.length === 0) return undefined;
  return { scheduler: isUnscheduled ? realScheduler(former) : undefined, annotations, finalizers };
}

/** The former scheduler; null for the default one. */
function realScheduler(name = ''): string | null {
  return name === '' || name === NO_SCHEDULER ? null : name;
}
