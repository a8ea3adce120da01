/** Who plays in a history by chance. */

import fc, { type Arbitrary } from 'fast-check';
import type { Flavour } from './flavours.ts';
import { BATCH_CAST } from './generate-jobs.ts';
import { PAUSABLE } from './generate-pauses.ts';
import type { ConfigName, WorkloadName } from './history.ts';
import { CONFIGS, ROLLOUTS, WORKLOADS } from './manifests.ts';

/** Arbitraries of the objects and the workloads of a history. */
export interface Players {
  readonly configs: Arbitrary<ConfigName[]>;
  readonly workloads: Arbitrary<WorkloadName[]>;
}

/** The players of a flavour. */
export function playersOf(flavour: Flavour): Players {
  const workloads = whoPlays(flavour);
  const [least, most] = isStaged(flavour) ? [2, 4] : [1, 3];
  return {
    configs: configsOf(flavour),
    workloads: fc.shuffledSubarray([...workloads], {
      minLength: least,
      maxLength: Math.min(most, workloads.length),
    }),
  };
}

/** In stages several workloads follow one object, and its stamps are told from those of all others. */
function configsOf(flavour: Flavour): Arbitrary<ConfigName[]> {
  if (isStaged(flavour)) {
    const distinct = CONFIGS.filter((config) => config !== 'ConfigMap/a.b');
    return fc.shuffledSubarray(distinct, { minLength: 1, maxLength: 2 });
  }
  const [minLength, maxLength] = flavour === 'shards' ? [2, 4] : [1, 3];
  return fc.shuffledSubarray([...CONFIGS], { minLength, maxLength });
}

function isStaged(flavour: Flavour): boolean {
  return flavour === 'stages' || flavour === 'together';
}

function whoPlays(flavour: Flavour): readonly WorkloadName[] {
  if (flavour === 'pauses') return PAUSABLE;
  if (flavour === 'rollouts') return ROLLOUTS;
  return flavour === 'jobs' ? BATCH_CAST : WORKLOADS;
}
