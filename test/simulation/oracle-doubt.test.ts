/** What the oracle grants those who cannot know: small traces made by hand, each beside one in which they can. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact, Trace } from './trace.ts';
import {
  BEGIN,
  type Case,
  CONFIG,
  content,
  died,
  firstListed,
  follows,
  gone,
  KNOWN,
  lawsOf,
  type Pause,
  patched,
  settled,
  soon,
  started,
  state,
  traceOf,
  wait,
} from './trace-by-hand.ts';

const RELISTED: Fact = { type: 'relisted', replica: 0, resource: 'configmaps' };
const edited = (shard: string): Fact => ({ type: 'state-edited', shards: [shard] });
const written = (shard: string): Fact => ({ type: 'write', replica: 0, to: 'state', shard, fenced: true });
/** An object that comes to be once all is listed, with a rollout for it. */
const CREATED = [follows(), firstListed, wait, content('A'), started('p1', 'A')];
const ROLLED = [patched, started('p2', 'A'), gone('p1'), wait, settled('A')];
/** Who begins to follow an object that has just gone, which comes back as something else and then as it was. */
const JUST_GONE = [
  content('A'),
  { ...KNOWN, state: state('A') },
  wait,
  content(undefined),
  follows(),
  wait,
  content('B'),
  content('A'),
  started('p1', 'A'),
];
const SEVERAL_COUNTERS = { versions: 'per-kind' } as const;
const deployment = (env: readonly object[]): unknown => {
  return { spec: { template: { spec: { containers: [{ name: 'app', env }] } } } };
};
const STAMPED = {
  ...patched,
  before: deployment([]),
  after: deployment([{ name: '_RELOADER_CONFIGMAP_A', value: 'b.2' }]),
} as Fact;
/** A process dies over a stamp, and pods have read something else since, which is marked so or not. */
const diedAfter = (mark?: 'ignore', later: readonly Pause[] = []) => [
  ...BEGIN,
  content('B'),
  soon,
  STAMPED,
  { ...content('A'), mark } as Fact,
  started('p2', 'A'),
  gone('p1'),
  ...later,
  died('A'),
  content('B'),
  { ...KNOWN, state: state('A') },
  wait,
  settled('B'),
];
/** Content is declined and goes, and is asked for again while it is not there. */
const ASKED_WHILE_ABSENT = [
  ...BEGIN,
  { ...follows(), asked: { names: [CONFIG], by: 'names', excludes: [CONFIG] } } as Fact,
  content('B'),
  wait,
  content(undefined),
  follows(),
  wait,
];

const CASES: Readonly<Record<string, Case & Partial<Pick<Trace, 'accounting'>>>> = {
  'what a list shows first may have been another before: it may cost a rollout': {
    accounting: 'each',
    facts: [...CREATED, RELISTED, ...ROLLED],
    laws: [],
  },
  'what no list shows first has come to be: a rollout is for nothing': {
    accounting: 'each',
    facts: [RELISTED, ...CREATED, ...ROLLED],
    laws: ['economy'],
  },
  'where news comes at once a rollout for it is for nothing': {
    facts: [...CREATED, RELISTED, ...ROLLED],
    laws: ['economy'],
  },
  'what a person took out of a ConfigMap of the state is missing until that is written': {
    facts: [...BEGIN, edited('state-0'), written('state-1'), settled('B')],
    laws: [],
  },
  'once that is written it is there again': {
    facts: [...BEGIN, edited('state-0'), written('state-0'), settled('B')],
    laws: ['convergence'],
  },
  'where versions do not compare what has just gone may have been what is followed': {
    settings: SEVERAL_COUNTERS,
    facts: [...JUST_GONE, wait, settled('A')],
    laws: [],
  },
  'what pods have read that was declined dies with the process while a stamp says something else': {
    accounting: 'grouped',
    facts: diedAfter('ignore'),
    laws: [],
  },
  'but not if there was the time to write it': {
    accounting: 'grouped',
    facts: diedAfter('ignore', [soon]),
    laws: ['safety'],
  },
  'what they have read that was asked for does not': {
    accounting: 'grouped',
    facts: diedAfter(),
    laws: ['safety'],
  },
  'pods count as having read what was declined last, though it is asked for again while it is not there': {
    facts: [...ASKED_WHILE_ABSENT, content('A'), content('B'), wait, settled('B')],
    laws: [],
  },
  'where creation and deletion count, they count as having started without it': {
    settings: { presence: { onCreate: true, onDelete: true } },
    facts: [...ASKED_WHILE_ABSENT, content('B'), wait, settled('B')],
    laws: ['safety', 'economy'],
  },
  'so they are rolled for what comes back otherwise': {
    facts: [...ASKED_WHILE_ABSENT, content('C'), wait, settled('C')],
    laws: ['safety', 'economy'],
  },
  'where they do, what comes back first is the baseline': {
    facts: [...JUST_GONE, wait, settled('A')],
    laws: ['economy'],
  },
};

for (const [name, { facts, settings, accounting, laws }] of Object.entries(CASES)) {
  test(name, () => assert.deepEqual(lawsOf(traceOf(facts, settings, accounting)), laws));
}
