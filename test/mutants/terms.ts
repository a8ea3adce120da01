/** Sabotages of what a process does as it begins to lead, and when it leads no longer. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const TERMS = 'test/unit/app/terms.test.ts';
const FENCE = 'test/unit/kubernetes/wrapped-send.test.ts';
const CATCH_UP = 'test/unit/repair/catch-up.test.ts';

export const TERM_MUTANTS: readonly Mutant[] = [
  {
    name: 'terms: requests are sent although the lead is over',
    edit: change('fenced', '!isValid()', 'false'),
    tests: [FENCE],
  },
  {
    name: 'terms: the end of the process cuts what is under way',
    edit: change('fenced', 'isValid() || lost.abort()', 'lost.abort()'),
    tests: [FENCE],
  },
  {
    name: 'terms: a new leader believes caches that are older than the state',
    edit: change('Terms.#beginOnce', 'await this.#current.catchUp(begun.shards)', 'true'),
    tests: [TERMS],
  },
  {
    name: 'terms: a new leader acts although it could not look at what has changed',
    edit: change('inTurns', 'seen.includes(false)', 'false'),
    tests: [CATCH_UP],
  },
  {
    name: 'terms: a new leader looks at objects and not at who follows them',
    edit: drop('lookAtStale', '!(await inTurns(followers, (ref) => look.atWorkload(ref)))'),
    tests: [CATCH_UP],
  },
  {
    name: 'terms: a new leader does not look at what its looks have shown to be older',
    edit: change(
      'lookAtStale',
      'objects.length + followers.length === 0',
      'seen.size > 0 || objects.length + followers.length === 0',
    ),
    tests: [CATCH_UP],
  },
  {
    name: 'terms: a process that leads no longer forgets what it has seen',
    edit: drop('Terms.#lead', 'this.#current.takeOver(leader)'),
    tests: [TERMS],
  },
  {
    name: 'terms: a mark that the stream shows is believed once it is read',
    edit: drop('seeShownState', 'leader.weigh(shard, annotations)'),
    tests: ['test/simulation/kept.test.ts'],
  },
  {
    name: 'terms: a standby writes',
    edit: change('Controllers.apply', 'this.#leads', 'true'),
    tests: [TERMS],
  },
  {
    name: 'terms: workloads that follow nothing are forgotten at a take-over',
    edit: drop(
      'handOver',
      'heir.workload({ ...LISTED, key, object: workload, span: writtenBy(Number.NEGATIVE_INFINITY) })',
    ),
    tests: [TERMS],
  },
  {
    name: 'terms: a start looks at all that the state names, though it is listed next',
    edit: change('lookAtStale', 'isListed(ref) && !seen.has(keyOf(ref))', '!seen.has(keyOf(ref))'),
    tests: [CATCH_UP],
  },
];
