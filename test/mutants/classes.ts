/** Sabotages of how what pods have mounted of a class becomes its content. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const HISTORIES = 'test/unit/tracking/mounted-classes.test.ts';
const PLAYS = 'test/simulation/classes.test.ts';
const BY_CHANCE = 'test/simulation/simulation-classes.test.ts';

/** Every one of them must be noticed. */
export const CLASS_MUTANTS: readonly Mutant[] = [
  {
    name: 'classes: pods that all began with a content are rolled for it',
    edit: change('MountedClasses.#weigh', 'only.rewritten === 0', 'false'),
    tests: [HISTORIES],
  },
  {
    name: 'classes: a content that running pods got is taken over',
    edit: change('MountedClasses.#weigh', 'only.rewritten === 0', 'true'),
    tests: [HISTORIES],
  },
  {
    name: 'classes: what is left when pods end is news',
    edit: change('MountedClasses.#weigh', 'only.isNews', 'true'),
    tests: [HISTORIES],
  },
  {
    name: 'classes: a pod with a content of its own ends what is dynamic',
    edit: drop('MountedClasses.#weigh', 'each.isDynamic && !agreesAnywhere(each)'),
    tests: [HISTORIES],
  },
  {
    name: 'classes: a stuck node makes a class dynamic',
    edit: drop('MountedClasses.#settle', 'agreesAnywhere(each)'),
    tests: [HISTORIES],
  },
  {
    name: 'classes: one new pod without rotation is no news',
    edit: change('MountedClasses.#settle', 'known !== undefined', 'false'),
    tests: [HISTORIES],
  },
  {
    name: 'classes: each difference begins the maximum wait again',
    edit: change('MountedClasses.#differ', 'each.dueAt === undefined', 'true'),
    tests: [HISTORIES],
  },
  {
    name: 'classes: a list is decided about object by object',
    edit: change('MountedClasses.#touch', 'how.isInInitialList || how.isRelisted', 'false'),
    tests: [HISTORIES],
  },
  {
    name: 'classes: what is not mounted counts',
    edit: drop('mountedOf', 'mounted !== true'),
    tests: [HISTORIES],
  },
  {
    name: 'classes: empty versions are a content',
    edit: change('mountedOf', "pairs.every(({ version }) => version === '')", 'false'),
    tests: [HISTORIES],
  },
  {
    name: 'classes: a pod of the same name counts as rotated',
    edit: drop('beganWith', 'former.pod !== mounted.pod'),
    tests: [HISTORIES],
  },
  {
    name: 'classes: what is taken back leaves no doubt of pods that began with it',
    edit: change('MountedClasses.#take', 'each.begunOtherFrom !== undefined', 'false'),
    tests: [HISTORIES, PLAYS],
  },
  {
    name: 'classes: what pods began with that tell no version does not matter',
    edit: drop('MountedClasses.#weigh', 'each.silent === 0'),
    tests: [HISTORIES, PLAYS],
  },
  {
    name: 'classes: pods that differ are waited for for ever',
    edit: drop('MountedClasses.#differ', 'this.#pending.add(each)'),
    tests: [PLAYS, BY_CHANCE],
  },
  {
    name: 'classes: the first pod that is rotated counts for all',
    edit: change('MountedClasses.#weigh', 'another !== undefined', 'false'),
    tests: [PLAYS, BY_CHANCE],
  },
  {
    name: 'classes: what every pod began with is nothing to the workloads',
    edit: change('begunWith', 'areBegun === true', 'false'),
    tests: [PLAYS],
  },
  {
    name: 'classes: what none has is kept in memory',
    edit: drop('MountedClasses.#dropStatus', '#forget()'),
    tests: [HISTORIES],
  },
];
