/** Changes in stages: good contents, contents with which a workload fails, and what people and deaths do in between. */

import assert from 'node:assert/strict';
import { parseStages } from '../../lib/model/settings.ts';
import { C, type Case, change, crash, following, testCases, WEB } from './cases.ts';
import { type Content, type Step, wait } from './history.ts';
import { CANARY } from './stage-facts.ts';
import { contentsStamped } from './stamped-contents.ts';
import { factsOf, rolloutsOf } from './timeline.ts';
import type { Trace } from './trace.ts';

const API = 'Deployment/api';
const DB = 'StatefulSet/db';
const AGENT = 'DaemonSet/agent';
const SOAK_MS = 10_000;
/** A stage and its soak. */
const STAGE = wait(30_000);
/** Longer than all stages, or than a failing workload needs to be noticed. */
const LONG = wait(200_000);

/** Four workloads: the canary is WEB, then come the other ones, by their numbers of pods and their names. */
const FOUR: Pick<Case, 'workloads' | 'settings'> = {
  workloads: following(WEB, API, DB, AGENT),
  settings: { staging: { stages: parseStages('1,3') ?? [], soakMs: SOAK_MS } },
};
const FIRST: Step = { do: 'annotate', workload: WEB, annotations: { [CANARY]: 'true' } };
const BEGIN: readonly Step[] = [FIRST, wait(1000)];

function failing(content: Content, workload = WEB): Step {
  return { do: 'break', workload, config: C, content };
}

/** The workloads that were rolled to the content, in turn, until something is done about it. */
function rolledTo(trace: Trace, content: Content): string[] {
  const settled = factsOf(trace, 'settled')[0]?.at ?? 0;
  return [WEB, API, DB, AGENT]
    .flatMap((workload) => rolloutsOf(trace, workload))
    .filter(({ at, after }) => at < settled && contentsStamped(after, C).includes(content))
    .toSorted((one, other) => one.at - other.at)
    .map(({ to }) => to);
}

/** Until people let it go on, the content reaches these alone. */
function isKept(content: Content, ...only: string[]): (trace: Trace) => void {
  return (trace) => {
    const resumed = factsOf(trace, 'staged').find(({ resume }) => resume !== undefined)?.at;
    const early = [WEB, API, DB, AGENT]
      .flatMap((workload) => rolloutsOf(trace, workload))
      .filter(({ at, after }) => at < (resumed ?? 0) && contentsStamped(after, C).includes(content));
    assert.deepEqual([...new Set(early.map(({ to }) => to))], only);
  };
}

const ALL_ONCE = { [WEB]: 1, [API]: 1, [DB]: 1, [AGENT]: 1 };

const CASES: Readonly<Record<string, Case>> = {
  'a good content goes to all, stage by stage': {
    ...FOUR,
    steps: [...BEGIN, change('B'), LONG],
    rollouts: ALL_ONCE,
    reads: 'B',
    also: (trace) => {
      const [canary, ...others] = rolledTo(trace, 'B');
      assert.equal(canary, WEB);
      assert.equal(others.length, 3);
      const times = [WEB, ...others].flatMap((workload) => rolloutsOf(trace, workload)[0]?.ms ?? 0);
      const waits = times.map((ms, index) => ms - (times[index - 1] ?? ms) >= SOAK_MS);
      assert.deepEqual(waits, [false, true, false, true]);
    },
  },
  'a content that fails at the canary reaches no other, until people let it go on': {
    ...FOUR,
    steps: [...BEGIN, failing('B'), change('B'), LONG, LONG, { do: 'undo', workload: WEB }, LONG],
    rollouts: { ...ALL_ONCE, [WEB]: 2 },
    reads: 'B',
    also: isKept('B', WEB),
  },
  'what halted is remembered over deaths and after a deletion': {
    ...FOUR,
    workloads: following(WEB, API),
    steps: [
      ...BEGIN,
      failing('B'),
      change('B'),
      wait(60_000),
      crash(),
      { do: 'delete-workload', workload: WEB },
      wait(60_000),
      crash(20_000),
      LONG,
      { do: 'create-workload', workload: WEB, follows: [C], replicas: 1 },
    ],
    rollouts: { [WEB]: 1, [API]: 1 },
    reads: 'B',
    also: isKept('B', WEB),
  },
  'a workload that gets ready after all lets its content go on': {
    ...FOUR,
    steps: [...BEGIN, failing('B'), change('B'), LONG, { do: 'mend', workload: WEB }, LONG],
    rollouts: ALL_ONCE,
    reads: 'B',
    also: (trace) => assert.ok(factsOf(trace, 'staged').every(({ resume }) => resume === undefined)),
  },
  'the token of the halt lets a content go on, and no other text': {
    ...FOUR,
    steps: [
      ...BEGIN,
      failing('B'),
      change('B'),
      LONG,
      { do: 'resume', config: C, token: 'wrong' },
      LONG,
      { do: 'resume', config: C, token: 'right' },
      LONG,
    ],
    rollouts: ALL_ONCE,
    reads: 'B',
    also: (trace) => {
      const right = factsOf(trace, 'staged').findLast(({ resume }) => resume !== undefined);
      const [, second] = rolledTo(trace, 'B').map((workload) => rolloutsOf(trace, workload)[0]);
      assert.ok((second?.at ?? 0) > (right?.at ?? 0));
    },
  },
  'a revert of a halted content rolls nobody but who began': {
    ...FOUR,
    steps: [...BEGIN, failing('B'), change('B'), LONG, change('A'), LONG],
    rollouts: { [WEB]: 2, [API]: 0, [DB]: 0, [AGENT]: 0 },
    reads: 'A',
  },
  'a fix of a halted content begins with another one than that which fails, and reaches all': {
    ...FOUR,
    steps: [...BEGIN, failing('B'), change('B'), LONG, change('C'), LONG],
    rollouts: { ...ALL_ONCE, [WEB]: 2 },
    reads: 'C',
    also: (trace) => assert.notEqual(rolledTo(trace, 'C')[0], WEB),
  },
  'a second change in the second stage begins anew, and is one rollout for who had not begun': {
    ...FOUR,
    steps: [...BEGIN, change('B'), wait(20_000), change('C'), LONG],
    rollouts: { [WEB]: 2, [AGENT]: 2, [API]: 2, [DB]: 1 },
    reads: 'C',
    also: (trace) => assert.equal(rolledTo(trace, 'C')[0], WEB),
  },
  'who opts out in the second stage holds up nobody': {
    ...FOUR,
    steps: [
      ...BEGIN,
      failing('B', API),
      change('B'),
      STAGE,
      { do: 'follow', workload: API, follows: [] },
      LONG,
      LONG,
    ],
    rollouts: { ...ALL_ONCE },
    reads: 'B',
  },
  'who takes over in the middle goes on where the other one was': {
    ...FOUR,
    steps: [
      { do: 'start', slot: 1 },
      ...BEGIN,
      wait(5000),
      change('B'),
      wait(12_000),
      { do: 'crash', slot: 0, atWrite: 0, effect: 'before', downtimeMs: -1 },
      LONG,
    ],
    rollouts: ALL_ONCE,
    reads: 'B',
    also: (trace) => assert.equal(rolledTo(trace, 'B')[0], WEB),
  },
  'one that is refused for ever, one without pods and one that is held block nobody': {
    ...FOUR,
    workloads: following(WEB, API, DB, AGENT).map((each) =>
      each.workload === DB ? { ...each, replicas: 0 } : each,
    ),
    steps: [
      { do: 'refuse', workload: API, status: 403 },
      ...BEGIN,
      { do: 'annotate', workload: AGENT, annotations: { 'reloader.k8s.collaborne.com/hold': 'true' } },
      wait(1000),
      change('B'),
      LONG,
    ],
    rollouts: ALL_ONCE,
    reads: 'B',
    also: (trace) => assert.deepEqual(rolledTo(trace, 'B').slice(0, 2), [WEB, DB]),
  },
  'one that failed before comes last, and halts nothing': {
    ...FOUR,
    steps: [
      failing('A', API),
      failing('B', API),
      { do: 'restart', workload: API },
      LONG,
      ...BEGIN,
      change('B'),
      LONG,
    ],
    rollouts: ALL_ONCE,
    reads: 'B',
    also: (trace) => {
      assert.equal(rolledTo(trace, 'B').at(-1), API);
      assert.ok(factsOf(trace, 'halts').every(({ of }) => Object.keys(of).length === 0));
    },
  },
};

testCases(CASES);
