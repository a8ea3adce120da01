/** Owners that take each of our stamps back: at most ten rollouts for one content, and nothing is lost once they stop. */

import assert from 'node:assert/strict';
import { C, type Case, change, crash, following, testCases, WEB } from './cases.ts';
import { type Step, type WorkloadName, wait } from './history.ts';
import { rolloutsOf } from './timeline.ts';

const API = 'Deployment/api';
const HOURS = wait(6 * 3_600_000);

function takeBack(when: 'before' | 'after', times = 10_000, workload: WorkloadName = WEB): Step {
  return { do: 'take-back', workload, times, when };
}

/** They stop, and who was given up is tried again with another content. */
const END: readonly Step[] = [takeBack('after', 0), { do: 'revert', config: C }];

const CASES: Readonly<Record<string, Case>> = {
  'an operator that takes each stamp back costs ten rollouts': {
    steps: [takeBack('after'), change('B'), HOURS, ...END],
    rollouts: { [WEB]: 11 },
    reads: 'A',
    also: (trace) => {
      const times = rolloutsOf(trace, WEB).map(({ ms }) => ms);
      assert.equal(times.filter((ms) => ms < 2 * 3_600_000).length, 10);
    },
  },
  'as many where no pod ever sees the stamp': {
    steps: [takeBack('before'), change('B'), HOURS, ...END],
    rollouts: { [WEB]: 11 },
    reads: 'A',
  },
  'as many again with another content, for each': {
    steps: [takeBack('before'), change('B'), HOURS, change('C'), HOURS, change('A'), HOURS, ...END],
    rollouts: { [WEB]: 31 },
    reads: 'C',
  },
  'once it stops, another content is rolled at once, and one that it let pass too': {
    steps: [takeBack('before'), change('B'), HOURS, takeBack('before', 0), change('C'), wait(10_000), ...END],
    rollouts: { [WEB]: 12 },
    reads: 'B',
    also: (trace) => assert.ok((rolloutsOf(trace, WEB)[10]?.ms ?? 0) < 6.1 * 3_600_000),
  },
  'once it stops, another template of its own is enough': {
    settings: { versions: 'per-kind' },
    steps: [
      takeBack('before'),
      change('B'),
      HOURS,
      takeBack('before', 0),
      { do: 'apply', workload: WEB },
      wait(60_000),
      ...END,
    ],
    rollouts: { [WEB]: 12 },
    reads: 'A',
    also: (trace) => assert.ok((rolloutsOf(trace, WEB)[10]?.ms ?? 0) < 6.1 * 3_600_000),
  },
  'others that follow the same object are rolled once': {
    workloads: following(WEB, API),
    steps: [takeBack('before'), change('B'), HOURS, ...END],
    rollouts: { [WEB]: 11, [API]: 2 },
    reads: 'A',
  },
  'a process that starts begins anew': {
    steps: [takeBack('before'), change('B'), HOURS, crash(), HOURS, ...END],
    rollouts: { [WEB]: 21 },
    reads: 'A',
  },
};

testCases(CASES);
