/** Sabotages of the consent of objects to workloads of other namespaces. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const WORDS = ['test/unit/annotations/allow-from.test.ts'];
const RULES = ['test/unit/tracking/consent.test.ts'];
const HISTORIES = ['test/simulation/simulation-elsewhere.test.ts'];
const PROBE = ['test/unit/repair/missing-object-probe.test.ts'];

/** Every one of them must be noticed. */
export const CONSENT_MUTANTS: readonly Mutant[] = [
  {
    name: 'consent: no object needs it',
    edit: change('Union.needsConsent', 'namespace !== ref.namespace', 'false'),
    tests: [...WORDS, ...RULES, ...HISTORIES],
  },
  {
    name: 'consent: the flag for any object says nothing',
    edit: change('Union.needsConsent', "this.#options.crossNamespace !== 'any'", 'true'),
    tests: [...WORDS, ...RULES, ...HISTORIES],
  },
  {
    name: 'consent: that to one namespace is one to all',
    edit: change('allow-from/allows', 'allowed.has(namespace)', 'allowed.size > 0'),
    tests: [...WORDS, ...RULES],
  },
  {
    name: 'consent: what is malformed counts as far as it can be read',
    edit: change('allow-from/namespacesIn', 'items.every()', 'true'),
    tests: WORDS,
  },
  {
    name: 'consent: a value without end is read',
    edit: drop('allow-from/namespacesIn', 'value.length > LONGEST_CONSENT'),
    tests: WORDS,
  },
  {
    name: 'consent: an object that is not seen yet has it',
    edit: change('consentOf', "'unknown'", "'given'"),
    tests: ['test/unit/app/status.test.ts', 'test/unit/admission/cache-reader.test.ts'],
  },
  {
    name: 'consent: what the state knows waits until the object is seen',
    edit: change('namedBy.mayFollow', 'store.persisted.entryOf(ref) !== undefined', 'false'),
    tests: RULES,
  },
  {
    name: 'consent: what the state knows is followed by who names it later, before it is seen',
    edit: change('namedBy.mayFollow', 'isAtStart', 'store.workloads.size >= 0'),
    tests: RULES,
  },
  {
    name: 'consent: one that is withdrawn goes on',
    edit: drop('observeVersion', 'unfollowRefused()'),
    tests: [...RULES, ...HISTORIES],
  },
  {
    name: 'consent: one that is withdrawn ends edges after the new content was observed',
    edit: change(
      'observeVersion',
      'unfollowRefused(store, effects, event);',
      'queueMicrotask(() => unfollowRefused(store, effects, event));',
    ),
    tests: RULES,
  },
  {
    name: 'consent: one that is given later is not heard',
    edit: drop('observeVersion', 'followAllowed()'),
    tests: [...RULES, ...HISTORIES],
  },
  {
    name: 'consent: one that is given later owes what changed before',
    edit: change('followAllowed', 'mayHideChange ? span.from : span.to', 'span.from'),
    tests: RULES,
  },
  {
    name: 'consent: a list hides nothing that changed after one that it shows first',
    edit: change('followAllowed', 'mayHideChange ? span.from : span.to', 'span.to'),
    tests: RULES,
  },
  {
    name: 'consent: one that is listed after the workload begins like a late one',
    edit: change('followAllowed', 'isInInitialList && record.isFromStart', 'false'),
    tests: RULES,
  },
  {
    name: 'consent: a workload that nothing allows is forgotten',
    edit: drop('observe-workload/observePresent', 'elsewhere.length'),
    tests: [...RULES, ...HISTORIES],
  },
  {
    name: 'consent: an object of another namespace counts as absent where it may',
    edit: drop('Presence.#canDoWithout', 'ref.namespace !== workload.ref.namespace'),
    tests: RULES,
  },
  {
    name: 'consent: the hash of a template has what is not seen yet',
    edit: change('contentsOf', "consentOf(store, namespace, ref) === 'given'", 'true'),
    tests: RULES,
  },
  {
    name: 'consent: objects that refuse are read for a hash of wave',
    edit: drop('InheritedStamps.#waveHash', 'references?.every()'),
    tests: ['test/unit/repair/inherited-comparison.test.ts'],
  },
  {
    name: 'consent: a new leader does not look again at what did not allow it in its cache',
    edit: change(
      'staleCaches',
      '[...dependents.configs(), ...namedElsewhere.configs()]',
      'dependents.configs()',
    ),
    tests: ['test/unit/tracking/stale-caches.test.ts'],
  },
  {
    name: 'consent: the page shows what the state says of an object that is not seen yet',
    edit: drop('followedStatus', "consentOf(store, record.workload.ref.namespace, config.ref) !== 'given'"),
    tests: ['test/unit/app/status.test.ts'],
  },
  {
    name: 'consent: it is told at once that an object refuses',
    edit: change('MissingObjectProbe.isRefused', 'this.#refused.has(config)', 'true'),
    tests: PROBE,
  },
  {
    name: 'consent: it is told of what is not listed yet',
    edit: change('MissingObjectProbe.#publishRefusals', 'isSynced()', 'isSynced !== undefined'),
    tests: PROBE,
  },
  {
    name: 'consent: those that it refuses are told of again when the object is created',
    edit: change('MissingObjectProbe.clear', '!isRefusedToAny()', 'true'),
    tests: PROBE,
  },
  {
    name: 'consent: it is told that the object is missing, too',
    edit: change('Findings.#findingsOf', '!vocabularies.needsConsent()', 'true'),
    tests: ['test/unit/report/findings.test.ts'],
  },
  {
    name: 'consent: a list of what is excluded means the objects of all namespaces',
    edit: change(
      'Policy.judge',
      'this.#isIn(this.#excludes(kind), ref)',
      'this.#excludes(kind).has(ref.name)',
    ),
    tests: WORDS,
  },
];
