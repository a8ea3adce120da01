/** Removes the scheduler name and the finalizer that wave left on workloads, also on those that follow no object. */

import { cleanupPatch, cleanupText, type WaveLeftovers } from '../model/hold.ts';
import { LivePatches, type PatchingOptions } from './live-patches.ts';

/** See the file's comment. */
export function waveCleanup(options: PatchingOptions): LivePatches<WaveLeftovers> {
  return new LivePatches(options, {
    dueOf: ({ waveLeftovers }) => waveLeftovers,
    isSame: () => true,
    delayOf: () => 0,
    waitOf: (_, { workload }) => (options.store.isSelected(workload.ref.namespace) ? undefined : 'done'),
    write: ({ patch }, live, leftovers) => patch?.(live.ref, cleanupPatch(live, leftovers)),
    doneOf: (_, leftovers) => ({
      reason: 'wave-cleaned-up',
      about: 'parking',
      message: `wave had left it waiting: ${cleanupText(leftovers)}`,
    }),
    unfinishedOf: () => 'left waiting by wave, and tried again until it is not',
  });
}
