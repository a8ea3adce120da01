/** Sabotages of lists and their versions, of runs of CronJobs, and of what is believed of copies of Jobs. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const PAGES = 'test/unit/kubernetes/reflector-pages.test.ts';
const RECREATION = 'test/exhaustive/job-recreation.test.ts';

/** Every one of them must be noticed. */
export const LIST_MUTANTS: readonly Mutant[] = [
  {
    name: 'defects: one where an outcome is told ends the program',
    edit: change('RetryQueue.#fencedReconcile', 'this.backOff()', 'Promise.reject(error)'),
    tests: ['test/unit/queue/retry-queue.test.ts'],
  },
  {
    name: 'defects: what was suspected is forgotten after one',
    edit: change(
      'MissingObjectProbe.#endTurn',
      'this.#publish(turn);',
      'this.#turns.delete(namespace); this.#publish(turn);',
    ),
    tests: ['test/unit/repair/missing-object-probe.test.ts'],
  },
  {
    name: 'lists: a page that fails begins the list anew',
    edit: change('Reflector.#pageFailed', '{ ...page, failures }', '{ ...FIRST_PAGE, failures }'),
    tests: [PAGES],
  },
  {
    name: 'lists: a page is asked for for ever',
    edit: change('Reflector.#pageFailed', 'failures % TRIES_OF_A_PAGE !== 0', 'failures > 0'),
    tests: [PAGES],
  },
  {
    name: 'lists: the failures of a page lengthen the pauses of the next',
    edit: drop('Reflector.#list', 'failures: 0,'),
    tests: [PAGES],
  },
  {
    name: 'lists: an expired token leads to pages again',
    edit: change('Reflector.#pageFailed', 'isWhole: true,', 'isWhole: false'),
    tests: [PAGES],
  },
  {
    name: 'lists: a stream is deaf for as long as Retry-After says',
    edit: change('retryAfterMsOf', 'min()', 'seconds * 1000'),
    tests: ['test/unit/kubernetes/api-error.test.ts'],
  },
  {
    name: 'runs: any answer to the creation of a run counts as the run',
    edit: change(
      'createJob',
      'made.metadata?.name === name && made.metadata.uid !== undefined',
      'made.metadata?.name !== 0',
    ),
    tests: ['test/unit/kubernetes/run-now.test.ts'],
  },
  {
    name: 'copies: what says to be the copy of a Job is one',
    edit: change('JobRecreator.#distrust', 'this.#isGenuine()', 'true'),
    tests: [RECREATION],
  },
  {
    name: 'copies: a copy may differ from its Job in its spec',
    edit: change('comparable', 'manifestOf()', 'annotations'),
    tests: ['test/unit/model/job-succession.test.ts', RECREATION],
  },
  {
    name: 'copies: a Job that does not ask for reloads is created anew',
    edit: change(
      'isGenuineCopy',
      'vocabularies.hasPatterns(workload) || vocabularies.follows(workload, () => []).length > 0',
      'true',
    ),
    tests: ['test/unit/tracking/genuine-copy.test.ts'],
  },
  {
    name: 'versions: some kinds are not asked for theirs',
    edit: change(
      'collectionsOf',
      '[...kinds.values()]',
      '[...kinds.values()].filter((_, index) => index % 2 === 0)',
    ),
    tests: ['test/simulation/owners-rollouts.test.ts'],
  },
  {
    name: 'versions: each kind is listed but once',
    edit: change('versionsOf', 'kinds.slice(0, -1)', '[]'),
    tests: ['test/unit/kubernetes/comparable-versions.test.ts'],
  },
];
