/** What is written beside the patches, the state and Events, delays none of them. */

import assert from 'node:assert/strict';
import type { CallEffect } from '../sandbox/faults.ts';
import { C, type Case, change, following, testCases, WEB } from './cases.ts';
import { type Step, wait } from './history.ts';
import { factsOf, rolloutsOf } from './timeline.ts';
import type { Trace } from './trace.ts';

const API = 'Deployment/api';
const QUIET_MS = 5000;

/** Every write of the state and every Event meets `effect` from here on. */
function meets(effect: CallEffect): readonly Step[] {
  return ['configmaps', 'events'].map((resource) => ({
    do: 'fault',
    rule: { match: { verb: 'write', resource }, times: 'always', effect },
  }));
}

/** Each change was rolled out at the very end of its quiet period. */
function isPunctual(trace: Trace): void {
  const changes = factsOf(trace, 'content').filter(({ config, ms }) => config === C && ms > 0);
  const due = changes.map(({ ms }) => ms + QUIET_MS);
  for (const workload of [WEB, API]) {
    assert.deepEqual(
      rolloutsOf(trace, workload).map(({ ms }) => ms),
      due,
    );
  }
}

const EFFECTS: Readonly<Record<string, CallEffect>> = {
  'are slow': { kind: 'latency', ms: 8000 },
  'are not answered': { kind: 'hang', effect: true },
  fail: { kind: 'status', code: 500 },
  'are throttled': { kind: 'status', code: 429, retryAfterSeconds: 20 },
};

const CASES = Object.fromEntries(
  Object.entries(EFFECTS).map(([what, effect]): [string, Case] => [
    `where writes of the state and Events ${what} each change is rolled out when it is due`,
    {
      workloads: following(WEB, API),
      steps: [...meets(effect), ...(['B', 'C', 'B'] as const).flatMap((each) => [change(each), wait(5500)])],
      rollouts: { [WEB]: 3, [API]: 3 },
      reads: 'B',
      also: isPunctual,
    },
  ]),
);

testCases(CASES);
