/** The oracle bites, where it counts that an object comes to be or goes, and where namespaces are selected. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact, Read } from './trace.ts';
import {
  BEGIN,
  type Case,
  CONFIG,
  content,
  gone,
  lawsOf,
  NOTHING,
  patched,
  ROLLED,
  settled,
  soon,
  started,
  traceOf,
  WEB,
  wait,
} from './trace-by-hand.ts';

const CREATE = { presence: { onCreate: true, onDelete: false } };
const DELETE = { presence: { onCreate: false, onDelete: true } };
const GONE = [content(undefined), wait];
const without = (pod: string): Fact => ({ type: 'pod-started', workload: WEB, pod, reads: {} });
const MISSING = [`${WEB} ${CONFIG}`];
const atRest = (entry: Read, missing: readonly string[] = []): Fact =>
  ({
    ...settled('A', false, missing),
    ...{ state: { ...NOTHING, entries: { [CONFIG]: entry } } },
  }) as Fact;

const PRESENCE: Readonly<Record<string, Case>> = {
  'a deletion that counts and is rolled out is as it must be': {
    settings: DELETE,
    facts: [
      ...BEGIN,
      content(undefined),
      soon,
      patched,
      without('p2'),
      gone('p1'),
      wait,
      atRest('-', MISSING),
    ],
    laws: [],
  },
  'a deletion that counts and that nobody rolls out is lost': {
    settings: DELETE,
    facts: [...BEGIN, ...GONE, atRest('-', MISSING)],
    laws: ['safety', 'economy'],
  },
  'a deletion of what pods need is rolled for nothing': {
    settings: { ...DELETE, required: [CONFIG] },
    facts: [...BEGIN, content(undefined), soon, patched, wait, settled('A', false, MISSING)],
    laws: ['economy'],
  },
  'a return that is rolled out although only deletions count is for nothing': {
    settings: DELETE,
    facts: [
      ...BEGIN,
      ...[content(undefined), soon, patched, without('p2'), gone('p1'), wait],
      ...[content('A'), soon, patched, started('p3', 'A'), gone('p2'), wait],
      settled('A'),
    ],
    laws: ['economy'],
  },
  'a return that nobody rolls out although pods started without is lost': {
    settings: CREATE,
    facts: [...BEGIN, content(undefined), without('p2'), gone('p1'), wait, content('A'), wait, settled('A')],
    laws: ['safety'],
  },
  'a return to pods that read just that is none': {
    settings: CREATE,
    facts: [...BEGIN, ...GONE, content('A'), soon, patched, wait, settled('A')],
    laws: ['economy'],
  },
};

const selected = (now: boolean): Fact => ({ type: 'selection', selected: now });
const BEGUN: Fact = { type: 'entries', of: [CONFIG] };

const SELECTION: Readonly<Record<string, Case>> = {
  'what changes while nothing is selected is rolled out once it is': {
    facts: [
      ...BEGIN,
      BEGUN,
      selected(false),
      content('B'),
      wait,
      selected(true),
      soon,
      ...ROLLED,
      settled('B'),
    ],
    laws: [],
  },
  'what changes while nothing is selected and is never rolled out is lost': {
    facts: [...BEGIN, BEGUN, selected(false), content('B'), wait, selected(true), wait, settled('B')],
    laws: ['safety'],
  },
  'nothing is asked where nothing is selected in the end': {
    facts: [...BEGIN, BEGUN, selected(false), content('B'), wait, settled('B', true)],
    laws: [],
  },
  'a rollout where nothing is selected is never right': {
    facts: [...BEGIN, BEGUN, selected(false), content('B'), soon, ...ROLLED, selected(true), settled('B')],
    laws: ['never'],
  },
  'an entry that is begun where nothing is selected is never right': {
    facts: [selected(false), ...BEGIN, BEGUN, settled('A')],
    laws: ['never'],
  },
  'an entry that goes although somebody follows the object is never right': {
    facts: [
      ...BEGIN,
      BEGUN,
      selected(false),
      wait,
      { type: 'entries', of: [] },
      BEGUN,
      selected(true),
      settled('A'),
    ],
    laws: ['never', 'never'],
  },
  'a first rollout for what changed before anything was selected is for nothing': {
    facts: [
      selected(false),
      ...BEGIN,
      content('B'),
      wait,
      selected(true),
      BEGUN,
      soon,
      ...ROLLED,
      settled('B'),
    ],
    laws: ['economy'],
  },
};

const SCOPED = Object.entries(SELECTION).map(
  ([name, each]) => [name, { ...each, settings: { selected: true } }] as const,
);
for (const [name, { facts, settings, laws }] of [...Object.entries(PRESENCE), ...SCOPED]) {
  test(name, () => assert.deepEqual(lawsOf(traceOf(facts, settings)), laws));
}
