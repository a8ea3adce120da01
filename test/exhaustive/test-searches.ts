/** The searches as tests: some states of each. EXHAUSTIVE_STATES looks further. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { search } from './search.ts';
import { type Search, told } from './searches.ts';

const STATES = Number(process.env['EXHAUSTIVE_STATES'] ?? 50_000);

/** Makes a test of each. */
export function testSearches(searches: readonly Search[]): void {
  for (const { name, scope, begin, share, leftOut } of searches.filter((one) => one.share > 0)) {
    test(`nothing is lost and nothing rolled for nothing: ${name}`, { skip: leftOut }, async (context) => {
      const bounds = { depth: 40, states: STATES * share };
      const { states, depth, violations } = await search(await begin(), scope, bounds);
      context.diagnostic(`${states} states, every history to depth ${depth}`);
      assert.deepEqual(violations.map(told), []);
    });
  }
}
