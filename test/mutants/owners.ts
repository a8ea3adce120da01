/** Sabotages of what is left to an owner's rollout. */

import type { Mutant } from './table.ts';

const FILE = 'lib/controller/owners-rollout.ts';
const UPGRADES = 'test/simulation/owners-rollouts.test.ts';

/** Every one of them must be noticed. */
export const OWNER_MUTANTS: readonly Mutant[] = [
  {
    name: 'owners: nothing is left to them',
    file: FILE,
    find: 'if (!edges.absorbsOwnersRollouts || !before.isRolledOut) return undefined;',
    replace: 'return undefined;',
    tests: [UPGRADES],
  },
  {
    name: 'owners: a template counts as new although pods of it may be left',
    file: FILE,
    find: '!edges.absorbsOwnersRollouts || !before.isRolledOut',
    replace: '!edges.absorbsOwnersRollouts',
    tests: [UPGRADES],
  },
  {
    name: 'owners: a template that comes back counts as new',
    file: FILE,
    find: 'seen.hold === undefined && seen.templateDigest !== rollout.from',
    replace: 'seen.hold === undefined',
    tests: [UPGRADES],
  },
  {
    name: 'owners: what changed after the template counts as read',
    file: FILE,
    find: 'if (changedAt > Number.NEGATIVE_INFINITY) return changedAt <= at;',
    replace: 'if (changedAt > Number.NEGATIVE_INFINITY) return true;',
    tests: [UPGRADES],
  },
  {
    name: 'owners: a rollout that stands still is waited for without end',
    file: 'lib/controller/owners-turns.ts',
    find: 'until: monotonicMs() + workload.progressDeadlineMs',
    replace: 'until: monotonicMs() + 1000 * workload.progressDeadlineMs',
    tests: [UPGRADES],
  },
  {
    name: 'owners: a slow rollout is not waited for, though it comes further',
    file: 'lib/controller/owners-turns.ts',
    find: 'progress <= turn.progress',
    replace: 'progress <= Number.POSITIVE_INFINITY',
    tests: [UPGRADES],
  },
  {
    name: 'owners: what is left to one is not said to be read in the end',
    file: 'lib/controller/follow.ts',
    find: 'return afterOwner(sight, config, { ...next, dirty, isUnsettled }, observed);',
    replace: 'return { ...next, dirty, isUnsettled };',
    tests: [UPGRADES],
  },
  {
    name: 'owners: a turn that is over is also that of the next rollout',
    file: 'lib/controller/owners-turns.ts',
    find: 'if (left === 0) this.#turns.delete(key);',
    replace: '',
    tests: ['test/unit/controller/owners-turns.test.ts'],
  },
];
