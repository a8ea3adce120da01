/** What the oracle grants those who cannot know: small traces made by hand, each beside one in which they can. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact, Trace } from './trace.ts';
import {
  BEGIN,
  type Case,
  content,
  firstListed,
  follows,
  gone,
  KNOWN,
  lawsOf,
  patched,
  settled,
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
const OPAQUE = { versions: 'opaque' } as const;

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
    settings: OPAQUE,
    facts: [...JUST_GONE, wait, settled('A')],
    laws: [],
  },
  'where they do, what comes back first is the baseline': {
    facts: [...JUST_GONE, wait, settled('A')],
    laws: ['economy'],
  },
};

for (const [name, { facts, settings, accounting, laws }] of Object.entries(CASES)) {
  test(name, () => assert.deepEqual(lawsOf(traceOf(facts, settings, accounting)), laws));
}
