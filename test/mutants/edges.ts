/** Sabotages of what pods are believed to run: templates in another spelling, late lists, debts of edges that ended, ages. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const RESPELLING = 'test/simulation/respelling.test.ts';
const LATE_LISTS = 'test/simulation/late-list.test.ts';
const DEBTS = 'test/simulation/debts.test.ts';
const BIRTHS = 'test/unit/rollout/births.test.ts';
const ABSENCES = 'test/simulation/births.test.ts';

/** Every one of them must be noticed. */
export const EDGE_MUTANTS: readonly Mutant[] = [
  {
    name: 'edges: the state does not say when it was written',
    edit: drop('KeptObject.create', 'labels,'),
    tests: ['test/unit/kubernetes/writers.test.ts', 'test/simulation/births.test.ts'],
  },
  {
    name: 'edges: another spelling of a template is another template',
    edit: change('hasNewSpelling', 'known.templateDigest !== seen.templateDigest', 'false'),
    tests: [RESPELLING],
  },
  {
    name: 'edges: a write that only shows another spelling is an owner’s rollout',
    edit: change('isAnotherRevision', 'revision !== before', 'true'),
    tests: [RESPELLING],
  },
  {
    name: 'edges: an owner’s rollout is followed through another spelling of its template',
    edit: drop('followExternalRollout', '!diff.isRespelled'),
    tests: [RESPELLING],
  },
  {
    name: 'edges: what is listed late is the baseline, whatever its entry says',
    edit: drop('begunEdge', 'store.persisted.entryOf(record.ref)?.digest'),
    tests: [LATE_LISTS],
  },
  {
    name: 'edges: what is owed as an edge ends is forgotten',
    edit: drop('rememberDebt', 'debts.set(nameOf(workload, config), present + GRACE_MS);'),
    tests: [DEBTS],
  },
  {
    name: 'edges: what was owed as an edge ended is owed for ever',
    edit: change('recallDebt', 'until > now()', 'until > 0'),
    tests: [DEBTS],
  },
  {
    name: 'births: whatever was rolled in an absence has read what is in force',
    edit: change('Births.#settle', '!isAfter(createdAt, config.lastWrite)', 'false'),
    tests: [BIRTHS, ABSENCES],
  },
  {
    name: 'births: what lost a key, which leaves no time, is as old as its last write',
    edit: change('Births.#doubtful', 'isAfter(config.lastWrite, store.persisted.writtenAt)', 'true'),
    tests: [BIRTHS],
  },
  {
    name: 'births: a ReplicaSet of another revision says how old the pods are',
    edit: change('Births.weigh', 'birth?.revision === revision', 'true'),
    tests: [BIRTHS],
  },
  {
    name: 'births: pods of before may be left',
    edit: change('Births.weigh', 'store.workloads.get(workload) === record && isRolledOut', 'true'),
    tests: [BIRTHS, ABSENCES],
  },
  {
    name: 'births: times of one second are told apart',
    edit: change('isAfter', 'moment - other > DOUBT_S', 'moment > other'),
    tests: ['test/unit/model/age.test.ts'],
  },
  {
    name: 'births: nothing is looked at after an absence',
    edit: drop('RolloutAttempts.run', 'await this.#births.weigh(key);'),
    tests: [ABSENCES],
  },
];
