/** One kind of object is listed seconds or minutes after the workloads, of which new ones have come to be meanwhile. */

import { C, type Case, change, following, testCases, WEB } from './cases.ts';
import { type Step, wait } from './history.ts';

const DB = 'StatefulSet/db';
const LONG = wait(120_000);
/** Nobody runs; then somebody does, and is refused the list of ConfigMaps for half a minute or so. */
const AWAY: readonly Step[] = [
  wait(10_000),
  { do: 'stop', slot: 0, downtimeMs: -1 },
  {
    do: 'fault',
    rule: {
      match: { verb: 'list', resource: 'configmaps' },
      // The first two only find out whether versions compare.
      nth: 3,
      times: 6,
      effect: { kind: 'status', code: 429 },
    },
  },
];
const START: readonly Step[] = [{ do: 'start', slot: 0 }, wait(1000)];
const CREATE: Step = { do: 'create-workload', workload: WEB, follows: [C], replicas: 2 };

const CASES: Readonly<Record<string, Case>> = {
  'a workload that came before the change is rolled': {
    workloads: following(DB),
    steps: [...AWAY, ...START, CREATE, wait(3000), change('B'), LONG],
    rollouts: { [WEB]: 1, [DB]: 1 },
    reads: 'B',
  },
  'the same where versions do not compare': {
    workloads: following(DB),
    settings: { versions: 'per-kind' },
    steps: [...AWAY, ...START, CREATE, wait(3000), change('B'), LONG],
    rollouts: { [WEB]: 1, [DB]: 1 },
    reads: 'B',
  },
  'one that came after the change is not': {
    workloads: following(DB),
    steps: [...AWAY, ...START, change('B'), wait(3000), CREATE, LONG],
    rollouts: { [WEB]: 0, [DB]: 1 },
    reads: 'B',
  },
  'nor is one where nothing changed': {
    workloads: following(DB),
    settings: { versions: 'per-kind' },
    steps: [...AWAY, ...START, CREATE, LONG],
    rollouts: { [WEB]: 0, [DB]: 0 },
    reads: 'A',
  },
  'nor where the object had no entry: its first content is the baseline': {
    workloads: [],
    steps: [...AWAY, ...START, change('B'), CREATE, LONG],
    rollouts: { [WEB]: 0 },
    reads: 'B',
  },
};

testCases(CASES);
