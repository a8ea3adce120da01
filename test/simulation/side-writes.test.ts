/** What is written beside the patches: Events delay none of them, and the state each one until it has the mark. */

import assert from 'node:assert/strict';
import type { CallEffect } from '../sandbox/faults.ts';
import { C, type Case, change, following, testCases, WEB } from './cases.ts';
import { type Step, wait } from './history.ts';
import { factsOf, rolloutsOf } from './timeline.ts';
import type { Trace } from './trace.ts';

const API = 'Deployment/api';
/** The quiet period, and the write of the marks, unless they are there already. */
const DUE_MS = [5000, 5001];

/** Every write of the resource meets `effect` from here on. */
function meets(resource: 'configmaps' | 'events', effect: CallEffect): Step {
  return { do: 'fault', rule: { match: { verb: 'write', resource }, times: 'always', effect } };
}

/** Each change was rolled out as soon as its quiet period was over. */
function isPunctual(trace: Trace): void {
  const changes = factsOf(trace, 'content').filter(({ config, ms }) => config === C && ms > 0);
  for (const workload of [WEB, API]) {
    const waits = rolloutsOf(trace, workload).map(({ ms }, index) => ms - (changes[index]?.ms ?? 0));
    assert.equal(waits.length, changes.length);
    assert.ok(
      waits.every((ms) => DUE_MS.includes(ms)),
      waits.join(),
    );
  }
}

/** No workload was rolled before the state was written. */
function isMarkedFirst(trace: Trace): void {
  const changed = factsOf(trace, 'content').find(({ content }) => content === 'B') ?? assert.fail();
  const writes = factsOf(trace, 'write').filter(({ at }) => at > changed.at);
  assert.equal(writes[0]?.to, 'state');
}

const EFFECTS: Readonly<Record<string, CallEffect>> = {
  'are slow': { kind: 'latency', ms: 8000 },
  'are not answered': { kind: 'hang', effect: true },
  fail: { kind: 'status', code: 500 },
  'are throttled': { kind: 'status', code: 429, retryAfterSeconds: 20 },
};

const CASES = Object.fromEntries(
  Object.entries(EFFECTS).flatMap(([what, effect]): [string, Case][] => [
    [
      `where writes of Events ${what} each change is rolled out when it is due`,
      {
        workloads: following(WEB, API),
        steps: [
          meets('events', effect),
          ...(['B', 'C', 'B'] as const).flatMap((each) => [change(each), wait(5500)]),
        ],
        rollouts: { [WEB]: 3, [API]: 3 },
        reads: 'B',
        also: isPunctual,
      },
    ],
    [
      `where writes of the state ${what} a change is rolled out once one has succeeded`,
      {
        workloads: following(WEB, API),
        steps: [meets('configmaps', effect), change('B'), wait(60_000)],
        rollouts: { [WEB]: 1, [API]: 1 },
        reads: 'B',
        also: isMarkedFirst,
      },
    ],
  ]),
);

testCases(CASES);
