/** What comes to be, or is rolled by its owner, while no reloader runs and after the object has changed, has read the change. */

import { C, type Case, change, following, testCases, WEB } from './cases.ts';
import { type Step, wait } from './history.ts';

const DB = 'StatefulSet/db';
const LONG = wait(120_000);
const STOP: readonly Step[] = [wait(10_000), { do: 'stop', slot: 0, downtimeMs: -1 }, wait(10_000)];
const START: readonly Step[] = [{ do: 'start', slot: 0 }, LONG];
const CREATE: Step = { do: 'create-workload', workload: WEB, follows: [C], replicas: 2 };
const APPLY: Step = { do: 'apply', workload: WEB };
const NO_REPLICA_SETS: Step = {
  do: 'fault',
  rule: {
    match: { verb: 'list', resource: 'replicasets' },
    times: 'always',
    effect: { kind: 'status', code: 403 },
  },
};

const CASES: Readonly<Record<string, Case>> = {
  'a workload that is created after the change is not rolled': {
    workloads: following(DB),
    steps: [...STOP, change('B'), wait(10_000), CREATE, wait(10_000), ...START],
    rollouts: { [WEB]: 0, [DB]: 1 },
    reads: 'B',
  },
  'one that is created before the change is': {
    workloads: following(DB),
    steps: [...STOP, CREATE, wait(10_000), change('B'), wait(10_000), ...START],
    rollouts: { [WEB]: 1, [DB]: 1 },
    reads: 'B',
  },
  'so is one that is created in the same second': {
    workloads: following(DB),
    steps: [...STOP, change('B'), wait(500), CREATE, wait(10_000), ...START],
    rollouts: { [WEB]: 1, [DB]: 1 },
    reads: 'B',
  },
  'a Deployment that its owner rolls after the change is not rolled again': {
    steps: [...STOP, change('B'), wait(10_000), APPLY, wait(10_000), ...START],
    rollouts: { [WEB]: 0 },
    reads: 'B',
  },
  'it is where ReplicaSets may not be listed': {
    steps: [NO_REPLICA_SETS, ...STOP, change('B'), wait(10_000), APPLY, wait(10_000), ...START],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'so is one that its owner rolls before the change': {
    steps: [...STOP, APPLY, wait(10_000), change('B'), wait(10_000), ...START],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'one that has not replaced all pods yet': {
    settings: { rolloutMs: 15_000 },
    steps: [...STOP, change('B'), wait(10_000), APPLY, wait(10_000), ...START],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'one that goes back to a ReplicaSet of before the change': {
    steps: [
      APPLY,
      wait(20_000),
      ...STOP,
      { do: 'rollout-speed', ms: 20_000 },
      change('B'),
      wait(10_000),
      { do: 'undo', workload: WEB },
      wait(1000),
      { do: 'undo', workload: WEB },
      wait(60_000),
      ...START,
    ],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'a StatefulSet that its owner rolls, for nothing tells how old its template is': {
    workloads: following(WEB, DB),
    steps: [...STOP, change('B'), wait(10_000), { do: 'apply', workload: DB }, wait(10_000), ...START],
    rollouts: { [WEB]: 1, [DB]: 1 },
    reads: 'B',
  },
};

testCases(CASES);
