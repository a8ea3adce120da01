/** Every history of the small world with one process, and the histories that once broke a rule. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atRest } from './beginnings.ts';
import { REGRESSIONS } from './regressions.ts';
import { replay } from './search.ts';
import { COUNTERS_LIMIT, SEARCHES } from './searches.ts';
import { EVERYTHING } from './steps.ts';
import { testSearches } from './test-searches.ts';

testSearches(SEARCHES.filter(({ scope }) => !scope.takeOvers));

for (const { name, comparable, history, isBeyondLimit = false } of REGRESSIONS) {
  test(isBeyondLimit ? `${name} (${COUNTERS_LIMIT})` : name, async () => {
    const broken = await replay(atRest(comparable, false), EVERYTHING, history);
    if (isBeyondLimit) assert.match(broken ?? 'nothing', /^lost: /, 'the limit is no limit any more');
    else assert.equal(broken, undefined);
  });
}
