/** Sabotages of what two processes make of each other, and one of a cluster that was restored. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const ROLLOUTS = 'test/unit/controller/rollout-controller.test.ts';
const RACES = 'test/unit/controller/rollout-races.test.ts';
const FOREIGN = 'test/unit/controller/foreign-state.test.ts';
const RESTORED = 'test/unit/controller/restored.test.ts';

/** Every one of them must be noticed. */
export const PROCESS_MUTANTS: readonly Mutant[] = [
  {
    name: 'processes: a stamp that the other one has committed already is taken for an owner’s change',
    edit: change(
      'isFromElsewhere',
      'isCommitted || stamp.number > edges.floorOf(config.ref)',
      'stamp.number > edges.floorOf(config.ref)',
    ),
    tests: [FOREIGN],
  },
  {
    name: 'processes: any stamp of the committed number is the other one’s',
    edit: drop('isFromElsewhere', 'committed.digest === stamp.digest'),
    tests: [FOREIGN],
  },
  {
    name: 'processes: an entry stays the other one’s after this one wrote it',
    edit: drop('applyStateWrite', 'edges.elsewhere.delete()'),
    tests: [FOREIGN],
  },
  {
    name: 'processes: an entry is contradicted before the workloads are looked at',
    edit: change('FreshLook.atDisputed', 'this.#disputed()', 'this.#disputed(config).slice(99)'),
    tests: [FOREIGN],
  },
  {
    name: 'processes: every dependent is looked at, whatever it is known to have run',
    edit: change('FreshLook.#disputed', 'wouldForget()', 'workload.edges.size > 0'),
    tests: [FOREIGN],
  },
  {
    name: 'restores: an object is compared with what was known of it in another history',
    edit: change('config-controller/isStale', '!isRestored && isOlder(seen, known)', 'isOlder(seen, known)'),
    tests: [RESTORED],
  },
  {
    name: 'restores: a workload is patched with the fence of another history',
    edit: drop('workload-controller/isStale', 'if (isRestored) return false;'),
    tests: [RESTORED],
  },
  {
    name: 'restores: what happened before is still to come',
    edit: change('Timeline.turnBack', 'this.#furthest', '0'),
    tests: ['test/unit/model/timeline.test.ts'],
  },
  {
    name: 'restores: the state is not read again',
    edit: drop('KnownState.notice', 'if (isRestored) this.#stale.add(shard);'),
    tests: [RESTORED],
  },
  {
    name: 'processes: a look that the stream overtook is taken for news',
    edit: change('FreshLook.take', 'return false;', 'record.takeBacks += 0;'),
    tests: ['test/unit/controller/fresh-look.test.ts'],
  },
  {
    name: 'processes: after a look that was overtaken one goes on as if it had been news',
    edit: change('RolloutAttempts.#refresh', '!observe()', '!observe(ref, workload, since) && false'),
    tests: [ROLLOUTS],
  },
  {
    name: 'processes: a workload that cannot be looked at is left out',
    edit: change(
      'FreshLook.atDisputed',
      "if (reading.kind === 'failed') return false;",
      "if (reading.kind === 'failed') continue;",
    ),
    tests: [FOREIGN],
  },
  {
    name: 'processes: a workload whose patch is under way is not looked at',
    edit: drop('FreshLook.#disputed', 'numberOnItsWay(workload, config) > 0'),
    tests: [FOREIGN],
  },
  {
    name: 'processes: one whose time to end is over goes on with the state',
    edit: drop('finishInTime', 'halt()'),
    tests: ['test/unit/controller/guards.test.ts'],
  },
  {
    name: 'processes: what is under way at the end is waited for',
    edit: drop('HttpsTransport.close', 'for (const cut of this.#underWay) cut(closed());'),
    tests: ['test/unit/kubernetes/transport-end.test.ts'],
  },
  {
    name: 'processes: the number of a patch whose answer was lost is used again',
    edit: drop('RolloutAttempts.#refresh', 'if (isUnanswered) spendNumbers(edges, plan);'),
    tests: [RACES],
  },
  {
    name: 'processes: the number of a patch under way is used again once it is followed again',
    edit: change('release', 'max()', 'edge.highestNumber'),
    tests: ['test/unit/controller/rollout.test.ts'],
  },
  {
    name: 'processes: the number of a patch whose answer was lost is used again once the workload is made anew',
    edit: drop('RolloutAttempts.#refresh', 'if (isUnanswered) spendNumbers(edges, plan, true);'),
    tests: [RACES],
  },
];
