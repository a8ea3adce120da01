/** Upgrades that change an object and the pod template: one rollout where the owner's is enough, ours where it is not. */

import { type Case, change, crash, following, testCases, WEB } from './cases.ts';
import { type Step, wait } from './history.ts';

const APPLY: Step = { do: 'apply', workload: WEB };
const UNDO: Step = { do: 'undo', workload: WEB };
const SLOW = { rolloutMs: 15_000 };
const DB = 'StatefulSet/db';
const LONG = wait(120_000);
const speed = (ms: number): Step => ({ do: 'rollout-speed', ms });

const CASES: Readonly<Record<string, Case>> = {
  "an upgrade that changes the object and then the template is one rollout, the owner's": {
    steps: [change('B'), wait(50), APPLY, LONG],
    rollouts: { [WEB]: 0 },
    reads: 'B',
  },
  'the same where it takes longer than the quiet period': {
    settings: SLOW,
    steps: [change('B'), wait(50), APPLY, LONG],
    rollouts: { [WEB]: 0 },
    reads: 'B',
  },
  'the same where the object is heard of after the template': {
    settings: SLOW,
    steps: [{ do: 'delay', resource: 'configmaps', ms: 1000 }, change('B'), wait(50), APPLY, LONG],
    rollouts: { [WEB]: 0 },
    reads: 'B',
  },
  'the same for every owner of many workloads': {
    workloads: following(WEB, DB, 'DaemonSet/log'),
    settings: SLOW,
    steps: [
      change('B'),
      ...[WEB, DB, 'DaemonSet/log'].map((workload): Step => ({ do: 'restart', workload })),
      LONG,
    ],
    rollouts: { [WEB]: 0, [DB]: 0, 'DaemonSet/log': 0 },
    reads: 'B',
  },
  "two upgrades, the second in the middle of the first, are both the owner's": {
    settings: SLOW,
    steps: [change('B'), wait(50), APPLY, wait(20_000), APPLY, LONG],
    rollouts: { [WEB]: 0 },
    reads: 'B',
  },
  'a template that changes before the object needs a rollout of ours': {
    settings: SLOW,
    steps: [APPLY, wait(50), change('B'), LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'an object that changes again while its owner rolls the workload needs one too': {
    settings: SLOW,
    steps: [change('B'), wait(50), APPLY, wait(20_000), change('C'), LONG],
    rollouts: { [WEB]: 1 },
    reads: 'C',
  },
  'an object that changes back while its owner rolls the workload needs one too': {
    settings: SLOW,
    steps: [change('B'), wait(50), APPLY, wait(20_000), change('A'), LONG],
    rollouts: { [WEB]: 1 },
    reads: 'A',
  },
  'an owner who goes back in the middle leaves pods that have not read the change: they are rolled': {
    settings: SLOW,
    steps: [change('B'), wait(50), APPLY, wait(10_000), UNDO, LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  "an owner's rollout that comes no further for its deadline is not waited for": {
    steps: [speed(-1), change('B'), wait(50), APPLY, wait(1_300_000), speed(100), LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'a slow one that comes further is waited for, however long it takes': {
    settings: { rolloutMs: 500_000 },
    steps: [change('B'), wait(50), APPLY, wait(3_000_000)],
    rollouts: { [WEB]: 0 },
    reads: 'B',
  },
  'where pods were starting when the template changed some may be older than the change: they are rolled': {
    settings: SLOW,
    steps: [APPLY, wait(1000), crash(), wait(5000), change('B'), wait(50), UNDO, LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'who is killed in the middle knows nothing of it: one rollout more, none less': {
    settings: SLOW,
    steps: [change('B'), wait(50), APPLY, wait(10_000), crash(), LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'where versions of different kinds cannot be compared nothing is left to the owner': {
    settings: { ...SLOW, versions: 'per-kind' },
    steps: [change('B'), wait(50), APPLY, LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'where one kind of workload is in another etcd an object is not older than what it changed in the middle of':
    {
      workloads: following(WEB, DB),
      settings: { ...SLOW, versions: 'several-etcds' },
      steps: [{ do: 'restart', workload: DB }, wait(20_000), change('B'), LONG],
      rollouts: { [WEB]: 1, [DB]: 1 },
      reads: 'B',
    },
  'a change of scale, a status and an annotation start no pods of a new template': {
    settings: SLOW,
    steps: [change('B'), wait(50), { do: 'scale', workload: WEB, replicas: 3 }, LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
};

testCases(CASES);
