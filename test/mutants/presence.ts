/** Sabotages of what the coming and going of an object leads to. */

import type { Mutant } from './table.ts';

const PRESENCE = 'test/unit/controller/presence.test.ts';

/** Every one of them must be noticed. */
export const PRESENCE_MUTANTS: readonly Mutant[] = [
  {
    name: 'presence: an object that the pods need rolls by its coming and going',
    file: 'lib/controller/presence.ts',
    find: '?.isOptional ?? true;',
    replace: '?.isOptional !== undefined || true;',
    tests: [PRESENCE],
  },
  {
    name: 'presence: what no list has shown yet counts as absent',
    file: 'lib/controller/presence.ts',
    find: 'return this.isAbsent(ref) && canDoWithout(workload, ref) ? ABSENT : undefined;',
    replace: 'return canDoWithout(workload, ref) ? ABSENT : undefined;',
    tests: [PRESENCE],
  },
  {
    name: 'presence: creation counts where only deletion should',
    file: 'lib/controller/presence.ts',
    find: 'return ran !== ABSENT || observed === ABSENT || this.#rules.onCreate;',
    replace: 'return true;',
    tests: [PRESENCE],
  },
  {
    name: 'presence: what the first list shows has just come to be',
    file: 'lib/controller/presence.ts',
    find: 'digest === undefined && this.countsAbsence(workload, ref) && this.isAbsent(ref)',
    replace: 'digest === undefined && this.countsAbsence(workload, ref)',
    tests: [PRESENCE],
  },
  {
    name: 'presence: pods that start between a deletion and the return are believed to have read the same',
    file: 'lib/controller/config-controller.ts',
    find: "const isReturn = absence !== 'nothing' && before === undefined;",
    replace: 'const isReturn = false;',
    tests: [PRESENCE],
  },
  {
    name: 'presence: what comes and goes once its deletion was rolled counts as changed since that',
    file: 'lib/controller/config-controller.ts',
    find: "(isReturn && absence === 'a gap')",
    replace: 'isReturn',
    tests: [PRESENCE],
  },
  {
    name: 'presence: pods that wait for an object may have started without it',
    file: 'lib/controller/config-controller.ts',
    find: 'countsAbsence(edges, workload, object.ref) ? afterAbsence : difference;',
    replace: 'edges.workloads.has(workload) ? afterAbsence : difference;',
    tests: [PRESENCE],
  },
  {
    name: 'presence: that pods started without the object is forgotten with the process',
    file: 'lib/controller/edges.ts',
    find: 'return startsWithout ? { ...begun, dirty: true } : begun;',
    replace: 'return begun;',
    tests: [PRESENCE],
  },
  {
    name: 'presence: what was deleted while no reloader ran is not looked for',
    file: 'lib/controller/config-controller.ts',
    find: 'observeEdge(edges, effects, workload, key, NOTHING_BEFORE);',
    replace: '',
    tests: [PRESENCE],
  },
  {
    name: 'presence: who is heard of after the objects were listed did not start without any',
    file: 'lib/controller/edges.ts',
    find: 'const begun = isAway && edge.ran === undefined ? { ...edge, ran: ABSENT } : edge;',
    replace:
      'const begun = isAway && edge.ran === undefined && this.observed(record, config) === undefined ? { ...edge, ran: ABSENT } : edge;',
    tests: [PRESENCE],
  },
  {
    name: 'presence: the absence of an object is not committed',
    file: 'lib/controller/edges.ts',
    find: 'return isAbsence ? ABSENT : undefined;',
    replace: 'return undefined;',
    tests: [PRESENCE],
  },
];
