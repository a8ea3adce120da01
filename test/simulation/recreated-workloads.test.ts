/** A workload that is outdated is deleted, and recreated under its name with its old pods: it is rolled. Who opts out is not. */

import { C, type Case, change, crash, following, testCases, WEB } from './cases.ts';
import { type Step, wait } from './history.ts';

const LONG = wait(120_000);
const DELETE: Step = { do: 'delete-workload', workload: WEB, leavesPods: true };
const CREATE: Step = { do: 'create-workload', workload: WEB, follows: [C], replicas: 2 };
const OUT: Step = { do: 'follow', workload: WEB, follows: [] };
const IN: Step = { do: 'follow', workload: WEB, follows: [C] };

const CASES: Readonly<Record<string, Case>> = {
  'with the pods of before': {
    steps: [change('B'), wait(2000), DELETE, wait(5000), CREATE, LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'after a while, in which the state forgets the object': {
    steps: [change('B'), wait(2000), DELETE, wait(600_000), CREATE, LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'before a crash, while the patch is refused': {
    workloads: following(WEB, 'StatefulSet/db'),
    steps: [
      { do: 'refuse', workload: WEB, status: 403 },
      change('B'),
      LONG,
      DELETE,
      wait(1000),
      CREATE,
      wait(1000),
      crash(),
      wait(10_000),
      { do: 'refuse', workload: WEB, status: 0 },
      wait(600_000),
    ],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'one that is up to date is not rolled': {
    steps: [change('B'), LONG, DELETE, wait(1000), CREATE, LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'who opts out of a change and in again begins with the current content': {
    steps: [change('B'), wait(2000), OUT, wait(1000), IN, LONG],
    rollouts: { [WEB]: 0 },
    reads: 'A',
    inForce: 'B',
  },
};

testCases(CASES);
