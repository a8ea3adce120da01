/** Every history of the small world, and the histories that once broke a rule. EXHAUSTIVE_STATES looks further. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atRest, untouched } from './beginnings.ts';
import { REGRESSIONS } from './regressions.ts';
import { replay, search } from './search.ts';
import { EVERYTHING, NOTHING_ELSE, type Scope } from './steps.ts';
import type { World } from './world.ts';

interface Search {
  readonly name: string;
  readonly scope: Partial<Scope>;
  readonly begin: (comparable: boolean) => World;
  /** With opaque versions it runs into the limit. */
  readonly isLimitedIfOpaque?: true;
  /** Of all states that are looked at, the part of this search. */
  readonly share: number;
}

/** Why histories are left out; the README's limits say the same. */
const OPAQUE_LIMIT =
  'a limit: where versions of different kinds cannot be compared, a stream is taken to be no later than its last sign of life';
const STATES = Number(process.env['EXHAUSTIVE_STATES'] ?? 50_000);
const one = (comparable: boolean): World => atRest(comparable, false);
const SEARCHES: readonly Search[] = [
  { name: 'contents alone, three of them', scope: { contents: ['a', 'b', 'c'] }, begin: one, share: 0.1 },
  { name: 'refusals', scope: { refusals: true }, begin: atRest, share: 0.15 },
  { name: 'deaths', scope: { crashes: true, losses: true }, begin: one, share: 0.15 },
  {
    name: 'deaths and refusals',
    scope: { crashes: true, refusals: true },
    begin: atRest,
    share: 0.1,
  },
  { name: 'a first start', scope: { crashes: true }, begin: untouched, share: 0.1 },
  { name: 'owners', scope: { owners: true, refusals: true }, begin: one, share: 0.1 },
  { name: 'owners and deaths', scope: { owners: true, crashes: true }, begin: one, share: 0.1 },
  {
    name: 'followers that come and go',
    scope: { following: true, refusals: true },
    begin: one,
    share: 0.1,
    isLimitedIfOpaque: true,
  },
  {
    name: 'watches that are cut, and absence',
    scope: { relists: true, absence: true },
    begin: one,
    share: 0.1,
  },
];

for (const { name, scope, begin, share, isLimitedIfOpaque = false } of SEARCHES) {
  for (const comparable of [true, false]) {
    const versions = comparable ? 'comparable' : 'opaque';
    test(`nothing is lost and nothing rolled for nothing: ${name}, versions ${versions}`, {
      skip: isLimitedIfOpaque && !comparable && OPAQUE_LIMIT,
    }, (context) => {
      const bounds = { depth: 40, states: (STATES * share) / 2 };
      const { states, depth, violations } = search(begin(comparable), { ...NOTHING_ELSE, ...scope }, bounds);
      context.diagnostic(`${states} states, every history to depth ${depth - 1}`);
      const told = violations.map(({ message, history }) => [message, ...history].join('\n  '));
      assert.deepEqual(told, []);
    });
  }
}

for (const { name, comparable, history, isBeyondLimit = false } of REGRESSIONS) {
  test(name, { skip: isBeyondLimit && OPAQUE_LIMIT }, () => {
    assert.equal(replay(atRest(comparable, false), EVERYTHING, history), undefined);
  });
}
