/** Sabotages of the words of SAP and wave, of objects of other namespaces, and of what wave leaves behind. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const RULES = ['test/unit/annotations/sap-wave.test.ts'];
const STAMPS = ['test/unit/tracking/hash-stamps.test.ts'];
const PARKING = ['test/unit/annotations/wave-leftovers.test.ts'];

/** Every one of them must be noticed. */
export const DIALECT_MUTANTS: readonly Mutant[] = [
  { name: 'sap: its labels say nothing', edit: drop('Policy.judge', 'this.#isDisabled'), tests: RULES },
  {
    name: 'wave: any spelling of true asks',
    edit: change('Policy.#isTrue', 'this.#words.autoIsToTheLetter', 'false'),
    tests: RULES,
  },
  {
    name: 'wave: extra objects ask by themselves',
    edit: drop('Policy.#parsed', 'this.#words.namesNeedAuto && !this.#isAuto(kind)'),
    tests: RULES,
  },
  {
    name: 'wave: one name is one object, whatever its namespace',
    edit: drop('Policy.#isIn', 'namespace === this.#workload.ref.namespace'),
    tests: [...RULES, ...STAMPS],
  },
  { name: 'hashes: the order counts', edit: change('configHashOf', 'sort()', 'lines'), tests: RULES },
  {
    name: 'hashes: they stand alone',
    edit: change('Union.placesOf.places', 'beside', "{ variable: 'NONE' }"),
    tests: STAMPS,
  },
  {
    name: 'hashes: they are the owner’s',
    edit: change('Union.constructor', 'hash ?? lastReloadedFrom', 'lastReloadedFrom'),
    tests: ['test/unit/annotations/second-reloader.test.ts', ...STAMPS],
  },
  {
    name: 'hashes: what SAP left on the workload stays',
    edit: change('planRollout', 'store.settings.vocabularies.triggersOf(record.workload)', '[]'),
    tests: STAMPS,
  },
  {
    name: 'namespaces: exceptions do not name them',
    edit: change(
      'overriddenKeyOf',
      'prefix(ref.namespace, namespace) + localEntryKeyOf(ref)',
      'localEntryKeyOf(namespace === ref.namespace ? ref : { ...ref, namespace })',
    ),
    tests: ['test/unit/model/state-entry.test.ts', ...STAMPS],
  },
  {
    name: 'namespaces: only those of the object have to be listed',
    edit: change('SyncGate.#followersOf', 'this.#followsAcross', 'false'),
    tests: ['test/unit/store/sync-gate.test.ts'],
  },
  {
    name: 'namespaces: of no vocabulary those of workloads elsewhere have to be listed',
    edit: change('followsAcross', 'namesMayBeElsewhere === true', 'false'),
    tests: ['test/unit/annotations/union.test.ts'],
  },
  {
    name: 'namespaces: that of the object has to be selected',
    edit: change('edge-policy/judge', 'workload.ref', 'ref'),
    tests: STAMPS,
  },
  {
    name: 'wave cleanup: the former scheduler is forgotten',
    edit: change(
      'realScheduler',
      "name === '' || name === NO_SCHEDULER ? null : name",
      'name === NO_SCHEDULER ? name : null',
    ),
    tests: PARKING,
  },
  { name: 'parking: it is not fenced', edit: drop('cleanupPatch', 'resourceVersion,'), tests: PARKING },
  {
    name: 'parking: what fails is not tried again',
    edit: change('LivePatches.#putOff', 'this.#queue.backOff()', "'done'"),
    tests: ['test/unit/repair/wave-cleanup.test.ts'],
  },
];
