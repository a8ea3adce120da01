/** Sabotages of how workloads are taken over from another reloader. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const IMPORTS = ['test/simulation/imports.test.ts'];
const STAMPS = ['test/unit/annotations/inherited-stamps.test.ts'];
const COMPARISON = ['test/unit/repair/inherited-comparison.test.ts'];
const FORMULAS = ['test/unit/annotations/inherited-digests.test.ts'];

/** Every one of them must be noticed. */
export const IMPORT_MUTANTS: readonly Mutant[] = [
  {
    name: 'import: what another reloader left is not compared',
    edit: drop('observe-workload/begin', 'if (isAtStart) awaitComparison(store, record, ref);'),
    tests: IMPORTS,
  },
  {
    name: 'import: the baseline is written before the stamp is compared',
    edit: change('isHeldUp', 'isUncompared(store, config)', 'false'),
    tests: IMPORTS,
  },
  {
    name: 'import: a stale stamp beside younger pods is believed',
    edit: change('InheritedStamps.#missedBy', '!isAfter(bornAt, lastWrite)', 'true'),
    tests: IMPORTS,
  },
  {
    name: 'import: a change in the second of the last rollout is not believed',
    edit: change('InheritedStamps.#missedBy', '!isAfter(bornAt, lastWrite)', 'isAfter(lastWrite, bornAt)'),
    tests: IMPORTS,
  },
  {
    name: 'import: without the right to list templates a stamp is believed',
    edit: change('InheritedStamps.#bornAt', 'return undefined;', 'return createdAt;'),
    tests: IMPORTS,
  },
  {
    name: 'import: what cannot be listed now counts as what may not be listed',
    edit: change('InheritedStamps.#bornAt', 'reading.isForbidden === true', 'true'),
    tests: IMPORTS,
  },
  {
    name: 'import: an equal stamp is not believed',
    edit: drop('InheritedStamps.#missedBy', 'await this.#isInForce()'),
    tests: IMPORTS,
  },
  {
    name: 'import: what is not selected is compared and forgotten',
    edit: drop('InheritedStamps.#readyOf', '!store.isSelected()'),
    tests: IMPORTS,
  },
  {
    name: 'import: a change of one of several objects rolls for none',
    edit: change(
      'InheritedStamps.#missedBy',
      "stamp.by === 'stakater' ? [stamp.config] : suspects",
      "stamp.by === 'stakater' ? [stamp.config] : []",
    ),
    tests: IMPORTS,
  },
  {
    name: 'import: a stamp of ours counts as one of Stakater Reloader',
    edit: change(
      'inherited-stamps/indexOf',
      'isStakaterVariable(variable) && SHA1.test(value)',
      'isStakaterVariable(variable)',
    ),
    tests: STAMPS,
  },
  {
    name: 'import: a hash of ours counts as one of another reloader',
    edit: change('inherited-stamps/indexOf', 'stamps.some()', 'false'),
    tests: STAMPS,
  },
  {
    name: 'import: what is read counts for what was listed, whatever its version',
    edit: drop('InheritedStamps.#read', 'reading.object.metadata.resourceVersion !== shown()'),
    tests: COMPARISON,
  },
  {
    name: 'import: what no stream shows is read all the same',
    edit: drop('InheritedStamps.#read', '!isWatched()'),
    tests: COMPARISON,
  },
  {
    name: 'import: names of objects that do not exist are all read',
    edit: drop('InheritedStamps.#read', 'shown() === undefined'),
    tests: COMPARISON,
  },
  {
    name: 'import: an equal stamp vouches for a baseline that is another content',
    edit: change('endComparison', 'isMissed || isOutdatedOn()', 'isMissed'),
    tests: COMPARISON,
  },
  {
    name: 'import: keys that are not read yet count as compared',
    edit: drop('InheritedStamps.#missedBy', 'compared.some()'),
    tests: COMPARISON,
  },
  {
    name: 'import: what is not listed counts as compared',
    edit: change('InheritedStamps.#readyOf', 'isSynced(namespace, kind)', 'true'),
    tests: COMPARISON,
  },
  {
    name: 'import: an end waits for all reads of a namespace',
    edit: drop('InheritedStamps.#read', "if (this.#isClosed) throw new NotNow('the reloader ends');"),
    tests: COMPARISON,
  },
  {
    name: "formulas: Stakater's pairs are not sorted",
    edit: drop('stakaterDigestOf', 'pairs.sort();'),
    tests: FORMULAS,
  },
  {
    name: "formulas: wave's keys are not limited to those that it reads",
    edit: drop('WaveHash.add', 'keys.has()'),
    tests: FORMULAS,
  },
];
