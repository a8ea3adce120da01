/** Sabotages of the rules by which a term keeps what the leader before it did: each is found by a search of all histories. */

import { change } from './edit.ts';
import type { Mutant } from './table.ts';

const TAKE_OVERS = ['test/exhaustive/take-overs.test.ts'];

/** Every one of them must be noticed. */
export const TAKE_OVER_MUTANTS: readonly Mutant[] = [
  {
    name: 'terms: the state is marked by the first write alone',
    edit: change(
      'beginTerm',
      'await store.patch(shard, { resourceVersion, data: {}, annotations: marks })',
      "{ kind: 'accepted', object: version }",
    ),
    tests: TAKE_OVERS,
  },
  {
    name: 'terms: two terms share their numbers',
    edit: change('sequenceAfter', 'term === undefined', 'true'),
    tests: TAKE_OVERS,
  },
  {
    name: 'take-over: what the state says that the caches have not seen is not looked at',
    edit: change(
      'mayBeOlder',
      'entry !== undefined && translated(entry.digest, observed) !== digest',
      'false',
    ),
    tests: TAKE_OVERS,
  },
  {
    name: 'take-over: what a stamp says that the caches have not seen is not looked at',
    edit: change('mayBeOlder', '(ambiguous || translated(stamp.digest, observed) !== digest)', 'false'),
    tests: TAKE_OVERS,
  },
  {
    name: 'take-over: a late stamp of the leader before is believed',
    edit: change('afterWrites', 'stamp !== undefined && isOfPeer(store, config, edge, stamp)', 'false'),
    tests: TAKE_OVERS,
  },
  {
    name: 'terms: a state that others wrote is believed as at a start',
    edit: change(
      'takeInForeign',
      'if (isDoubted(store, [before, sent], workload, ref, edge)) doubt(store, effects, workload, ref, edge);',
      'putEdge(store, workload, config, { ...edge, runningDigest: believedAtStart(store, store.persisted.state, workload, ref) ?? edge.runningDigest, mixedPods: false });',
    ),
    tests: TAKE_OVERS,
  },
];
