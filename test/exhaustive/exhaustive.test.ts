/** Every history of the small world, and the histories that once broke a rule. EXHAUSTIVE_STATES looks further. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atRest } from './beginnings.ts';
import { REGRESSIONS } from './regressions.ts';
import { replay, search } from './search.ts';
import { OPAQUE_LIMIT, SEARCHES, told } from './searches.ts';
import { EVERYTHING } from './steps.ts';

const STATES = Number(process.env['EXHAUSTIVE_STATES'] ?? 50_000);

for (const { name, scope, begin, share, leftOut } of SEARCHES.filter((one) => one.share > 0)) {
  test(`nothing is lost and nothing rolled for nothing: ${name}`, { skip: leftOut }, (context) => {
    const { states, depth, violations } = search(begin(), scope, { depth: 40, states: STATES * share });
    context.diagnostic(`${states} states, every history to depth ${depth}`);
    assert.deepEqual(violations.map(told), []);
  });
}

for (const { name, comparable, history, isBeyondLimit = false } of REGRESSIONS) {
  test(isBeyondLimit ? `${name} (${OPAQUE_LIMIT})` : name, () => {
    const broken = replay(atRest(comparable, false), EVERYTHING, history);
    if (isBeyondLimit) assert.match(broken ?? 'nothing', /^lost: /, 'the limit is no limit any more');
    else assert.equal(broken, undefined);
  });
}
