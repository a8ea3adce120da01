/** A crash between any two steps repeats work and never loses it; repeating is a no-op. */

import { type Case, change, crash, following, testCases, WEB } from './cases.ts';
import { type Step, wait } from './history.ts';

const API = 'Deployment/api';
/** More than there are: two patches, the commit, two Events. */
const MOST_WRITES = 7;
const SETTLED = wait(60_000);

/** The reloader dies at its write number `atWrite` from here on, before the server does it or after. */
function dies(atWrite: number, effect: 'before' | 'after'): Step {
  return { do: 'crash', slot: 0, atWrite, effect, downtimeMs: 1000 };
}

function caseOf(steps: readonly Step[]): Case {
  return { workloads: following(WEB, API), steps, rollouts: { [WEB]: 1, [API]: 1 }, reads: 'B' };
}

const CASES: Record<string, Case> = {
  'killed within the window it rolls once': caseOf([change('B'), wait(2000), crash(), SETTLED]),
  'killed when all is done it rolls nothing': caseOf([change('B'), SETTLED, crash(), SETTLED]),
};
for (let write = 1; write <= MOST_WRITES; write += 1) {
  for (const effect of ['before', 'after'] as const) {
    const name = `killed ${effect} its write number ${write} it rolls each workload once all the same`;
    CASES[name] = caseOf([dies(write, effect), change('B'), SETTLED]);
    const twice = `killed so again at once, ${effect} write number ${write}, it rolls each once still`;
    CASES[twice] = caseOf([dies(write, effect), change('B'), wait(6500), dies(1, effect), SETTLED]);
  }
}

testCases(CASES);
