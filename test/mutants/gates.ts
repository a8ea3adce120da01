/** Sabotages of holds, windows, approvals and urgent changes. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const UNIT = 'test/unit/rollout/gates.test.ts';
const HISTORIES = 'test/simulation/simulation-holds.test.ts';
const WINDOW = 'test/unit/model/reload-window.test.ts';
const APPROVALS = 'test/unit/rollout/approvals.test.ts';
const SCENES = 'test/simulation/gates.test.ts';
const NAMESPACES = 'test/unit/rollout/namespace-annotations.test.ts';
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
    edit: change('RolloutController.touch', 'this.gates.isKeptOtherwise()', 'false'),
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
    name: 'approvals: any token is as good as the one of what waits',
    edit: change('gate/RULES', 'given === token', 'given !== undefined'),
    tests: [APPROVALS, SCENES],
  },
  {
    name: 'approvals: none is needed',
    edit: change('needsApproval', "firstOf(levels, APPROVAL) === 'required'", 'false'),
    tests: [APPROVALS, HISTORIES],
  },
  {
    name: 'approvals: a rollout leaves them',
    edit: change('planRollout', 'approvalsOn(record.workload.annotations)', '[]'),
    tests: [APPROVALS, SCENES],
  },
  {
    name: 'approvals: a JSON patch leaves them',
    edit: change('jsonPatchOf', '!triggers.includes(key)', 'true'),
    tests: ['test/unit/model/json-patch-of.test.ts'],
  },
  {
    name: 'approvals: they stay on the object that has the template',
    edit: change('referencedPlan', 'triggers.length > 0', 'false'),
    tests: ['test/unit/tracking/referenced-templates.test.ts'],
  },
  {
    name: 'approvals: of a Rollout that has no template they are asked for there',
    edit: change(
      'approvalCommand',
      '(!settings.vocabularies.restarts(workload) && referenced) || ref',
      'ref',
    ),
    tests: ['test/unit/tracking/referenced-templates.test.ts'],
  },
  {
    name: 'approvals: a Job that is created anew keeps them',
    edit: change('successorOf', 'APPROVED_ANNOTATION', 'REPLACES_ANNOTATION'),
    tests: ['test/unit/model/job-succession.test.ts'],
  },
  {
    name: 'approvals: a token tells objects apart, and no contents',
    edit: change('tokenOf', "pair.join('=')", 'pair[0]'),
    tests: [ANNOTATIONS, APPROVALS],
  },
  {
    name: 'approvals: a token tells contents apart, and no objects',
    edit: change('tokenOf', "pair.join('=')", 'pair[1]'),
    tests: [ANNOTATIONS],
  },
  {
    name: 'approvals: the order of objects is part of a token',
    edit: drop('tokenOf', 'sort()'),
    tests: [ANNOTATIONS],
  },
  {
    name: 'approvals: people are not counted as awaited',
    edit: change('Gates.awaitingPeople', "type === 'approval'", 'false'),
    tests: [APPROVALS],
  },
  {
    name: 'notify-only: it is rolled',
    edit: change('isNotifyOnly', "firstOf(levels, NOTIFY_ONLY) === 'true'", 'false'),
    tests: [APPROVALS, HISTORIES],
  },
  {
    name: 'namespaces: what they say is not waited for',
    edit: change('gate/RULES', 'settings.readsNamespaces === true && !areNamespacesListed', 'false'),
    tests: [NAMESPACES, SCENES],
  },
  {
    name: 'namespaces: their holds hold nothing',
    edit: change('gate/RULES', 'store.namespaceAnnotations.get(ref.namespace)', 'undefined'),
    tests: [NAMESPACES, SCENES],
  },
  {
    name: 'namespaces: their words come first',
    edit: change(
      'levelsOf',
      '[workload.annotations, namespaceAnnotations.get(workload.ref.namespace) ?? {}]',
      '[namespaceAnnotations.get(workload.ref.namespace) ?? {}, workload.annotations]',
    ),
    tests: [NAMESPACES],
  },
  {
    name: 'namespaces: a change of their words is not noticed',
    edit: drop('NamespaceAnnotations.#take', 'this.#onChanged()'),
    tests: [NAMESPACES],
  },
  {
    name: 'namespaces: every write of one is news',
    edit: change('NamespaceAnnotations.#take', 'textOf(before) === textOf(annotations)', 'false'),
    tests: [NAMESPACES],
  },
  {
    name: 'namespaces: a new term does not know what they say',
    edit: change('handOver', 'store.namespaceAnnotations.get(namespace) ?? {}', '{}'),
    tests: [SCENES],
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
    edit: change(
      'gating/reloadWindowOf',
      '[...levels.map((annotations) => annotations[WINDOW]), usual]',
      '[usual, ...levels.map((annotations) => annotations[WINDOW])]',
    ),
    tests: [UNIT],
  },
  {
    name: 'holds: a time needs no zone',
    edit: change('heldUntil', 'MOMENT.test(value)', 'true'),
    tests: [ANNOTATIONS],
  },
];
