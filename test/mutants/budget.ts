/** Sabotages of the budget of rollouts. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const UNIT = 'test/unit/rollout/slots.test.ts';
const TURNS = 'test/unit/rollout/turns.test.ts';
const ROLLING = 'test/unit/model/rolling.test.ts';
const EVICTIONS = 'test/unit/rollout/eviction.test.ts';
const HISTORIES = 'test/simulation/simulation-budgets.test.ts';

/** Every one of them must be noticed. */
export const BUDGET_MUTANTS: readonly Mutant[] = [
  {
    name: 'budget: there is always a slot',
    edit: change('slots/hasRoom', 'countedOf(taken, slots) < slots', 'true'),
    tests: [UNIT, HISTORIES],
  },
  {
    name: 'budget: a namespace has no limit of its own',
    edit: drop('Slots.#hasRoom', 'hasRoom(taken.get(namespaceIn(key)), budget.slotsPerNamespace)'),
    tests: [UNIT, HISTORIES],
  },
  {
    name: 'budget: rollouts of others take every slot',
    edit: change('slots/countedOf', 'Math.min(others, slots - 1)', 'others'),
    tests: [UNIT],
  },
  {
    name: 'budget: rollouts of others take none',
    edit: change('slots/countedOf', 'Math.min(others, slots - 1)', '0'),
    tests: [UNIT],
  },
  {
    name: 'budget: the rate is not kept to',
    edit: change('Slots.#hasRoom', 'this.#bucket.waitMs > 0', 'false'),
    tests: [UNIT],
  },
  {
    name: 'budget: a token is there before its time',
    edit: change('TokenBucket.waitMs', 'this.#burst - 1', 'this.#burst'),
    tests: [UNIT],
  },
  {
    name: 'budget: nothing is done when a token is there',
    edit: change('Slots.#arm', 'tokenMs > 0', 'false'),
    tests: [UNIT],
  },
  {
    name: 'budget: what begins takes its slot only with its answer',
    edit: drop('Slots.#grant', 'this.#begun.add(waiting.key)'),
    tests: [UNIT, HISTORIES],
  },
  {
    name: 'budget: a patch without an answer takes no slot',
    edit: change('Slots.#seenOf', 'record.inFlight !== undefined', 'false'),
    tests: [UNIT],
  },
  {
    name: 'budget: a conflict frees the slot',
    edit: drop('Slots.ended', "outcome === 'again'"),
    tests: [UNIT],
  },
  {
    name: 'budget: a refused patch keeps its slot',
    edit: drop('Slots.ended', 'this.#begun.delete(workload)'),
    tests: [UNIT],
  },
  {
    name: 'budget: a rollout that is complete frees no slot before the next event',
    edit: change('Slots.observed', 'wasTaking && !this.#isTaking(workload)', 'false'),
    tests: [UNIT],
  },
  {
    name: 'budget: a workload that is deleted keeps its slot',
    edit: drop('Slots.forget', 'this.#rollouts.delete(workload)'),
    tests: [UNIT],
  },
  {
    name: 'budget: a slot that ended without progress is taken again',
    edit: drop('Slots.#look', 'known.isOverdue'),
    tests: [UNIT],
  },
  {
    name: 'budget: any event prolongs the deadline',
    edit: drop('Slots.#look', 'seen.progress <= known.progress'),
    tests: [UNIT],
  },
  {
    name: 'budget: a slot has no end',
    edit: change('Slots.#due', 'isOverdue: true,', 'isOverdue: false,'),
    tests: [UNIT, EVICTIONS],
  },
  {
    name: 'budget: pods that fail later are a rollout',
    edit: drop('Slots.#seenOf', 'this.#completed.get(key) === generation'),
    tests: [UNIT],
  },
  {
    name: 'budget: a workload in a rollout waits for another slot',
    edit: change('Slots.#hasRoom', 'this.#rollouts.get(key)?.isOurs', 'false'),
    tests: [UNIT],
  },
  {
    name: 'budget: what has no rollout waits for a slot',
    edit: drop('Slots.#hasRoom', "workload.rolling === 'held'"),
    tests: [UNIT],
  },
  {
    name: 'budget: rollouts begin before all are listed',
    edit: drop('Slots.#hasRoom', '!isListed()'),
    tests: [UNIT],
  },
  {
    name: 'budget: evictions take no slot',
    edit: change('Slots.#seenOf', 'evicted !== undefined', 'false'),
    tests: [EVICTIONS],
  },
  {
    name: 'budget: who waits holds up commits',
    edit: drop('RolloutController.#endWindow', 'this.#due.delete(key)'),
    tests: [UNIT],
  },
  {
    name: 'budget: a change opens a window for who waits',
    edit: change('RolloutController.touch', 'this.slots?.isWaiting(workload)', 'false'),
    tests: [UNIT],
  },
  {
    name: 'budget: who waits is stuck as long as it is out of date',
    edit: change('Slots.stuckSince', 'Math.max(since, this.#lastBeginAt)', 'since'),
    tests: [UNIT],
  },
  {
    name: 'turns: a namespace keeps its turn',
    edit: drop('Turns.taken', 'namespaceOf(waiting)'),
    tests: [TURNS],
  },
  {
    name: 'turns: an object keeps its turn',
    edit: drop('Turns.taken', 'laneOf(waiting)'),
    tests: [TURNS],
  },
  {
    name: 'turns: the newest change comes first',
    edit: change('Turns.order', 'one.changedAt - other.changedAt', 'other.changedAt - one.changedAt'),
    tests: [TURNS],
  },
  {
    name: 'rolling: a rollout that was complete is one again when a pod fails',
    edit: change('rollingOf', 'kind.hasCompleted?.(raw) === true', 'false'),
    tests: [ROLLING],
  },
  {
    name: 'rolling: what was complete before hides older pods',
    edit: change('rollingOf', 'old <= 0', 'true'),
    tests: [ROLLING],
  },
  {
    name: 'rolling: a template that its controller has not seen is rolled out',
    edit: change('rollingOf', '!kind.isObserved(raw)', 'false'),
    tests: [ROLLING, UNIT],
  },
];
