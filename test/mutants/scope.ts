/** Sabotages of what is watched, and of namespaces that are selected. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const NAMESPACES = 'test/unit/state/selected-namespaces.test.ts';
const LABELS = 'test/unit/tracking/label-selection.test.ts';
const NOTICES = 'test/unit/report/findings.test.ts';

/** Every one of them must be noticed. */
export const SCOPE_MUTANTS: readonly Mutant[] = [
  {
    name: 'scope: a namespace that is deselected is forgotten',
    edit: drop('isUnbegun', 'store.persisted.shardOf(ref) === undefined'),
    tests: [NAMESPACES],
  },
  {
    name: 'scope: what was never begun is owed once the namespace is selected',
    edit: change(
      'isUnbegun',
      '!store.isSelected(namespace) && store.persisted.shardOf(ref) === undefined',
      'false',
    ),
    tests: [NAMESPACES],
  },
  {
    name: 'scope: a window that is open when the namespace is deselected ends in a rollout',
    edit: drop('RolloutAttempts.run', '!isSelected()'),
    tests: [NAMESPACES],
  },
  {
    name: 'scope: a window that ends where nothing is selected holds up the commit',
    edit: drop('RolloutController.isWaiting', '!has()'),
    tests: [NAMESPACES],
  },
  {
    name: 'scope: an entry is begun where the namespace is not selected',
    edit: change('desiredEntry', 'digest === undefined || isNeverBegun', 'digest === undefined'),
    tests: [NAMESPACES],
  },
  {
    name: 'scope: the baseline of a namespace that is selected waits for the next change',
    edit: drop(
      'SelectedNamespaces.#take',
      'for (const config of own.keys()) reviewState(store, effects, config);',
    ),
    tests: [NAMESPACES],
  },
  {
    name: 'scope: people are told of what stands where nothing is selected',
    edit: change('Findings.#replace', 'this.#isSelected()', 'true'),
    tests: [NOTICES],
  },
  {
    name: 'scope: what only lost its labels counts as gone, so that nobody can have read it meanwhile',
    edit: drop('observeEnd', 'if (store.settings.isSelective) record.mayHaveReturned = true;'),
    tests: [LABELS],
  },
  {
    name: 'scope: what the state says of a namespace that is left out is cleaned away',
    edit: change('covers', '!includes()', 'except !== undefined'),
    tests: ['test/unit/store/sync-gate.test.ts'],
  },
];
