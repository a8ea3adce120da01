/** Deployments that ask for a pause: one rollout at its end, and an end in every case; and what else asks for a longer window. */

import assert from 'node:assert/strict';
import type { LooseObject } from './api.ts';
import { type Case, change, crash, following, testCases, WEB } from './cases.ts';
import { EPOCH_MS } from './clock.ts';
import { type Step, type WorkloadName, wait } from './history.ts';
import { endOf, factsOf, podsOf, rolloutsOf } from './timeline.ts';
import type { Trace } from './trace.ts';

const DB = 'StatefulSet/db';
const PERIOD = 'deployment.reloader.stakater.com/pause-period';
const PAUSED_AT = 'deployment.reloader.stakater.com/paused-at';
const YESTERDAY = new Date(EPOCH_MS - 86_400_000).toISOString();

function annotate(annotations: Record<string, string | null>, workload: WorkloadName = WEB): Step {
  return { do: 'annotate', workload, annotations };
}

function pause(paused: boolean): Step {
  return { do: 'pause', workload: WEB, paused };
}

/** It asks for a pause of a minute; what follows is a change and the patch that begins it. */
const ASKS = annotate({ [PERIOD]: '1m' });
const BEGUN: readonly Step[] = [ASKS, change('B'), wait(6000)];
const LONG = wait(120_000);
const MINUTES = 60_000;

/** A pause of half an hour; 90 s after its begin the time of day jumps, and so many minutes after its begin it ends. */
function jumping(ms: number, minutes: number): Case {
  return {
    steps: [annotate({ [PERIOD]: '30m' }), change('B'), wait(95_000), { do: 'jump', ms }, wait(50 * MINUTES)],
    rollouts: { [WEB]: 1 },
    reads: 'B',
    also: (trace) => {
      resumes(trace, 1);
      assert.equal(startedAfter(trace), minutes * 60);
    },
  };
}

/** How often a reloader ended a pause. */
function resumes(trace: Trace, times: number): void {
  const wasPaused = (before: unknown): boolean => (before as LooseObject | undefined)?.spec?.paused === true;
  const ends = factsOf(trace, 'write').filter(({ isResume, before }) => isResume && wasPaused(before));
  assert.equal(ends.length, times);
}

/** The pods were exchanged so often: each time both of them. */
function exchanged(trace: Trace, times: number): void {
  const pods = podsOf(trace).filter(({ workload, started }) => workload === WEB && started <= endOf(trace));
  assert.equal(pods.length, 2 + 2 * times);
}

/** How long after the first patch the pods began to be exchanged, in whole seconds. */
function startedAfter(trace: Trace): number {
  const [first] = rolloutsOf(trace, WEB);
  const pod = factsOf(trace, 'pod-started').find(({ ms }) => ms > (first?.ms ?? 0));
  return Math.floor(((pod?.ms ?? 0) - (first?.ms ?? 0)) / 1000);
}

const CASES: Readonly<Record<string, Case>> = {
  'the rollout waits for the end of the pause': {
    steps: [...BEGUN, LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
    also: (trace) => {
      resumes(trace, 1);
      assert.equal(startedAfter(trace), 60);
    },
  },
  'it ends by the time of day, which is looked at each minute': jumping(24 * 60 * MINUTES, 2),
  'it ends sooner where that is set forward': jumping(10 * MINUTES, 20),
  'it ends later where that is set back': jumping(-10 * MINUTES, 40),
  'it ends at the next look where its begin is as far ahead as none that is meant': jumping(-60 * MINUTES, 2),
  'what changes in the pause is stamped in it, and all pods are exchanged once, when the first change says': {
    steps: [...BEGUN, wait(20_000), change('C'), LONG],
    rollouts: { [WEB]: 2 },
    reads: 'C',
    also: (trace) => {
      resumes(trace, 1);
      exchanged(trace, 1);
      assert.equal(startedAfter(trace), 60);
    },
  },
  'what changes just before the end still goes with it': {
    steps: [...BEGUN, wait(57_000), change('C'), LONG],
    rollouts: { [WEB]: 2 },
    reads: 'C',
    also: (trace) => exchanged(trace, 1),
  },
  'what changes for ever puts the end off for no longer than the maximum wait': {
    steps: [
      ...BEGUN,
      ...Array.from({ length: 60 }, (_, at) => [change(at % 2 ? 'B' : 'C'), wait(4000)]).flat(),
      wait(600_000),
    ],
    rollouts: {},
    reads: 'B',
    also: (trace) => assert.ok(startedAfter(trace) <= 60 + 31, `after ${startedAfter(trace)} s`),
  },
  'a reloader that is killed between the patch and the end leaves nothing paused': {
    steps: [...BEGUN, crash(), LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
    also: (trace) => {
      resumes(trace, 1);
      assert.equal(startedAfter(trace), 60);
    },
  },
  'nor one that is down at the end of the pause': {
    steps: [...BEGUN, crash(300_000), wait(400_000)],
    rollouts: { [WEB]: 1 },
    reads: 'B',
    also: (trace) => exchanged(trace, 1),
  },
  'what changes while it is down goes with the rollout at the end': {
    steps: [...BEGUN, crash(300_000), wait(100_000), change('C'), wait(400_000)],
    rollouts: { [WEB]: 2 },
    reads: 'C',
    also: (trace) => exchanged(trace, 1),
  },
  'nor is it left so where the end is refused for a while': {
    steps: [
      ...BEGUN,
      { do: 'refuse', workload: WEB, status: 403 },
      wait(600_000),
      { do: 'refuse', workload: WEB, status: 0 },
      wait(400_000),
    ],
    rollouts: { [WEB]: 1 },
    reads: 'B',
    also: (trace) => exchanged(trace, 1),
  },
  'nor where the look at its end fails': {
    steps: [
      ...BEGUN,
      {
        do: 'fault',
        rule: {
          match: { verb: 'get', resource: 'deployments' },
          times: 5,
          effect: { kind: 'status', code: 500 },
        },
      },
      LONG,
    ],
    rollouts: { [WEB]: 1 },
    reads: 'B',
    also: (trace) => exchanged(trace, 1),
  },
  'a namespace that is not selected any more holds up no end of a pause': {
    settings: { selected: true },
    steps: [...BEGUN, { do: 'select', selected: false }, LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
    also: (trace) => {
      resumes(trace, 1);
      assert.equal(startedAfter(trace), 60);
    },
  },
  'a pause that a person began is left alone, and the rollout waits for that person': {
    steps: [ASKS, pause(true), change('B'), wait(600_000), pause(false), wait(300_000)],
    rollouts: { [WEB]: 1 },
    reads: 'B',
    also: (trace) => {
      resumes(trace, 0);
      assert.ok(startedAfter(trace) > 500);
    },
  },
  'a person who resumes it has the rollout then, and no second one at the end': {
    steps: [...BEGUN, wait(10_000), pause(false), LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
    also: (trace) => {
      resumes(trace, 0);
      exchanged(trace, 1);
      assert.ok(startedAfter(trace) < 15);
    },
  },
  'a person who resumes it, and pauses it an hour later, is not interrupted': {
    steps: [
      ...BEGUN,
      pause(false),
      wait(3_600_000),
      pause(true),
      change('C'),
      wait(600_000),
      pause(false),
      wait(300_000),
    ],
    rollouts: { [WEB]: 2 },
    reads: 'C',
    also: (trace) => {
      resumes(trace, 0);
      exchanged(trace, 2);
      assert.ok(Math.max(...factsOf(trace, 'pod-started').map(({ ms }) => ms)) > 4_200_000);
    },
  },
  'nor one who does so while no reloader runs': {
    steps: [...BEGUN, crash(300_000), pause(false), wait(310_000), pause(true), wait(600_000), pause(false)],
    rollouts: { [WEB]: 1 },
    reads: 'B',
    also: (trace) => resumes(trace, 0),
  },
  'what Stakater Reloader left paused is resumed once its time is past': {
    steps: [crash(5000), ASKS, annotate({ [PAUSED_AT]: YESTERDAY }), pause(true), change('B'), LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
    also: (trace) => {
      resumes(trace, 1);
      exchanged(trace, 1);
    },
  },
  'and also where it does not say any more for how long it was to be, and follows nothing any more': {
    steps: [
      crash(5000),
      annotate({ [PAUSED_AT]: YESTERDAY }),
      { do: 'follow', workload: WEB, follows: [] },
      pause(true),
      wait(60_000),
    ],
    rollouts: { [WEB]: 0 },
    reads: 'A',
    also: (trace) => resumes(trace, 1),
  },
  'to take the period away ends the pause at once': {
    steps: [...BEGUN, wait(5000), annotate({ [PERIOD]: null }), LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
    also: (trace) => assert.ok(startedAfter(trace) < 10),
  },
  'a period that cannot be read is none': {
    steps: [annotate({ [PERIOD]: 'a minute' }), change('B'), LONG],
    rollouts: { [WEB]: 1 },
    reads: 'B',
    also: (trace) => {
      resumes(trace, 0);
      assert.equal(startedAfter(trace), 0);
    },
  },
  'what cannot be paused has a window that is so long, from the first change': {
    workloads: following(WEB, DB),
    steps: [annotate({ [PERIOD]: '5m' }, DB), change('B'), wait(200_000), change('C'), wait(200_000)],
    rollouts: { [WEB]: 2, [DB]: 1 },
    reads: 'C',
  },
  'with a flag every workload has, but for those that say something else': {
    workloads: following(WEB, DB),
    settings: { pausePeriodMs: 300_000 },
    steps: [annotate({ [PERIOD]: '0' }, DB), change('B'), wait(200_000), change('C'), wait(200_000)],
    rollouts: { [WEB]: 1, [DB]: 2 },
    reads: 'C',
  },
};

testCases(CASES);
