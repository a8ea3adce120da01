/** Histories that a simpler model fails, one by one, with exact expectations. */

import { C, type Case, change, crash, following, testCases, WEB } from './cases.ts';
import { type Step, wait } from './history.ts';

const API = 'Deployment/api';
const DB = 'StatefulSet/db';
const COMMITTED = wait(10_000);
const QUIET = wait(5500);

/** State writes fail from the second one on: a patch has its mark, and is not committed. */
const NO_COMMIT: Step = {
  do: 'fault',
  rule: {
    match: { verb: 'write', resource: 'configmaps' },
    nth: 2,
    times: 'always',
    effect: { kind: 'status', code: 500 },
  },
};
const CASES: Readonly<Record<string, Case>> = {
  'a: what is changed back after a patch and before the commit is rolled again': {
    steps: [NO_COMMIT, change('B'), QUIET, change('A'), QUIET],
    rollouts: { [WEB]: 2 },
    reads: 'A',
  },
  'a: also with the change back while no reloader runs': {
    steps: [NO_COMMIT, change('B'), QUIET, crash(5000), change('A'), COMMITTED],
    rollouts: { [WEB]: 2 },
    reads: 'A',
  },
  'b: a stamp brought back by undo does not tell what its pods read': {
    steps: [
      change('C'),
      COMMITTED,
      change('B'),
      COMMITTED,
      { do: 'undo', workload: WEB },
      COMMITTED,
      change('C'),
      COMMITTED,
    ],
    rollouts: { [WEB]: 3 },
    reads: 'C',
  },
  'c: a workload refused for ever is still owed after a restart, and nothing else rolls': {
    workloads: following(WEB, API),
    steps: [
      { do: 'refuse', workload: WEB, status: 403 },
      change('B'),
      wait(60_000),
      crash(),
      wait(600_000),
      crash(),
      wait(10_000),
    ],
    rollouts: { [WEB]: 1, [API]: 1 },
    reads: 'B',
  },
  'd: what is created or opted in while another workload is owed for ever is not rolled': {
    workloads: [...following(WEB), { workload: DB, follows: [], replicas: 2, strategy: 'rolling' }],
    steps: [
      { do: 'refuse', workload: WEB, status: 422 },
      change('B'),
      wait(60_000),
      { do: 'create-workload', workload: API, follows: [C], replicas: 2 },
      { do: 'follow', workload: DB, follows: [C] },
      wait(60_000),
      crash(),
      wait(60_000),
    ],
    rollouts: { [WEB]: 1, [API]: 0, [DB]: 0 },
    reads: 'B',
  },
  'e: a change after the opt-in is rolled even if it is heard of first': {
    workloads: [{ workload: WEB, follows: [], replicas: 2, strategy: 'rolling' }, ...following(API)],
    steps: [
      { do: 'delay', resource: 'deployments', ms: 3000 },
      { do: 'follow', workload: WEB, follows: [C] },
      wait(10),
      change('B'),
      COMMITTED,
    ],
    rollouts: { [WEB]: 1, [API]: 1 },
    reads: 'B',
  },
  'e: a change before the appearance that is heard of after it is no change to what appears': {
    workloads: following(API),
    steps: [
      { do: 'delay', resource: 'configmaps', ms: 3000 },
      change('B'),
      wait(10),
      { do: 'create-workload', workload: WEB, follows: [C], replicas: 2 },
      COMMITTED,
    ],
    rollouts: { [WEB]: 0, [API]: 1 },
    reads: 'B',
  },
  'f: changes there and back and there, faster than the commits': {
    steps: [NO_COMMIT, change('B'), QUIET, change('A'), QUIET, change('B'), QUIET, crash(), COMMITTED],
    rollouts: { [WEB]: 3 },
    reads: 'B',
  },
  'g: a content that was there only while pods started is not left in them': {
    settings: { rolloutMs: 3000 },
    steps: [
      change('B'),
      QUIET,
      { do: 'delay', resource: 'configmaps', ms: 20_000 },
      change('A'),
      wait(4000),
      change('B'),
      wait(40_000),
    ],
    rollouts: { [WEB]: 2 },
    reads: 'B',
  },
  'g: the same where versions cannot be compared': {
    settings: { rolloutMs: 3000, versions: 'per-kind' },
    steps: [
      change('B'),
      QUIET,
      { do: 'delay', resource: 'configmaps', ms: 20_000 },
      change('A'),
      wait(4000),
      change('B'),
      wait(40_000),
    ],
    rollouts: { [WEB]: 2 },
    reads: 'B',
  },
  'h: pods that an owner started while a change was open are rolled though it is changed back': {
    steps: [change('B'), wait(100), { do: 'restart', workload: WEB }, wait(2000), change('A'), COMMITTED],
    rollouts: { [WEB]: 1 },
    reads: 'A',
  },
  'h: the same after an undo': {
    steps: [
      { do: 'apply', workload: WEB },
      wait(1000),
      change('B'),
      wait(100),
      { do: 'undo', workload: WEB },
      wait(2000),
      change('A'),
      COMMITTED,
    ],
    rollouts: { [WEB]: 1 },
    reads: 'A',
  },
};

testCases(CASES);
