/** Holds and approvals that a namespace has: nothing of it is lost or rolled for nothing, over deaths, late lists and take-overs. */

import assert from 'node:assert/strict';
import { type Case, change, crash, following, testCases, WEB } from './cases.ts';
import { type Step, wait } from './history.ts';
import { factsOf } from './timeline.ts';

const PREFIX = 'reloader.k8s.collaborne.com';
const OTHER = 'Deployment/other';

/** The namespace has the annotation from now on, or not any more. */
function annotateNamespace(word: string, value: string | null): Step {
  return { do: 'annotate-namespace', annotations: { [`${PREFIX}/${word}`]: value } };
}

/** A person does what the last Event that wants an approval says. */
const APPROVE: Step = { do: 'approve', workload: WEB };

const CASES: Readonly<Record<string, Case>> = {
  'a hold of the namespace lasts over a death, and what changed in it is one rollout': {
    settings: { selected: true },
    workloads: following(WEB, OTHER),
    steps: [
      annotateNamespace('hold', 'true'),
      wait(10_000),
      change('B'),
      wait(120_000),
      crash(),
      wait(120_000),
      change('C'),
      wait(120_000),
      annotateNamespace('hold', null),
      wait(60_000),
    ],
    rollouts: { [WEB]: 1, [OTHER]: 1 },
    reads: 'C',
  },
  'a hold of the namespace is known before anything is rolled after a start, although its list is late': {
    settings: { selected: true },
    steps: [
      annotateNamespace('hold', 'true'),
      wait(10_000),
      change('B'),
      wait(60_000),
      {
        do: 'fault',
        rule: {
          match: { verb: 'list', resource: 'namespaces' },
          times: 6,
          effect: { kind: 'status', code: 500 },
        },
      },
      crash(),
      wait(300_000),
    ],
    rollouts: { [WEB]: 0 },
    reads: 'A',
    inForce: 'B',
    isExcused: true,
  },
  'a hold of the namespace is known to who takes over': {
    settings: { selected: true, election: true },
    steps: [
      annotateNamespace('hold', 'true'),
      { do: 'start', slot: 1 },
      wait(30_000),
      change('B'),
      wait(60_000),
      crash(600_000),
      wait(120_000),
      annotateNamespace('hold', null),
      wait(60_000),
    ],
    rollouts: { [WEB]: 1 },
    reads: 'B',
    also: (trace) => {
      const [patch] = factsOf(trace, 'write').filter(({ to }) => to === WEB);
      assert.ok((patch?.ms ?? 0) > 210_000, 'not before the hold was taken away');
    },
  },
  'an approval that the namespace requires': {
    settings: { selected: true },
    steps: [
      annotateNamespace('approval', 'required'),
      wait(10_000),
      change('B'),
      wait(120_000),
      change('C'),
      APPROVE,
      wait(120_000),
      APPROVE,
      wait(60_000),
    ],
    rollouts: { [WEB]: 1 },
    reads: 'C',
  },
};

testCases(CASES);
