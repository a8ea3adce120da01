/** Sabotages of the table from which the policies that fence the reloader's account are written. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const WRITTEN = ['test/install/fences.test.ts'];

/** Every one of them must be noticed. */
export const FENCE_MUTANTS: readonly Mutant[] = [
  {
    name: 'fences: the stamps among the annotations are refused',
    edit: drop('OWN_WRITES', 'STAMPS_ANNOTATION'),
    tests: WRITTEN,
  },
  {
    name: 'fences: the hashes of other vocabularies are refused',
    edit: change('OWN_WRITES', 'hash ?? lastReloadedFrom', 'lastReloadedFrom'),
    tests: WRITTEN,
  },
  {
    name: 'fences: the record of a restart is refused',
    edit: drop('RESTART_ANNOTATIONS', 'STAMPS_ANNOTATION'),
    tests: WRITTEN,
  },
  {
    name: 'fences: what asks a Rollout to restart is refused',
    edit: change('OWN_WRITES', "'restartAt'", "'paused'"),
    tests: WRITTEN,
  },
  {
    name: 'fences: a stamp may have any value',
    edit: change('STAMP_PATTERN', 'GRAMMAR.source.replaceAll()', "''"),
    tests: WRITTEN,
  },
];
