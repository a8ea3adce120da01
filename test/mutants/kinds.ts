/** Sabotages of the kinds that only the settings name. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const ROW = ['test/unit/model/custom-kind.test.ts'];
const PARSER = ['test/unit/options/workload-kinds.test.ts'];

/** Every one of them must be noticed. */
export const KIND_MUTANTS: readonly Mutant[] = [
  {
    name: 'kinds: a status without an observed generation counts as observed',
    edit: change(
      'customKind',
      'Number(status?.observedGeneration)',
      'Number(status?.observedGeneration ?? 9)',
    ),
    tests: ROW,
  },
  {
    name: 'kinds: one that is available but not ready is rolled out',
    edit: drop('customKind', "conditionOf(raw, 'Ready')"),
    tests: ROW,
  },
  {
    name: 'kinds: what cannot be read as a template is read',
    edit: drop('templateOf', 'isTemplate(at)'),
    tests: ROW,
  },
  {
    name: 'kinds: a kind that is known by itself is added',
    edit: change('parseFurtherKind', 'known !== undefined', 'false'),
    tests: PARSER,
  },
  {
    name: 'kinds: a kind has two entries',
    edit: drop('optionsFrom', 'refuseTwice();'),
    tests: PARSER,
  },
];
