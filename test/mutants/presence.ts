/** Sabotages of what the coming and going of an object leads to. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const PRESENCE = 'test/unit/store/presence.test.ts';

/** Every one of them must be noticed. */
export const PRESENCE_MUTANTS: readonly Mutant[] = [
  {
    name: 'presence: an object that the pods need rolls by its coming and going',
    edit: change('Presence.#canDoWithout', 'referenceOf(workload, ref)?.isOptional', 'true'),
    tests: [PRESENCE],
  },
  {
    name: 'presence: what no list has shown yet counts as absent',
    edit: drop('Presence.observed', 'isAbsent()'),
    tests: [PRESENCE],
  },
  {
    name: 'presence: creation counts where only deletion should',
    edit: change(
      'Presence.counts',
      'runningDigest !== ABSENT || observed === ABSENT || this.#rules.onCreate',
      'true',
    ),
    tests: [PRESENCE],
  },
  {
    name: 'presence: what the first list shows has just come to be',
    edit: drop('Presence.beginsAbsent', 'isAbsent()'),
    tests: [PRESENCE],
  },
  {
    name: 'presence: pods that start between a deletion and the return are believed to have read the same',
    edit: change('differenceFrom', "absence !== 'nothing' && before === undefined", 'false'),
    tests: [PRESENCE],
  },
  {
    name: 'presence: what comes and goes once its deletion was rolled counts as changed since that',
    edit: change('differenceFrom', "(isReturn && absence === 'a gap')", 'isReturn'),
    tests: [PRESENCE],
  },
  {
    name: 'presence: pods that wait for an object may have started without it',
    edit: change(
      'observeVersion',
      'countsAbsence(store, workload, object.ref)',
      'store.workloads.has(workload)',
    ),
    tests: [PRESENCE],
  },
  {
    name: 'presence: that pods started without the object is forgotten with the process',
    edit: change('underPolicy', "nextEdge(begun, { type: 'pods-start-without' })", 'begun'),
    tests: [PRESENCE],
  },
  {
    name: 'presence: what was deleted while no reloader ran is not looked for',
    edit: drop('observeListed', 'observeEdge()'),
    tests: [PRESENCE],
  },
  {
    name: 'presence: who is heard of after the objects were listed did not start without any',
    edit: change(
      'underPolicy',
      'isAway && edge.runningDigest === undefined',
      'isAway && edge.runningDigest === undefined && this.observed(record, config) === undefined',
    ),
    tests: [PRESENCE],
  },
  {
    name: 'presence: the absence of an object is not committed',
    edit: change('committable', 'isAbsence ? ABSENT : undefined', 'undefined'),
    tests: [PRESENCE],
  },
];
