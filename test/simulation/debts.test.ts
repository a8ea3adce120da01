/** A workload ceases to follow what it owes, or is deleted, and is back within a moment: it owes it still. */

import { C, type Case, change, crash, following, testCases, WEB } from './cases.ts';
import { type Step, wait } from './history.ts';

const LONG = wait(120_000);
const OUT: Step = { do: 'follow', workload: WEB, follows: [] };
const IN: Step = { do: 'follow', workload: WEB, follows: [C] };

const CASES: Readonly<Record<string, Case>> = {
  'an opt-in that is away for a second': {
    steps: [change('B'), wait(2000), OUT, wait(1000), IN, LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'the same where nobody else follows the object, and the state forgets it meanwhile': {
    steps: [change('B'), wait(2000), OUT, wait(20_000), IN, LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'the same of a workload that is refused for long': {
    workloads: following(WEB, 'StatefulSet/db'),
    steps: [
      { do: 'refuse', workload: WEB, status: 403 },
      change('B'),
      LONG,
      OUT,
      wait(1000),
      IN,
      wait(1000),
      crash(),
      wait(10_000),
      { do: 'refuse', workload: WEB, status: 0 },
      wait(600_000),
    ],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'who owes nothing opts out and in without a rollout': {
    steps: [change('B'), LONG, OUT, wait(1000), IN, LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'one that is deleted and created anew, with the pods of before': {
    steps: [
      change('B'),
      wait(2000),
      { do: 'delete-workload', workload: WEB, leavesPods: true },
      wait(5000),
      { do: 'create-workload', workload: WEB, follows: [C], replicas: 2 },
      LONG,
    ],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
};

testCases(CASES);

const FORGOTTEN: Case = {
  steps: [change('B'), wait(2000), OUT, wait(61_000), IN, LONG],
  rollouts: { [WEB]: 0 },
  reads: 'A',
};
testCases({
  'an opt-in of later is none: what its pods run is the baseline': { ...FORGOTTEN, inForce: 'B' },
});
