/** A crash between any two steps repeats work and never loses it: what was patched since the last write of the state is rolled again. */

import assert from 'node:assert/strict';
import { type Case, change, crash, following, testCases, WEB } from './cases.ts';
import { type Step, wait } from './history.ts';
import { factsOf } from './timeline.ts';
import type { Trace } from './trace.ts';

const API = 'Deployment/api';
/** All that there are of one change: the marks, two patches and the commit. Events are none of them: nothing depends on one. */
const WRITES = 4;
const SETTLED = wait(60_000);

/** A reloader dies before all is at rest; `patched`: what is rolled twice. */
function caseOf(steps: readonly Step[], patched = '', also?: (trace: Trace) => void): Case {
  const rollouts = (workload: string): number => (patched.includes(workload) ? 2 : 1);
  return {
    workloads: following(WEB, API),
    steps,
    rollouts: { [WEB]: rollouts(WEB), [API]: rollouts(API) },
    reads: 'B',
    also: (trace) => {
      const rest = factsOf(trace, 'settled')[0]?.ms ?? assert.fail();
      assert.equal(factsOf(trace, 'died').filter(({ ms }) => ms < rest).length, 1);
      also?.(trace);
    },
  };
}

/** As many writes as the cases below count on, and so none after the crash. */
function hasAllWrites(trace: Trace): void {
  const changed = factsOf(trace, 'content').find(({ content }) => content === 'B') ?? assert.fail();
  const writes = factsOf(trace, 'write').filter(
    ({ to, at }) => at > changed.at && to !== 'mark' && to !== 'keys',
  );
  assert.deepEqual(writes.map(({ to }) => to).toSorted(), [API, WEB, 'state', 'state']);
  assert.equal(writes.length, WRITES);
}

/** What was patched, and not yet committed, at a death by its effect and its write. The two patches are under way at once. */
const PATCHED: Readonly<Record<string, string>> = {
  'after 2': `${API} ${WEB}`,
  'before 3': API,
  'after 3': `${API} ${WEB}`,
  'before 4': `${API} ${WEB}`,
};

const CASES: Record<string, Case> = {
  'killed within the window it rolls once': caseOf([change('B'), wait(2000), crash(), SETTLED]),
  'killed when all is done it rolls nothing': caseOf(
    [change('B'), SETTLED, crash(), SETTLED],
    '',
    hasAllWrites,
  ),
};
for (let write = 1; write <= WRITES; write += 1) {
  for (const effect of ['before', 'after'] as const) {
    const death: Step = { do: 'crash', slot: 0, atWrite: write, effect, downtimeMs: 1000 };
    const name = `killed ${effect} its write number ${write} it rolls again what was patched`;
    CASES[name] = caseOf([death, change('B'), SETTLED], PATCHED[`${effect} ${write}`]);
  }
}

testCases(CASES);
