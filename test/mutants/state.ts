/** Sabotages of how often the state is written, of what is too large for it, and of whose it is. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const BUDGET = ['test/unit/state/write-budget.test.ts'];
const BEGIN = ['test/unit/state/begin-term.test.ts'];
const MARKS = ['test/unit/state/state-marks.test.ts'];
const CACHES = ['test/unit/tracking/stale-caches.test.ts'];
const ROOM = ['test/unit/state/state-room.test.ts'];

/** Every one of them must be noticed. */
export const STATE_MUTANTS: readonly Mutant[] = [
  {
    name: 'state writes: a baseline is as urgent as what a crash would lose',
    edit: change('StateCommitter.#add', 'isBaseline()', 'false'),
    tests: BUDGET,
  },
  {
    name: 'state writes: what a crash would lose waits for the budget',
    edit: drop('StateCommitter.#isDue', 'write.isUrgent'),
    tests: BUDGET,
  },
  {
    name: 'state writes: nothing is paid for',
    edit: drop('WriteBudget.spend', 'Math.max(LEAST_MS, msFor(bytes))'),
    tests: BUDGET,
  },
  {
    name: 'state writes: a baseline waits for the batch',
    edit: change('StateCommitter.#dueAt', 'this.#hasAny(this.#fresh)', 'false'),
    tests: BUDGET,
  },
  {
    name: 'state writes: there is always room',
    edit: change('takeOutWhatHasNoRoom', 'rest >= 0', 'true'),
    tests: ROOM,
  },
  {
    name: 'state writes: what has no room takes with it what a start has to know',
    edit: change('writesOf', '[...desired.keys(), ...withoutRoom]', '[...desired.keys()]'),
    tests: ROOM,
  },
  {
    name: 'state writes: nobody is told that there is no room',
    edit: drop('StateCommitter.#keep', 'this.#known.noteFull()'),
    tests: ROOM,
  },
  {
    name: 'state writes: each plan visits all workloads',
    edit: change('withOverrides', '!named.includes(undefined)', 'false'),
    tests: ['test/unit/state/state-write.test.ts'],
  },
  {
    name: 'terms: what others wrote before the mark is no part of the state',
    edit: change('beginTerm', '{ ...result.object, lastWrite }', 'version'),
    tests: BEGIN,
  },
  {
    name: 'terms: a shard that others wrote before the mark is as good as marked',
    edit: change('beginTerm', "result.kind !== 'accepted'", "result.kind === 'rejected'"),
    tests: BEGIN,
  },
  {
    name: 'terms: two that begin at once have one term',
    edit: change('beginTerm', 'termAfter()', '5'),
    tests: BEGIN,
  },
  {
    name: 'terms: the state of a later version is marked',
    edit: change('beginTerm', 'isOfLaterVersion()', 'false'),
    tests: BEGIN,
  },
  {
    name: 'terms: beside a state of a later version a key is made',
    edit: change('Terms.#beginOnce', 'isOfLaterVersion()', 'false'),
    tests: ['test/unit/app/terms.test.ts'],
  },
  {
    name: 'terms: what is made up counts',
    edit: change('markIn', 'term <= LAST_TERM', 'true'),
    tests: ['test/unit/model/term.test.ts'],
  },
  {
    name: 'terms: a write leaves no mark',
    edit: change('KnownState.#annotationsFor', 'annotationsOf()', '{}'),
    tests: MARKS,
  },
  {
    name: 'terms: the mark of another leader is overwritten',
    edit: drop('KnownState.isContested', '!contests()'),
    tests: MARKS,
  },
  {
    name: 'terms: whose mark was found is written to again',
    edit: drop('KnownState.isContested', 'this.#hasStoodDown = true;'),
    tests: MARKS,
  },
  {
    name: 'terms: each shard of another leader is told',
    edit: drop('KnownState.isContested', '!this.#hasStoodDown'),
    tests: MARKS,
  },
  {
    name: 'terms: a leader of former times ends one that came after it',
    edit: change('contests', 'found.term >= own.term', 'true'),
    tests: MARKS,
  },
  {
    name: 'terms: numbers go on by one',
    edit: change('planRollout', 'store.settings.term', 'undefined'),
    tests: ['test/unit/tracking/rollout-decision.test.ts'],
  },
  {
    name: 'terms: numbers leave the remainder of another term',
    edit: change('sequenceAfter', 'term - next', 'term - used'),
    tests: ['test/unit/model/stamp.test.ts'],
  },
  {
    name: 'take-over: an entry that the caches have not seen is no matter',
    edit: change('mayBeOlder', 'translated(entry.digest, observed) !== digest', 'false'),
    tests: CACHES,
  },
  {
    name: 'take-over: a stamp that says what the caches have not seen is no matter',
    edit: change('mayBeOlder', '(ambiguous || translated(stamp.digest, observed) !== digest)', 'ambiguous'),
    tests: CACHES,
  },
  {
    name: 'take-over: the higher of two stamps that contradict each other is believed',
    edit: change(
      'mayBeOlder',
      'ambiguous || translated(stamp.digest, observed) !== digest',
      'translated(stamp.digest, observed) !== digest',
    ),
    tests: CACHES,
  },
  {
    name: 'take-over: a committed stamp is one that the caches have not seen',
    edit: drop('mayBeOlder', 'isUncommitted()'),
    tests: CACHES,
  },
  {
    name: 'take-over: an override is no matter',
    edit: change('isRecorded', 'store.persisted.isByKind()', 'false'),
    tests: CACHES,
  },
  {
    name: 'take-over: workloads that only the state knows are left out',
    edit: change('staleCaches', 'namedByState(store)', '[]'),
    tests: CACHES,
  },
  {
    name: 'take-over: a key that ends in a digest belongs to no workload',
    edit: drop(
      'isRecorded',
      'if (store.persisted.state.overrides.has(store.persisted.overridesKeyOf(ref))) return true;',
    ),
    tests: CACHES,
  },
  {
    name: 'state: a process that began without a key leads a state with keys',
    edit: change('DigestKeys.#isSuperseded', 'isKeyed && keyring.hasBegun', '!this.#isUnkeyed()'),
    tests: ['test/unit/state/digest-keys.test.ts'],
  },
  {
    name: 'state: a key whose age is lost is never replaced',
    edit: change('DigestKeys.#missingAge', 'rotateAfterMs === undefined || isKnown', 'true'),
    tests: ['test/unit/state/digest-keys.test.ts'],
  },
];
