/** Sabotages of evictions. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const UNIT = 'test/unit/rollout/eviction.test.ts';
const PODS = 'test/unit/rollout/pods-of-operators.test.ts';
const ROWS = 'test/unit/model/evicted-kinds.test.ts';
const READS = 'test/unit/kubernetes/evictions.test.ts';
const HISTORIES = 'test/simulation/simulation-evictions.test.ts';

/** Every one of them must be noticed. */
export const EVICTION_MUTANTS: readonly Mutant[] = [
  {
    name: 'evictions: pods are evicted before the state knows',
    edit: change('PodEvictions.attempt', '!this.#isRecorded(record, session)', 'false'),
    tests: [UNIT],
  },
  {
    name: 'evictions: a pod that is younger than the change goes too',
    edit: change('PodEvictions.#sessionFor', '!isAfter(createdAt, changedAt)', 'true'),
    tests: [UNIT, HISTORIES],
  },
  {
    name: 'evictions: a pod that became ready or not does not count',
    edit: drop('PodEvictions.#evictSome', 'serves(pod) && room <= 0'),
    tests: [UNIT, HISTORIES],
  },
  {
    name: 'evictions: the successors of a pod are taken to have read what comes back',
    edit: drop('PodEvictions.#sessionFor', 'this.#doubt(record, plan)'),
    tests: [UNIT, HISTORIES],
  },
  {
    name: 'evictions: an opt-out between two evictions is not noticed',
    edit: change('PodEvictions.#evictSome', '!this.#isWanted(record)', 'false'),
    tests: [UNIT],
  },
  {
    name: 'evictions: commits wait for them',
    edit: change('RolloutController.isWaiting', 'this.#attempts.isEvicting(workload)', 'false'),
    tests: [UNIT],
  },
  {
    name: 'evictions: a right that is missing is not named',
    edit: change('eviction/refusal', "code === 'forbidden'", 'false'),
    tests: [UNIT],
  },
  {
    name: 'evictions: two pods of one owner go by looks at the same pods',
    edit: change('PodEvictions.#roomIn', '!this.#siblings.isShown(group, turn)', 'false'),
    tests: [PODS],
  },
  {
    name: 'evictions: a look during the eviction of another pod counts',
    edit: change('Siblings.isShown', 'turn.answered', 'turn.sent'),
    tests: [PODS],
  },
  {
    name: 'evictions: a pod of an owner that is away is not missed',
    edit: change('Siblings.desired', 'Math.max(known.most, count)', 'count'),
    tests: [PODS],
  },
  {
    name: 'evictions: an owner that wants fewer pods holds up the others for ever',
    edit: change('Siblings.desired', 'until <= now', 'false'),
    tests: [PODS],
  },
  {
    name: 'evictions: to wait for siblings that go is a standstill',
    edit: drop('look', 'turn.done !== session.turn.done'),
    tests: [PODS],
  },
  {
    name: 'evictions: a pod goes for the change of its sibling',
    edit: change('PodEvictions.#sessionFor', 'uid === record.workload.uid', 'true'),
    tests: [PODS],
  },
  {
    name: 'evictions: a pod that was not evicted is in doubt',
    edit: drop('PodEvictions.#sessionFor', '!isOnePod(record)'),
    tests: [PODS],
  },
  {
    name: 'evictions: an eviction that was lost counts as accepted',
    edit: change('PodEvictions.attempt', 'evicted.accepted > 0', 'true'),
    tests: [PODS],
  },
  {
    name: 'evictions: a Pod is taken for the one of its name before it',
    edit: change('debts/nameOf', 'owner === undefined', 'true'),
    tests: [PODS],
  },
  {
    name: 'evictions: an entry goes with the last Pod',
    edit: drop('endEdge', 'record.workload.owner === undefined'),
    tests: [PODS],
  },
  {
    name: 'evictions: a Pod goes that does not come back',
    edit: drop('isUnable', 'owner === NAKED'),
    tests: [PODS],
  },
  {
    name: 'evictions: nothing is said of a Pod that does not come back',
    edit: change('naked', 'owner !== NAKED', 'true'),
    tests: [ROWS],
  },
  {
    name: 'evictions: what another workload has made is a workload',
    edit: drop('workloadOf', 'isOfOther(kind, raw)'),
    tests: [ROWS],
  },
  {
    name: 'evictions: the group of an owner does not count',
    edit: drop('isOfOther', 'row.group === group'),
    tests: [ROWS],
  },
  {
    name: 'evictions: a Pod that has ended is a workload',
    edit: drop('POD', "status?.phase === 'Failed'"),
    tests: [ROWS],
  },
  {
    name: 'evictions: an annotation has them stamped',
    edit: drop('Union.strategyOf', "rollout === 'evict'"),
    tests: [ROWS],
  },
  {
    name: 'evictions: the pods of Jobs are evicted too',
    edit: change('Union.strategyOf', "rollout !== 'replace-pods'", 'false'),
    tests: [ROWS],
  },
  {
    name: 'evictions: all Pods are watched',
    edit: change('workloadSource', 'labelSelector === undefined', 'true'),
    tests: ['test/unit/kubernetes/list-watch.test.ts'],
  },
  {
    name: 'evictions: the rights for kinds that are only evicted are not asked for',
    edit: drop('streamPermissions', "rollouts.includes('evict')"),
    tests: ['test/unit/kubernetes/permissions.test.ts'],
  },
  {
    name: 'evictions: what an operator made has no pods of its kind',
    edit: change('Evictions.#podsOf', 'MADE_BY_OPERATORS', '[]'),
    tests: [READS],
  },
  {
    name: 'evictions: a kind whose pods are not known is taken for done',
    edit: drop('Evictions.#podsOf', 'isOfOperator && own.length === 0 && desired !== 0'),
    tests: [READS],
  },
  {
    name: 'evictions: that no pod is known is tried again in silence',
    edit: drop('eviction/failed', 'isUnreached === true'),
    tests: [UNIT],
  },
];
