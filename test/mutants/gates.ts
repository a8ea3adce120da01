/** Sabotages of holds, windows and urgent changes. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const UNIT = 'test/unit/rollout/gates.test.ts';
const HISTORIES = 'test/simulation/simulation-holds.test.ts';
const WINDOW = 'test/unit/model/reload-window.test.ts';
const ANNOTATIONS = 'test/unit/annotations/gating.test.ts';

/** Every one of them must be noticed. */
export const GATE_MUTANTS: readonly Mutant[] = [
  {
    name: 'gates: nothing is held',
    edit: change('RolloutAttempts.#keptFrom', 'gate !== undefined', 'false'),
    tests: [HISTORIES, UNIT],
  },
  {
    name: 'gates: a hold has no end',
    edit: change('gate/holdOf', 'until <= now', 'false'),
    tests: [UNIT],
  },
  {
    name: 'gates: an object that has not changed holds',
    edit: change('gate/outdatedObjects', 'isOutdatedOn(store, record, config, edge)', 'true'),
    tests: [UNIT],
  },
  {
    name: 'gates: what is urgent waits for a window',
    edit: change('gate/isUrgentFor', 'isUrgent(annotations)', 'false'),
    tests: [UNIT],
  },
  {
    name: 'gates: the end of a hold is not noticed',
    edit: change('Gates.hasChanged', 'now?.message !== gate.message', 'false'),
    tests: [UNIT],
  },
  {
    name: 'gates: a long hold is not looked at in between',
    edit: change('Gates.close', 'Math.min(msUntil(gate), LONGEST_LOOK_MS)', 'msUntil(gate)'),
    tests: [UNIT],
  },
  {
    name: 'gates: what was held stays so',
    edit: drop('RolloutController.#conclude', 'this.gates.forget(key)'),
    tests: [UNIT],
  },
  {
    name: 'gates: a change opens a window for what is held',
    edit: change('RolloutController.touch', 'this.gates.of(workload) !== undefined', 'false'),
    tests: [UNIT],
  },
  {
    name: 'gates: an urgent change waits for the window that is open',
    edit: change('WindowLengths.isOver', 'end - monotonicMs() > this.askedOf(workload).quietMs', 'false'),
    tests: [UNIT],
  },
  {
    name: 'gates: an urgent change begins a pause',
    edit: drop('planRollout', 'isUrgentFor(store, record)'),
    tests: [UNIT],
  },
  {
    name: 'windows: an end is not the first minute after',
    edit: change('endAt', 'now - lengthMs', 'now - lengthMs - 1'),
    tests: [WINDOW],
  },
  {
    name: 'windows: what denies allows',
    edit: change('windowOf', 'Math.max(deniedUntil, allowedFrom)', 'allowedFrom'),
    tests: [WINDOW],
  },
  {
    name: 'windows: an answer holds for ever',
    edit: change('windowOf', 'known?.minute !== minute', 'known === undefined'),
    tests: [WINDOW],
  },
  {
    name: 'windows: summer time moves a beginning by an hour',
    edit: change('beginAfter', 'schedule.match(next)', 'true'),
    tests: [WINDOW],
  },
  {
    name: 'windows: one that never opens counts',
    edit: change('parseReloadWindow', 'opens(window)', 'true'),
    tests: [WINDOW],
  },
  {
    name: 'windows: that of the flag comes first',
    edit: change('gating/reloadWindowOf', '[annotations[WINDOW], usual]', '[usual, annotations[WINDOW]]'),
    tests: [UNIT],
  },
  {
    name: 'holds: a time needs no zone',
    edit: change('heldUntil', 'MOMENT.test(value)', 'true'),
    tests: [ANNOTATIONS],
  },
];
