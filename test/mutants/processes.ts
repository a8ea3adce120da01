/** Sabotages of what a process makes of the writes of others, and of a cluster that was restored. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const ROLLOUTS = 'test/unit/controller/rollout-controller.test.ts';
const RACES = 'test/unit/controller/rollout-races.test.ts';
const EDGES = 'test/unit/controller/edge-rules.test.ts';
const FOREIGN = 'test/unit/controller/foreign-state.test.ts';
const RESTORED = 'test/unit/controller/restored.test.ts';

/** Every one of them must be noticed. */
export const PROCESS_MUTANTS: readonly Mutant[] = [
  {
    name: 'processes: a stamp of a peer is believed',
    edit: change('afterWrites', 'isOfPeer()', 'false'),
    tests: [EDGES],
  },
  {
    name: 'processes: a stamp that is silent is one of a peer',
    edit: change('isOfPeer', 'edges.floorOf()', '0'),
    tests: [EDGES],
  },
  {
    name: 'processes: what others wrote to the state adds no doubt',
    edit: change('takeInForeign', 'isDoubted()', 'false'),
    tests: [FOREIGN],
  },
  {
    name: 'processes: what others wrote to the state settles an edge',
    edit: change(
      'foreign-state/doubt',
      'asUnknown()',
      '{ ...edge, ran: believedAtStart(edges, edges.state, workload, ref) }',
    ),
    tests: [FOREIGN],
  },
  {
    name: 'processes: what others made doubtful is not rolled',
    edit: drop('foreign-state/doubt', 'effects.touch()'),
    tests: [FOREIGN],
  },
  {
    name: 'processes: a write of one’s own without an answer is taken for one of others',
    edit: change('isDoubted', 'own.every()', 'true'),
    tests: [FOREIGN],
  },
  {
    name: 'processes: numbers do not go on above those that others wrote',
    edit: drop('foreign-state/judge', 'edges.raiseFloor()'),
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
