/** Sabotages of what is left out because it may not be listed. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const GATE = ['test/unit/store/sync-gate.test.ts'];
const OVERRIDES = ['test/unit/state/overrides.test.ts'];

/** Every one of them must be noticed. */
export const RIGHT_MUTANTS: readonly Mutant[] = [
  {
    name: 'rights: nothing is kept for who may not be listed',
    edit: drop('planKindOverrides', 'set()'),
    tests: OVERRIDES,
  },
  {
    name: 'rights: the content before the last one is kept in place of the oldest',
    edit: change(
      'planKindOverrides',
      '{ [keyUnderKind(scope, ref, home)]: runningDigest, ...own.get(key) }',
      '{ ...own.get(key), [keyUnderKind(scope, ref, home)]: runningDigest }',
    ),
    tests: OVERRIDES,
  },
  {
    name: 'rights: who could not be listed is not in doubt',
    edit: change('mayHaveReadOther', 'store.persisted.isByKind()', 'false'),
    tests: OVERRIDES,
  },
  {
    name: 'rights: what was kept goes without being recorded of each',
    edit: change('planKindOverrides', 'among()', '[]'),
    tests: OVERRIDES,
  },
  {
    name: 'rights: an override hides what is known of a workload',
    edit: drop('overrideFor', '!isByKind'),
    tests: OVERRIDES,
  },
  {
    name: 'rights: an entry is removed although a kind may not be listed',
    edit: change('consider', '!request.gate.isSynced()', 'false'),
    tests: OVERRIDES,
  },
  {
    name: 'rights: a commit waits for a kind that may not be listed',
    edit: change('SyncGate.#isDone', "leftOut !== 'none'", 'false'),
    tests: GATE,
  },
  {
    name: 'rights: a baseline waits for a kind that fails',
    edit: drop('SyncGate.#isDone', "(leftOut === 'failing' && this.#failing.has(stream))"),
    tests: GATE,
  },
  {
    name: 'rights: an answer of before refuses what has listed since',
    edit: drop('SyncGate.markRefused', '!this.#failing.has(stream)'),
    tests: GATE,
  },
];
