/** The oracle bites: small traces made by hand, each with one wrong in it, and the right one beside it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact } from './trace.ts';
import {
  BEGIN,
  type Case,
  CONFIG,
  content,
  died,
  follows,
  gone,
  KNOWN,
  lawsOf,
  patched,
  ROLLED,
  settled,
  soon,
  started,
  state,
  traceOf,
  WEB,
  wait,
} from './trace-by-hand.ts';

const rolling = (now: boolean): Fact => ({ type: 'rolling', workload: WEB, rolling: now });
/** A row of changes that the maximum wait cuts once, back to A in the end. */
const FOR_LONG = Array.from({ length: 10 }, (_, index) => [
  content(index % 2 === 0 ? 'B' : 'A'),
  { wait: 4000 },
]).flat();

const CASES: Readonly<Record<string, Case>> = {
  'a change that is rolled out is as it must be': {
    facts: [...BEGIN, content('B'), soon, ...ROLLED, settled('B')],
    laws: [],
  },
  'a first start that rolls nothing is as it must be': { facts: [...BEGIN, settled('A')], laws: [] },
  'a change that nobody rolls out is lost': {
    facts: [...BEGIN, content('B'), wait, settled('B')],
    laws: ['safety', 'economy'],
  },
  'a pod that read the new content and runs after a change back is lost': {
    facts: [...BEGIN, content('B'), soon, ...ROLLED, content('A'), wait, settled('A')],
    laws: ['safety', 'economy'],
  },
  'a rollout at the first start is for nothing': {
    facts: [...BEGIN, patched, settled('A')],
    laws: ['economy'],
  },
  'a rollout for an edit of the metadata is for nothing': {
    facts: [...BEGIN, content('A'), wait, patched, settled('A')],
    laws: ['economy'],
  },
  'a rollout for A→B→A within a window is for nothing': {
    facts: [...BEGIN, content('B'), content('A'), wait, patched, settled('A')],
    laws: ['economy'],
  },
  'A→B→A while the workload is rolling may cost a rollout': {
    facts: [...BEGIN, rolling(true), content('B'), content('A'), rolling(false), wait, patched, settled('A')],
    laws: [],
  },
  'A→B→A around pods that start may cost a rollout': {
    facts: [...BEGIN, content('B'), rolling(true), rolling(false), content('A'), wait, patched, settled('A')],
    laws: [],
  },
  'changes that go on beyond the maximum wait may cost a rollout for each, though they end where they began':
    {
      facts: [...BEGIN, ...FOR_LONG, wait, patched, patched, settled('A')],
      laws: [],
    },
  'changes that go on beyond the maximum wait cost no more than that': {
    facts: [...BEGIN, ...FOR_LONG, wait, patched, patched, patched, settled('A')],
    laws: ['economy'],
  },
  'two rollouts for one group of changes are one too many': {
    facts: [...BEGIN, content('B'), soon, ...ROLLED, patched, settled('B')],
    laws: ['economy'],
  },
  'two rollouts for two groups of changes are none too many': {
    facts: [
      ...BEGIN,
      content('B'),
      soon,
      ...ROLLED,
      content('A'),
      soon,
      patched,
      started('p3', 'A'),
      gone('p2'),
      settled('A'),
    ],
    laws: [],
  },
  'a change that waits beyond the maximum wait because others follow is overdue': {
    facts: [
      ...BEGIN,
      content('B'),
      { wait: 20_000 },
      content('C'),
      { wait: 20_000 },
      ...ROLLED,
      { ...started('p3', 'B'), reads: { [CONFIG]: 'C' } } as Fact,
      gone('p2'),
      settled('C'),
    ],
    laws: ['economy'],
  },
  'a rollout for deletion and return of the same content is for nothing': {
    facts: [...BEGIN, content(undefined), wait, content('A'), wait, patched, settled('A')],
    laws: ['economy'],
  },
  'a restart with everything committed must not roll': {
    facts: [
      ...BEGIN,
      { ...died('A'), state: state('A') } as Fact,
      { ...KNOWN, state: state('A') },
      wait,
      patched,
      settled('A'),
    ],
    laws: ['economy'],
  },
  'a pod that read what came and went while no reloader ran is excused': {
    facts: [
      ...BEGIN,
      { ...died('A'), knewUntil: 4 } as Fact,
      content('B'),
      started('p2', 'B'),
      gone('p1'),
      content('A'),
      { ...KNOWN, state: state('A') },
      settled('A'),
    ],
    laws: [],
  },
  'one that read what the state said, and what is gone, is not': {
    facts: [
      content('A'),
      { ...KNOWN, state: state('A') },
      { ...died('A'), beliefs: [], knewUntil: 1 } as Fact,
      follows(),
      started('p1', 'A'),
      content('B'),
      { ...KNOWN, state: state('A') },
      settled('B'),
    ],
    laws: ['safety'],
  },
  'a pod whose content is still in force at the return is not excused later': {
    facts: [
      ...BEGIN,
      { ...died('A'), knewUntil: 4 } as Fact,
      content('B'),
      started('p2', 'B'),
      gone('p1'),
      { ...KNOWN, state: state('A') },
      wait,
      content('A'),
      settled('A'),
    ],
    laws: ['safety'],
  },
  'what a dead process did not know is excused': {
    facts: [
      ...BEGIN,
      content('B'),
      started('p2', 'B'),
      gone('p1'),
      content('A'),
      died('A'),
      { ...KNOWN, state: state('A') },
      settled('A'),
    ],
    laws: [],
  },
  'what a dead process knew rightly is not excused': {
    facts: [
      ...BEGIN,
      content('B'),
      started('p2', 'B'),
      gone('p1'),
      content('A'),
      died('B'),
      { ...KNOWN, state: state('A') },
      settled('A'),
    ],
    laws: ['safety'],
  },
  'without a process that died nothing is excused': {
    facts: [...BEGIN, content('B'), started('p2', 'B'), gone('p1'), content('A'), settled('A')],
    laws: ['safety'],
  },
  'a write without its version is never right': {
    facts: [...BEGIN, { type: 'write', replica: 0, to: 'state', fenced: false }, settled('A')],
    laws: ['never'],
  },
  'a write that changes the image is never right': {
    facts: [
      ...BEGIN,
      content('B'),
      soon,
      { ...patched, before: deployment('app:1'), after: deployment('app:2') } as Fact,
      started('p2', 'B'),
      gone('p1'),
      settled('B'),
    ],
    laws: ['never'],
  },
  'a write that adds a container is never right': {
    facts: [
      ...BEGIN,
      content('B'),
      soon,
      { ...patched, before: deployment('app:1'), after: deployment('app:1', 'app:1') } as Fact,
      started('p2', 'B'),
      gone('p1'),
      settled('B'),
    ],
    laws: ['never'],
  },
  'a value in a log line is never right': {
    facts: [...BEGIN, { type: 'output', where: 'log', text: 'changed to hush' }, settled('A')],
    laws: ['never'],
  },
  'two patches of one workload at once are never right': {
    facts: [...BEGIN, { type: 'two-in-flight', replica: 0, workload: WEB }, settled('A')],
    laws: ['never'],
  },
  'requests without end are never right': {
    facts: [...BEGIN, { type: 'runaway', replica: 0 }, settled('A')],
    laws: ['never'],
  },
  'a process that says of itself that it is stuck is never right': {
    facts: [...BEGIN, { type: 'stuck', replica: 0, loops: ['ConfigMap in default'] }, settled('A')],
    laws: ['never'],
  },
  'a missing object of which people are told is as it must be': {
    facts: [...BEGIN, content(undefined), wait, settled('A', false, [`${WEB} ${CONFIG}`])],
    laws: [],
  },
  'a missing object of which nobody is told is none': {
    facts: [...BEGIN, content(undefined), wait, settled('A')],
    laws: ['convergence'],
  },
  'to be told that an object is missing that is there is none': {
    facts: [...BEGIN, settled('A', false, [`${WEB} ${CONFIG}`])],
    laws: ['convergence'],
  },
  'something owed for ever is no rest': { facts: [...BEGIN, settled('A', true)], laws: ['convergence'] },
  'an entry that is not what is in force is no rest': {
    facts: [...BEGIN, settled('B')],
    laws: ['convergence'],
  },
  'a rollout after a restart at rest is no rest': {
    facts: [...BEGIN, settled('A'), patched],
    laws: ['convergence'],
  },
};

for (const [name, { facts, laws }] of Object.entries(CASES)) {
  test(name, () => assert.deepEqual(lawsOf(traceOf(facts)), laws));
}

function deployment(...images: string[]): object {
  const containers = images.map((image, index) => ({ name: `c${index}`, image }));
  return {
    metadata: { name: 'web', resourceVersion: String(images.length) },
    spec: { template: { spec: { containers } } },
  };
}
