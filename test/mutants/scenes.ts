/** Sabotages that histories by chance must notice, of what few workloads ask for. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const HISTORIES = ['test/simulation/simulation-scenes.test.ts'];

/** Every one of them must be noticed. */
export const SCENE_MUTANTS: readonly Mutant[] = [
  {
    name: 'scenes: a change in a pause begins it anew',
    edit: change('Pausing.begin', 'workload.isPaused !== false', 'workload.isPaused === undefined'),
    tests: HISTORIES,
  },
  {
    name: 'scenes: a pause ends at the first look',
    edit: change('Pauses.#endOf', 'remainingMs(pause, Date.now()) <= 0', 'true'),
    tests: HISTORIES,
  },
  {
    name: 'scenes: who asks for a pause is rolled at once',
    edit: change('Pausing.begin', 'workload.isPaused !== false', 'true'),
    tests: HISTORIES,
  },
  {
    name: 'scenes: the end of a pause that is refused is not tried again',
    edit: drop(
      'LivePatches.patch',
      "this.#putOff(key, subject, { reason: 'refused', message: result.message })",
    ),
    tests: HISTORIES,
  },
  {
    name: 'scenes: a pause that another process began is not ended',
    edit: change(
      'Pauses.observe',
      "event.type !== 'present'",
      "event.type !== 'present' || event.isInInitialList",
    ),
    tests: HISTORIES,
  },
  {
    name: 'scenes: the pause of a person is ended',
    edit: change(
      'Pausing.pauseOf',
      'if (workload.isPaused !== true || since === undefined) return undefined;',
      "if (workload.isPaused !== true) return undefined; if (since === undefined) return pauseSince('', 0);",
    ),
    tests: HISTORIES,
  },
];
