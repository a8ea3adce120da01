/** Sabotages of evictions. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const UNIT = 'test/unit/rollout/eviction.test.ts';
const HISTORIES = 'test/simulation/simulation-evictions.test.ts';

/** Every one of them must be noticed. */
export const EVICTION_MUTANTS: readonly Mutant[] = [
  {
    name: 'evictions: pods are evicted before the state knows',
    edit: change('PodEvictions.attempt', '!this.#isRecorded(record, session)', 'false'),
    tests: [UNIT],
  },
  {
    name: 'evictions: a pod that is younger than the change goes too',
    edit: change('PodEvictions.#sessionFor', '!isAfter(createdAt, changedAt)', 'true'),
    tests: [UNIT, HISTORIES],
  },
  {
    name: 'evictions: a pod that became ready or not does not count',
    edit: drop('PodEvictions.#evictSome', 'serves(pod) && room <= 0'),
    tests: [UNIT, HISTORIES],
  },
  {
    name: 'evictions: the successors of a pod are taken to have read what comes back',
    edit: drop('PodEvictions.#sessionFor', 'this.#doubt(record, plan)'),
    tests: [UNIT, HISTORIES],
  },
  {
    name: 'evictions: an opt-out between two evictions is not noticed',
    edit: change('PodEvictions.#evictSome', '!this.#isWanted(record)', 'false'),
    tests: [UNIT],
  },
  {
    name: 'evictions: commits wait for them',
    edit: change('RolloutController.isWaiting', 'this.#attempts.isEvicting(workload)', 'false'),
    tests: [UNIT],
  },
  {
    name: 'evictions: a right that is missing is not named',
    edit: change('eviction/refusal', "code === 'forbidden'", 'false'),
    tests: [UNIT],
  },
];
