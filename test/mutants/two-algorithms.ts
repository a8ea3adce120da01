/** Sabotages of the rules where two digests of one object are under two algorithms. */

import { change } from './edit.ts';
import type { Mutant } from './table.ts';

const tests = ['test/unit/tracking/two-algorithms.test.ts'];

/** Every one of them must be noticed. */
export const TWO_ALGORITHM_MUTANTS: readonly Mutant[] = [
  {
    name: 'two algorithms: a stamp under a key is not expected before it is seen',
    edit: change(
      'namedAlgorithms',
      '[...keys, ...digests.flatMap()]',
      '[...digests.flatMap((digest) => algorithmOf(digest) ?? [])]',
    ),
    tests,
  },
  {
    name: 'two algorithms: one further digest is enough',
    edit: change('lacksDigest', 'some()', 'false'),
    tests,
  },
  {
    name: 'two algorithms: an entry under a former key is an open change',
    edit: change('edge-policy/isOpen', 'translated()', 'entry.digest'),
    tests,
  },
  {
    name: 'two algorithms: to write an entry under a new key leaves a kind override',
    edit: change('ranBefore', 'translated()', 'before.digest'),
    tests,
  },
  {
    name: 'two algorithms: a lost entry counts as never written',
    edit: change('ranBefore', 'digest ?? UNKNOWN', 'digest'),
    tests,
  },
  {
    name: 'two algorithms: a process with a key writes version 1',
    edit: change('state-format/versionOf', 'settings.algorithms.own !== SHA1', 'false'),
    tests,
  },
  {
    name: 'two algorithms: no stamp holds a key',
    edit: change('algorithmUses', 'isUncommitted()', 'false'),
    tests,
  },
];
