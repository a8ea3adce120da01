/** Sabotages of how often the state is written, and of what is too large for it. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const BUDGET = ['test/unit/controller/write-budget.test.ts'];
const ROOM = ['test/unit/controller/state-room.test.ts'];

/** Every one of them must be noticed. */
export const STATE_MUTANTS: readonly Mutant[] = [
  {
    name: 'state writes: a baseline is as urgent as what a crash would lose',
    edit: change('StateCommitter.#add', 'isBaseline()', 'false'),
    tests: BUDGET,
  },
  {
    name: 'state writes: what a crash would lose waits for the budget',
    edit: drop('StateCommitter.#isDue', 'write.isUrgent'),
    tests: BUDGET,
  },
  {
    name: 'state writes: nothing is paid for',
    edit: drop('WriteBudget.spend', 'Math.max(LEAST_MS, msFor(bytes))'),
    tests: BUDGET,
  },
  {
    name: 'state writes: a baseline waits for the batch',
    edit: change('StateCommitter.#dueAt', 'this.#hasAny(this.#fresh)', 'false'),
    tests: BUDGET,
  },
  {
    name: 'state writes: there is always room',
    edit: change('takeOutWhatHasNoRoom', 'rest >= 0', 'true'),
    tests: ROOM,
  },
  {
    name: 'state writes: what has no room takes with it what a start has to know',
    edit: change('writesOf', '[...desired.keys(), ...withoutRoom]', '[...desired.keys()]'),
    tests: ROOM,
  },
  {
    name: 'state writes: nobody is told that there is no room',
    edit: drop('StateCommitter.#keep', 'this.#known.noteFull()'),
    tests: ROOM,
  },
  {
    name: 'state writes: each plan visits all workloads',
    edit: change('withExceptions', '!named.includes(undefined)', 'false'),
    tests: ['test/unit/controller/state-write.test.ts'],
  },
];
