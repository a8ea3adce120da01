/** Owners' writes with the admission webhook in the way: fewer rollouts for nothing, none that is lost. */

import assert from 'node:assert/strict';
import { C, type Case, change, crash, following, testCases, WEB } from './cases.ts';
import { tryHistories } from './histories.ts';
import { type Step, wait } from './history.ts';
import { podsOf } from './timeline.ts';
import type { Trace } from './trace.ts';

const WITH = { admission: true };
const SLOW = { admission: true, rolloutMs: 15_000 };
const REPLACE: Step = { do: 'replace', workload: WEB };
const APPLY: Step = { do: 'apply', workload: WEB };
const UNDO: Step = { do: 'undo', workload: WEB };
const AWAY: Step = { do: 'admission', away: true };
const BACK: Step = { do: 'admission', away: false };
const LONG = wait(120_000);
const LATE: readonly Step[] = [
  { do: 'delay', resource: 'configmaps', ms: 60_000 },
  { do: 'delay', resource: 'deployments', ms: 60_000 },
];
const NEW: Step = { do: 'create-workload', workload: 'DaemonSet/log', follows: ['ConfigMap/c'], replicas: 2 };

/** How many pods of WEB were ever started. */
const starts = (count: number) => (trace: Trace) =>
  assert.equal(podsOf(trace).filter(({ workload }) => workload === WEB).length, count);

const CASES: Readonly<Record<string, Case>> = {
  'a replacement that loses nothing but the stamp starts no pod': {
    settings: WITH,
    steps: [change('B'), LONG, REPLACE, LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
    also: starts(4),
  },
  'while the webhook is away it starts all of them, and nothing more': {
    settings: WITH,
    steps: [change('B'), LONG, AWAY, REPLACE, LONG, BACK],
    rollouts: { [WEB]: 1 },
    reads: 'B',
    also: starts(6),
  },
  'a change after a stamp that was kept still rolls': {
    settings: WITH,
    steps: [change('B'), LONG, REPLACE, wait(1000), change('A'), LONG],
    rollouts: { [WEB]: 2 },
    reads: 'A',
  },
  'a change after a stamp that a new workload was born with still rolls': {
    settings: WITH,
    steps: [NEW, wait(1000), change('B'), LONG],
    rollouts: { [WEB]: 1, 'DaemonSet/log': 1 },
    reads: 'B',
  },
  'a workload that is born while a change is open is not rolled, and its stamp does not hide that the change goes back':
    {
      settings: WITH,
      steps: [change('B'), wait(1000), NEW, wait(1000), change('A'), LONG],
      rollouts: { [WEB]: 0, 'DaemonSet/log': 1 },
      reads: 'A',
    },
  'a replacement in the middle of a change, a death, and the change goes back: it rolls': {
    settings: SLOW,
    steps: [change('B'), wait(6000), REPLACE, APPLY, crash(), change('A'), LONG],
    rollouts: { [WEB]: 2 },
    reads: 'A',
  },
  'a stamp that a new workload has from a late stream proves nothing to a reloader that starts: it rolls': {
    settings: WITH,
    workloads: following('DaemonSet/log'),
    steps: [
      change('B'),
      wait(1000),
      ...LATE,
      // The pods read A, the stamp says B, and nothing of it is written down.
      change('A'),
      { do: 'create-workload', workload: WEB, follows: [C], replicas: 2 },
      wait(500),
      crash(),
      change('B'),
      LONG,
    ],
    rollouts: { [WEB]: 1, 'DaemonSet/log': 1 },
    reads: 'B',
  },
  'an undo in the middle of a change that goes back after it: it rolls': {
    settings: SLOW,
    steps: [change('B'), wait(6000), UNDO, wait(100), change('A'), LONG],
    rollouts: { [WEB]: 2 },
    reads: 'A',
  },
  'a stamp that is put back in the middle of our rollout starts nothing anew': {
    settings: SLOW,
    workloads: following(WEB),
    steps: [change('B'), wait(8000), REPLACE, LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
    also: starts(4),
  },
  "an upgrade by replacement is one rollout, the owner's": {
    settings: SLOW,
    steps: [change('B'), wait(50), APPLY, REPLACE, LONG],
    rollouts: { [WEB]: 0 },
    reads: 'B',
  },
};

testCases(CASES);

tryHistories('admission', 0.1);
