/** Sabotages of what keeps one tenant's texts from costing the others: limits, one look for all, turns. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const OWN_STATE = 'test/unit/tracking/own-state.test.ts';
const PLAIN_TEXT = 'test/unit/model/plain-text.test.ts';
const LOGGER = 'test/unit/telemetry/logger.test.ts';
const MANY_NAMES = 'test/unit/annotations/many-names.test.ts';
const ABSENCES = 'test/unit/repair/missing-object-probe.test.ts';
const EVENTS = 'test/unit/kubernetes/events.test.ts';
const PATTERNS = 'test/unit/annotations/name-pattern.test.ts';
const REVIEW = 'test/unit/admission/review.test.ts';
const NOTICES = 'test/unit/report/findings.test.ts';

/** See the file's comment. */
export const BOUND_MUTANTS: readonly Mutant[] = [
  {
    name: 'state: a workload follows the state of another reloader',
    edit: drop('configObjectOf', '...(isState(ref, raw, wanted) ? { isState: true } : {}),'),
    tests: ['test/unit/model/config-object.test.ts'],
  },
  {
    name: 'state: what changes in a state is a change to workloads',
    edit: change('observe-config/observePresent', 'object.isState === true', 'false'),
    tests: [OWN_STATE],
  },
  {
    name: 'state: patterns mean our own state before it is listed',
    edit: change('Store.isOwn', 'this.settings.ownState.has(whole)', 'false'),
    tests: [OWN_STATE],
  },
  {
    name: 'state: what was missing and is a state now is still called missing',
    edit: change('becomeState', 'record.isState !== true', 'false'),
    tests: [OWN_STATE],
  },
  {
    name: 'log: what steers a terminal is told as it is',
    edit: change('plain', 'text.replace()', 'text'),
    tests: [PLAIN_TEXT, LOGGER],
  },
  {
    name: 'log: a line has no end',
    edit: change('textLine', 'cutToBytes()', 'pairs.join()'),
    tests: [LOGGER],
  },
  {
    name: 'log: a cut goes through a character',
    edit: change('cutToBytes', 'text.slice(0, read)', 'text.slice(0, most)'),
    tests: [PLAIN_TEXT],
  },
  {
    name: 'lists: a workload may name as much as it likes',
    edit: change('Policy.#parsed', 'all.slice(0, this.#left)', 'all'),
    tests: [MANY_NAMES],
  },
  {
    name: 'lists: each vocabulary may name as much as all together',
    edit: drop('Union.#policiesOf', 'left = policy.left;'),
    tests: [MANY_NAMES],
  },
  {
    name: 'absences: each of those of a namespace is told by itself',
    edit: change(
      'MissingObjectProbe.#reconcile',
      'turn.configs.length > 0',
      'this.#publish(turn), turn.configs.length > 0',
    ),
    tests: [ABSENCES],
  },
  {
    name: 'absences: one namespace is looked into after the other',
    edit: drop('MissingObjectProbe.#reconcile', '!isLong'),
    tests: [ABSENCES],
  },
  {
    name: 'events: one namespace is told of after the other',
    edit: change('EventRecorder.#next', 'queue.size > 0', 'queue.size > 0 && this.#queues.size === 0'),
    tests: [EVENTS],
  },
  {
    name: 'events: who comes loses against who has the most',
    edit: change('EventRecorder.#makeRoomFor', 'longest.values()', '[]'),
    tests: [EVENTS],
  },
  {
    name: 'journal: the oldest decision goes, whoever has the most',
    edit: change('Journal.#mostFrequent', 'oldest === undefined', 'true'),
    tests: ['test/unit/report/journal.test.ts'],
  },
  {
    name: 'expressions: what they learn from names is kept without an end',
    edit: drop('keepWarm', 'oldest.reset();'),
    tests: [PATTERNS],
  },
  {
    name: 'expressions: they are kept without an end',
    edit: change(
      'compile',
      'kept.size >= MOST_KEPT || keptLetters + pattern.length > MOST_KEPT_LETTERS',
      'false',
    ),
    tests: [PATTERNS],
  },
  {
    name: 'reviews: a name has any length',
    edit: change('workloadIn', 'name.length > LONGEST_NAME', 'false'),
    tests: [REVIEW],
  },
  {
    name: 'reviews: annotations have any length',
    edit: change('workloadIn', 'JSON.stringify().length > 2 * MOST_ANNOTATED', 'false'),
    tests: [REVIEW],
  },
  {
    name: 'reviews: lists have any length',
    edit: change('workloadIn', 'itemsIn() > MOST_ITEMS', 'false'),
    tests: [REVIEW],
  },
  {
    name: 'notices: of what one notice tells nothing further is said',
    edit: change('thingsIn', '[about]', '[]'),
    tests: [NOTICES],
  },
];
