/** Sabotages of what is left to an owner's rollout. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const UPGRADES = 'test/simulation/owners-rollouts.test.ts';

/** Every one of them must be noticed. */
export const OWNER_MUTANTS: readonly Mutant[] = [
  {
    name: 'owners: nothing is left to them',
    edit: change('beginning', '!store.settings.absorbsExternalRollouts() || !before.isRolledOut', 'true'),
    tests: [UPGRADES],
  },
  {
    name: 'owners: a template counts as new although pods of it may be left',
    edit: drop('beginning', '!before.isRolledOut'),
    tests: [UPGRADES],
  },
  {
    name: 'owners: a template that comes back counts as new',
    edit: drop('followExternalRollout', 'seen.templateDigest !== rollout.from'),
    tests: [UPGRADES],
  },
  {
    name: 'owners: what changed after the template counts as read',
    edit: change('wasInForce', 'changedAt <= at', 'true'),
    tests: [UPGRADES],
  },
  {
    name: 'owners: a rollout that stands still is waited for without end',
    edit: change(
      'ExternalRolloutDeadlines.remaining',
      'monotonicMs() + workload.progressDeadlineMs',
      'monotonicMs() + 1000 * workload.progressDeadlineMs',
    ),
    tests: [UPGRADES],
  },
  {
    name: 'owners: a slow rollout is not waited for, though it comes further',
    edit: change('ExternalRolloutDeadlines.remaining', 'turn.progress', 'Number.POSITIVE_INFINITY'),
    tests: [UPGRADES],
  },
  {
    name: 'owners: what is left to one is not said to be read in the end',
    edit: change('followedEdge', 'afterExternalRollout()', 'next'),
    tests: [UPGRADES],
  },
  {
    name: 'owners: a turn that is over is also that of the next rollout',
    edit: drop('ExternalRolloutDeadlines.remaining', 'left === 0'),
    tests: ['test/unit/tracking/external-rollout-deadlines.test.ts'],
  },
];
