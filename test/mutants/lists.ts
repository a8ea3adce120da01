/** Sabotages of lists: of their pages, their tokens and their versions. */

import type { Mutant } from './table.ts';

const PAGES = 'test/unit/kubernetes/reflector-pages.test.ts';

/** Every one of them must be noticed. */
export const LIST_MUTANTS: readonly Mutant[] = [
  {
    name: 'lists: a page that fails begins the list anew',
    file: 'lib/kubernetes/reflector.ts',
    find: "afterPause(ms, { name: 'listing', page: { ...page, failures } })",
    replace: "afterPause(ms, { name: 'listing', page: { ...FIRST_PAGE, failures } })",
    tests: [PAGES],
  },
  {
    name: 'lists: a page is asked for for ever',
    file: 'lib/kubernetes/reflector.ts',
    find: 'if (failures % TRIES_OF_A_PAGE !== 0)',
    replace: 'if (failures > 0)',
    tests: [PAGES],
  },
  {
    name: 'lists: the failures of a page lengthen the pauses of the next',
    file: 'lib/kubernetes/reflector.ts',
    find: 'resourceVersion, failures: 0, objects }',
    replace: 'resourceVersion, objects }',
    tests: [PAGES],
  },
  {
    name: 'lists: an expired token leads to pages again',
    file: 'lib/kubernetes/reflector.ts',
    find: 'page: { ...FIRST_PAGE, isWhole: true }',
    replace: 'page: { ...FIRST_PAGE, isWhole: false }',
    tests: [PAGES],
  },
  {
    name: 'lists: a stream is deaf for as long as Retry-After says',
    file: 'lib/kubernetes/api-error.ts',
    find: 'Math.min(seconds * 1000, LONGEST_RETRY_AFTER_MS)',
    replace: 'seconds * 1000',
    tests: ['test/unit/kubernetes/api-error.test.ts'],
  },
  {
    name: 'runs: any answer to the creation of a run counts as the run',
    file: 'lib/kubernetes/job-recreator.ts',
    find: 'made.metadata?.name === name && made.metadata.uid !== undefined',
    replace: 'made.metadata?.name !== 0',
    tests: ['test/unit/kubernetes/run-now.test.ts'],
  },
];
