/** Sabotages of what a process makes of the writes of others, and of versions that went back. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const RACES = 'test/unit/rollout/rollout-races.test.ts';
const EDGES = 'test/unit/tracking/edge-rules.test.ts';
const FOREIGN = 'test/unit/state/foreign-state.test.ts';
const TERMS = 'test/unit/app/terms.test.ts';
const RESTORED = 'test/simulation/restored-cluster.test.ts';

/** Every one of them must be noticed. */
export const PROCESS_MUTANTS: readonly Mutant[] = [
  {
    name: 'processes: a stamp of a peer is believed',
    edit: change('afterWrites', 'isOfPeer()', 'false'),
    tests: [EDGES],
  },
  {
    name: 'processes: a stamp that is silent is one of a peer',
    edit: change('isOfPeer', 'store.persisted.minSequenceOf()', '0'),
    tests: [EDGES],
  },
  {
    name: 'processes: what others wrote to the state adds no doubt',
    edit: change('takeInForeign', 'isDoubted()', 'false'),
    tests: [FOREIGN],
  },
  {
    name: 'processes: what others wrote to the state settles an edge',
    edit: change(
      'foreign-state/doubt',
      'nextEdge()',
      '{ ...edge, runningDigest: believedAtStart(store, store.persisted.state, workload, ref) }',
    ),
    tests: [FOREIGN],
  },
  {
    name: 'processes: what others made doubtful is not rolled',
    edit: drop('foreign-state/doubt', 'effects.enqueue()'),
    tests: [FOREIGN],
  },
  {
    name: 'processes: a write of one’s own without an answer is taken for one of others',
    edit: change('isDoubted', 'own.every()', 'true'),
    tests: [FOREIGN],
  },
  {
    name: 'processes: numbers do not go on above those that others wrote',
    edit: drop('foreign-state/judge', 'store.persisted.raiseMinSequence()'),
    tests: [FOREIGN],
  },
  {
    name: 'restores: a list that is older than what was seen is believed',
    edit: change(
      'Reflector.#checkVersion',
      "throw new ApiError('unavailable', 'the list is older than what was seen before');",
      'return;',
    ),
    tests: ['test/unit/kubernetes/reflector.test.ts'],
  },
  {
    name: 'restores: an object that is older than before is told like any other',
    edit: change('Informer.listed', 'isOlder(version, known)', 'false'),
    tests: ['test/unit/kubernetes/informer.test.ts'],
  },
  {
    name: 'restores: a Lease that is older than before is read like any other',
    edit: change('Elector.#try', 'isOlder(reading.lease.resourceVersion, known)', 'false'),
    tests: ['test/unit/leader/elector.test.ts'],
  },
  {
    name: 'restores: a process goes on with what it knows of another history',
    edit: drop('Terms.#fail', 'this.#failure.abort()'),
    tests: [RESTORED],
  },
  {
    name: 'restores: what is known of another history is written at the end',
    edit: change('Terms.#lead', 'AbortSignal.any([contest.signal, this.#failure.signal])', 'contest.signal'),
    tests: [TERMS],
  },
  {
    name: 'processes: a look that the stream overtook is taken for news',
    edit: drop(
      'observe-workload/observePresent',
      'if (known !== undefined && !isLater(workload, known.workload)) return;',
    ),
    tests: ['test/unit/repair/refetcher.test.ts'],
  },
  {
    name: 'versions: a kind of which no version is newer than another is listed all the same',
    edit: drop('Reflector.#checkVersion', 'decimalOf(resourceVersion) === undefined'),
    tests: ['test/unit/kubernetes/reflector.test.ts'],
  },
  {
    name: 'versions: a kind of which no version is newer than another is waited for',
    edit: drop('Informers.#observerOf', "error.code === 'unordered'"),
    tests: ['test/simulation/unordered-kind.test.ts'],
  },
  {
    name: 'processes: one whose time to end is over goes on with the state',
    edit: drop('finishInTime', 'halt()'),
    tests: ['test/unit/app/guards.test.ts'],
  },
  {
    name: 'processes: what is under way at the end is waited for',
    edit: drop('HttpsTransport.close', 'abort();'),
    tests: ['test/unit/kubernetes/transport-end.test.ts'],
  },
  {
    name: 'processes: the number of a patch whose answer was lost is used again',
    edit: change('abandonRollout', 'wasUnanswered ? plan.stamps : []', '[]'),
    tests: [RACES],
  },
  {
    name: 'processes: the number of a patch under way is used again once it is followed again',
    edit: change('endEdge', 'max()', 'edge.highestSequence'),
    tests: ['test/unit/tracking/rollout-decision.test.ts'],
  },
];
