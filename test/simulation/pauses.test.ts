/** Pauses end by the time of day, whatever jumps do to it. */

import assert from 'node:assert/strict';
import type { LooseObject } from './api.ts';
import { type Case, change, testCases, WEB } from './cases.ts';
import { wait } from './history.ts';
import { factsOf, rolloutsOf } from './timeline.ts';
import type { Trace } from './trace.ts';

const PERIOD = 'deployment.reloader.stakater.com/pause-period';
const MINUTES = 60_000;

/** A pause of half an hour; 90 s after its begin the time of day jumps, and so many minutes after its begin it ends. */
function jumping(ms: number, minutes: number): Case {
  return {
    steps: [
      { do: 'annotate', workload: WEB, annotations: { [PERIOD]: '30m' } },
      change('B'),
      wait(95_000),
      { do: 'jump', ms },
      wait(50 * MINUTES),
    ],
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

/** How long after the first patch the pods began to be exchanged, in whole seconds. */
function startedAfter(trace: Trace): number {
  const [first] = rolloutsOf(trace, WEB);
  const pod = factsOf(trace, 'pod-started').find(({ ms }) => ms > (first?.ms ?? 0));
  return Math.floor(((pod?.ms ?? 0) - (first?.ms ?? 0)) / 1000);
}

const CASES: Readonly<Record<string, Case>> = {
  'it ends by the time of day, which is looked at each minute': jumping(24 * 60 * MINUTES, 2),
  'it ends sooner where that is set forward': jumping(10 * MINUTES, 20),
  'it ends later where that is set back': jumping(-10 * MINUTES, 40),
  'it ends at the next look where its begin is as far ahead as none that is meant': jumping(-60 * MINUTES, 2),
};

testCases(CASES);
