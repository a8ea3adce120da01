/** Sabotages of what is watched, and of namespaces that are selected. */

import type { Mutant } from './table.ts';

const NAMESPACES = 'test/unit/controller/selected-namespaces.test.ts';
const LABELS = 'test/unit/controller/label-selection.test.ts';
const NOTICES = 'test/unit/controller/notices.test.ts';

/** Every one of them must be noticed. */
export const SCOPE_MUTANTS: readonly Mutant[] = [
  {
    name: 'scope: a namespace that is deselected is forgotten',
    file: 'lib/controller/edges.ts',
    find: 'return !this.isSelected(namespace) && this.shardOf(ref) === undefined;',
    replace: 'return !this.isSelected(namespace);',
    tests: [NAMESPACES],
  },
  {
    name: 'scope: what was never begun is owed once the namespace is selected',
    file: 'lib/controller/edges.ts',
    find: 'return !this.isSelected(namespace) && this.shardOf(ref) === undefined;',
    replace: 'return false;',
    tests: [NAMESPACES],
  },
  {
    name: 'scope: a window that is open when the namespace is deselected ends in a rollout',
    file: 'lib/controller/rollout-attempt.ts',
    find: "if (!edges.isSelected(ref.namespace)) return { type: 'unselected' };",
    replace: '',
    tests: [NAMESPACES],
  },
  {
    name: 'scope: a window that ends where nothing is selected holds up the commit',
    file: 'lib/controller/rollout-controller.ts',
    find: ' && !this.#heldBack.has(workload)',
    replace: '',
    tests: [NAMESPACES],
  },
  {
    name: 'scope: an entry is begun where the namespace is not selected',
    file: 'lib/controller/state-write.ts',
    find: 'digest === undefined || isUnbegun',
    replace: 'digest === undefined',
    tests: [NAMESPACES],
  },
  {
    name: 'scope: the baseline of a namespace that is selected waits for the next change',
    file: 'lib/controller/selected-namespaces.ts',
    find: 'for (const config of own.keys()) reviewState(edges, effects, config);',
    replace: '',
    tests: [NAMESPACES],
  },
  {
    name: 'scope: people are told of what stands where nothing is selected',
    file: 'lib/controller/notices.ts',
    find: 'this.#isHeard(ref) ? notices : notices.filter(wasSaid)',
    replace: 'notices',
    tests: [NOTICES],
  },
  {
    name: 'scope: what only lost its labels counts as gone, so that nobody can have read it meanwhile',
    file: 'lib/controller/config-controller.ts',
    find: 'if (edges.isSelective) record.mayHaveReturned = true;',
    replace: '',
    tests: [LABELS],
  },
  {
    name: 'scope: what the state says of a namespace that is left out is cleaned away',
    file: 'lib/controller/sync-gate.ts',
    find: '!except.includes(namespace)',
    replace: 'except !== undefined',
    tests: ['test/unit/controller/sync-gate.test.ts'],
  },
];
