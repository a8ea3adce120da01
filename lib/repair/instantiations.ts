/**
 * Starts the deployments of DeploymentConfigs that no change of their template starts. Our patch keeps the version that it found in
 * an annotation, so the object itself tells that its deployment is not started yet: also to the process that follows one that died
 * between the two, and to one whose request was in force but not answered.
 */

import type { Workload } from '../model/workload.ts';
import { LivePatches, type PatchingOptions } from './live-patches.ts';

/** See the file's comment. What is due is named by the version before. */
export function instantiations(options: PatchingOptions): LivePatches<string> {
  const { client, store } = options;
  const dueOf = ({ isLeftAlone, isUnstarted, revision = '' }: Workload): string | undefined =>
    client.instantiate === undefined || isLeftAlone || isUnstarted !== true ? undefined : revision;
  return new LivePatches(options, {
    dueOf,
    isSame: (one, other) => one === other,
    delayOf: () => 0,
    waitOf: (_, { workload }) => (store.isSelected(workload.ref.namespace) ? undefined : 'done'),
    write: ({ instantiate }, { ref }) => instantiate?.(ref),
    doneOf: (_, version) => ({
      reason: 'instantiated',
      about: version,
      message: 'its triggers start no deployment of the stamped template: one was requested',
    }),
    unfinishedOf: () => 'stamped, but its deployment is not started, and tried again until it is',
  });
}
