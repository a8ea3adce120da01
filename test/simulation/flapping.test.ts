/** An object that changes for ever does not roll a workload for ever, and its last content still comes. */

import assert from 'node:assert/strict';
import { type Pace, UNHURRIED } from '../../lib/model/settings.ts';
import { type Case, change, testCases, WEB } from './cases.ts';
import { JUMPS_MS, type Step, wait } from './history.ts';
import { factsOf } from './timeline.ts';
import type { Trace } from './trace.ts';

const LIMITED: Pace = { minIntervalMs: 0, limit: { rollouts: 5, withinMs: 600_000 } };

/** Another content each time, `everyMs` apart. */
function flapping(times: number, everyMs: number): Step[] {
  return Array.from({ length: times }, (_, index) => [
    change(index % 2 === 0 ? 'B' : 'C'),
    wait(everyMs),
  ]).flat();
}

/** How long after the rollout before each one came, in seconds. */
function gaps(trace: Trace): number[] {
  const times = factsOf(trace, 'write')
    .filter(({ to }) => to === WEB)
    .map(({ ms }) => ms);
  return times.slice(1).map((time, index) => Math.round((time - (times[index] ?? 0)) / 1000));
}

/** The time of day jumps between a rollout and the next change, which has to wait for two minutes after it all the same. */
function jumping(ms: number): Case {
  return {
    settings: { pace: { minIntervalMs: 120_000, limit: undefined } },
    steps: [change('B'), wait(10_000), { do: 'jump', ms }, change('C'), wait(200_000)],
    rollouts: { [WEB]: 2 },
    reads: 'C',
    also: (trace) => assert.deepEqual(gaps(trace), [120]),
  };
}

const CASES: Readonly<Record<string, Case>> = {
  'the time between two rollouts doubles, once the limit is reached, up to ten minutes and a window': {
    settings: { pace: LIMITED },
    steps: [...flapping(250, 10_000), change('A')],
    rollouts: { [WEB]: 13 },
    reads: 'A',
    also: (trace) => assert.deepEqual(gaps(trace), [10, 10, 10, 10, 10, 70, 130, 250, 490, 610, 610, 600]),
  },
  'without a limit it is rolled for each': {
    settings: { pace: UNHURRIED },
    steps: [...flapping(60, 10_000), change('A')],
    rollouts: { [WEB]: 61 },
    reads: 'A',
  },
  'whoever has owed nothing for as long as the limit counts begins anew': {
    settings: { pace: LIMITED },
    steps: [...flapping(6, 10_000), wait(900_000), ...flapping(5, 10_000), wait(10_000)],
    rollouts: { [WEB]: 11 },
    reads: 'B',
  },
  'the least time between two rollouts is kept, and what came meanwhile is one rollout': {
    settings: { pace: { minIntervalMs: 120_000, limit: undefined } },
    steps: [...flapping(8, 10_000), wait(200_000), change('A')],
    rollouts: { [WEB]: 3 },
    reads: 'A',
    also: (trace) => assert.deepEqual(gaps(trace).slice(0, 1), [120]),
  },
  ...Object.fromEntries(
    JUMPS_MS.map((ms) => [`also where clocks jump by ${ms / 60_000} minutes`, jumping(ms)]),
  ),
};

testCases(CASES);
