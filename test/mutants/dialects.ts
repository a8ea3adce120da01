/** Sabotages of the words of SAP and wave, of objects of other namespaces, and of what wave leaves behind. */

import type { Mutant } from './table.ts';

const RULES = ['test/unit/dialects/sap-wave.test.ts'];
const STAMPS = ['test/unit/controller/hash-stamps.test.ts'];
const PARKING = ['test/unit/dialects/parking.test.ts'];

/** Every one of them must be noticed. */
export const DIALECT_MUTANTS: readonly Mutant[] = [
  {
    name: 'sap: its labels say nothing',
    file: 'lib/dialects/policy.ts',
    find: "if (this.#isDisabled) return { asks: false, because: 'disabled' };",
    replace: '',
    tests: RULES,
  },
  {
    name: 'wave: any spelling of true asks',
    file: 'lib/dialects/policy.ts',
    find: "this.#words.autoIsToTheLetter ? value === 'true' : truthOf(value) === true",
    replace: 'truthOf(value) === true',
    tests: RULES,
  },
  {
    name: 'wave: extra objects ask by themselves',
    file: 'lib/dialects/policy.ts',
    find: 'if (this.#words.namesNeedAuto && !this.#isAuto(kind)) return [];',
    replace: '',
    tests: RULES,
  },
  {
    name: 'wave: one name is one object, whatever its namespace',
    file: 'lib/dialects/policy.ts',
    find: 'if (namespace !== this.#workload.ref.namespace) return false;',
    replace: '',
    tests: [...RULES, ...STAMPS],
  },
  {
    name: 'hashes: the order counts',
    file: 'lib/dialects/config-hash.ts',
    find: 'lines.sort().join',
    replace: 'lines.join',
    tests: RULES,
  },
  {
    name: 'hashes: they stand alone',
    file: 'lib/dialects/vocabulary.ts',
    find: '? beside\n',
    replace: "? { variable: 'NONE' }\n",
    tests: STAMPS,
  },
  {
    name: 'hashes: they are the owner’s',
    file: 'lib/dialects/vocabulary.ts',
    find: 'hash ?? lastReloadedFrom));',
    replace: 'lastReloadedFrom));',
    tests: ['test/unit/dialects/second-reloader.test.ts', ...STAMPS],
  },
  {
    name: 'hashes: what SAP left on the workload stays',
    file: 'lib/controller/rollout.ts',
    find: 'const triggers = edges.dialect.triggersOf(record.workload);',
    replace: 'const triggers: string[] = [];',
    tests: STAMPS,
  },
  {
    name: 'namespaces: exceptions do not name them',
    file: 'lib/model/state-entry.ts',
    find: 'return prefix(ref.namespace, namespace) + localEntryKeyOf(ref);',
    replace: 'return localEntryKeyOf(namespace === ref.namespace ? ref : { ...ref, namespace });',
    tests: ['test/unit/model/state-entry.test.ts', ...STAMPS],
  },
  {
    name: 'namespaces: only those of the object have to be listed',
    file: 'lib/controller/sync-gate.ts',
    find: '(this.#followsAcross ? this.#streams : covering)',
    replace: 'covering',
    tests: ['test/unit/controller/sync-gate.test.ts'],
  },
  {
    name: 'namespaces: that of the object has to be selected',
    file: 'lib/controller/edges.ts',
    find: 'if (this.isUnbegun(ref, workload.ref.namespace)) return',
    replace: 'if (this.isUnbegun(ref, ref.namespace)) return',
    tests: STAMPS,
  },
  {
    name: 'parking: the former scheduler is forgotten',
    file: 'lib/dialects/parking.ts',
    find: "return name === '' || name === NOBODY ? null : name;",
    replace: 'return name === NOBODY ? name : null;',
    tests: PARKING,
  },
  {
    name: 'parking: it is not fenced',
    file: 'lib/model/parking.ts',
    find: '      resourceVersion,\n',
    replace: '',
    tests: PARKING,
  },
  {
    name: 'parking: what fails is not tried again',
    file: 'lib/controller/unparking.ts',
    find: 'tryAfter: (key, ms) => this.#queue.addAfter(key, ms),',
    replace: 'tryAfter: () => undefined,',
    tests: ['test/unit/controller/unparking.test.ts'],
  },
];
