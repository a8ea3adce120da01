/** The state chart: each row of the table in the docs is an event, each cell what becomes of a part of the edge. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Edge } from '../../../lib/model/edge.ts';
import { type EdgeEvent, nextEdge } from '../../../lib/tracking/edge-state.ts';
import { A, B, C, EDGE } from '../edges.ts';

const stamp = { digest: C, id: 7 };
const CONTENT = { isLate: false, mayHaveBeenRead: false, isAfterGap: false, mayHaveStarted: false };

/** One of each; `observed` is B. */
const EVENTS: { readonly [T in EdgeEvent['type']]: EdgeEvent & { readonly type: T } } = {
  appeared: { type: 'appeared', observed: B, mayHaveReadOther: false },
  'found-at-start': {
    type: 'found-at-start',
    running: B,
    observed: B,
    isRolledOut: true,
    mayHaveReadOther: false,
  },
  rescoped: { type: 'rescoped', running: B, stamp },
  began: { type: 'began', running: B },
  'pods-start-without': { type: 'pods-start-without' },
  'content-changed': { type: 'content-changed', observed: B, running: A, ...CONTENT },
  skipped: { type: 'skipped', observed: B },
  'stamp-seen': { type: 'stamp-seen', stamp },
  'template-changed': { type: 'template-changed', stamp },
  'pods-seen': { type: 'pods-seen', observed: A, isRolledOut: true, mayHaveReadBoth: false },
  'external-rollout-done': { type: 'external-rollout-done', observed: B },
  'pods-started': { type: 'pods-started', observed: B },
  doubted: { type: 'doubted' },
  'patch-accepted': { type: 'patch-accepted', digest: B, stamp, changedSince: false },
};

const RUNNING: Record<string, string> = { observed: B, "the entry's": B, unknown: '?' };
const FLAGS: Record<string, boolean> = { yes: true, no: false };

const PAGE = readFileSync(new URL('../../../docs/explanation/how-it-decides.md', import.meta.url), 'utf8');
const ROWS = PAGE.split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, event = '']) => /^`[a-z-]+`$/.test(event) && event.slice(1, -1) in EVENTS)
  .map(([, event = '', , running = '', mixed = '', inProgress = '']) => {
    return { event: EVENTS[event.slice(1, -1) as EdgeEvent['type']], running, mixed, inProgress };
  });

test('the table has every event once', () => {
  assert.deepEqual(ROWS.map(({ event }) => event.type).sort(), Object.keys(EVENTS).sort());
});

/** Where the drawing has an event lead to, where that depends on more than the event. */
const BY_INPUT: Partial<Record<EdgeEvent['type'], readonly string[]>> = {
  appeared: ['Mixed', 'UpToDate'],
  'found-at-start': ['Mixed', 'UpToDate'],
  rescoped: ['Unknown'],
  'content-changed': ['Mixed', 'Outdated', 'UpToDate'],
  'pods-seen': ['Mixed'],
  'patch-accepted': ['Mixed', 'UpToDate'],
};

/** By event: the states to which the drawing has it lead. */
function drawnTargets(): ReadonlyMap<string, readonly string[]> {
  const arrows = [...PAGE.matchAll(/^ {4}\S+ --> (\w+): (.*)$/gm)].flatMap(([, to = '', events = '']) =>
    events.split(', ').map((event) => ({ event, to })),
  );
  const targets = Map.groupBy(arrows, ({ event }) => event);
  return new Map([...targets].map(([event, each]) => [event, [...new Set(each.map(({ to }) => to))].sort()]));
}

/** The same of a row of the table. */
function targetsOf({ event, running, mixed }: (typeof ROWS)[number]): readonly string[] {
  const byInput = BY_INPUT[event.type];
  if (byInput !== undefined) return byInput;
  if (running !== '') return [running === 'unknown' ? 'Unknown' : 'UpToDate'];
  return mixed === 'yes' ? ['Mixed'] : [];
}

test('the drawing has what the table has', () => {
  const drawn = drawnTargets();
  for (const row of ROWS) assert.deepEqual(drawn.get(row.event.type) ?? [], targetsOf(row), row.event.type);
});

for (const { event, running, mixed, inProgress } of ROWS) {
  for (const flag of [false, true]) {
    test(`${event.type}, of pods that ${flag ? 'are mixed and' : 'are not mixed nor'} being replaced`, () => {
      const edge = { ...EDGE, mixedPods: flag, rolloutInProgress: flag };
      const { runningDigest, mixedPods, rolloutInProgress } = nextEdge(edge, event);
      assert.deepEqual(
        { runningDigest, mixedPods, rolloutInProgress },
        {
          runningDigest: RUNNING[running] ?? A,
          mixedPods: FLAGS[mixed] ?? flag,
          rolloutInProgress: FLAGS[inProgress] ?? flag,
        },
      );
    });
  }
}

const FURTHER: Record<string, readonly [Partial<Edge>, EdgeEvent, Partial<Edge>]> = {
  'an edge that appears after a change has mixed pods': [
    {},
    { ...EVENTS.appeared, mayHaveReadOther: true },
    { runningDigest: B, mixedPods: true },
  ],
  'unless the object is not there': [
    {},
    { ...EVENTS.appeared, observed: undefined, mayHaveReadOther: true },
    { runningDigest: undefined },
  ],
  'a start that finds another content finds mixed pods': [
    {},
    { ...EVENTS['found-at-start'], running: A },
    { runningDigest: A, mixedPods: true },
  ],
  'or one that changed and changed back': [
    {},
    { ...EVENTS['found-at-start'], mayHaveReadOther: true },
    { runningDigest: B, mixedPods: true },
  ],
  'a start that finds a stamp and pods that start finds a rollout': [
    {},
    { ...EVENTS['found-at-start'], isRolledOut: false },
    { runningDigest: B, rolloutInProgress: true },
  ],
  'and without a stamp none of ours': [
    { stamp: undefined },
    { ...EVENTS['found-at-start'], isRolledOut: false },
    { runningDigest: B },
  ],
  'late news are what was in force when the edge began': [
    { mixedPods: true },
    { ...EVENTS['content-changed'], isLate: true },
    { runningDigest: B, mixedPods: true },
  ],
  'the first content is the baseline': [
    { runningDigest: undefined },
    { ...EVENTS['content-changed'], running: undefined, mayHaveBeenRead: true },
    { runningDigest: B, mixedPods: false },
  ],
  'but not where a gap hides what pods may have read': [
    { runningDigest: undefined },
    { ...EVENTS['content-changed'], running: undefined, mayHaveBeenRead: true, isAfterGap: true },
    { runningDigest: B, mixedPods: true },
  ],
  'content that pods may have read mixes them, whatever it is now': [
    {},
    { ...EVENTS['content-changed'], observed: A, mayHaveBeenRead: true },
    { mixedPods: true },
  ],
  'content that changes while pods start mixes them': [
    {},
    { ...EVENTS['content-changed'], mayHaveStarted: true },
    { mixedPods: true },
  ],
  'content that is as before does not': [
    {},
    { ...EVENTS['content-changed'], observed: A, mayHaveStarted: true },
    {},
  ],
  'pods that start while the edge is out of date are mixed': [
    { rolloutInProgress: true },
    { ...EVENTS['pods-seen'], observed: B, isRolledOut: false },
    { mixedPods: true, rolloutInProgress: true },
  ],
  'pods that start while it is not are not': [{}, { ...EVENTS['pods-seen'], isRolledOut: false }, {}],
  'pods that may have read both are mixed': [
    {},
    { ...EVENTS['pods-seen'], mayHaveReadBoth: true },
    { mixedPods: true },
  ],
  'content that changed since the plan may have been read by the pods of its patch': [
    {},
    { ...EVENTS['patch-accepted'], changedSince: true },
    {
      runningDigest: B,
      mixedPods: true,
      rolloutInProgress: true,
      stamp,
      followedSince: undefined,
    },
  ],
  'a rollout by a webhook or by evictions has no stamp': [
    {},
    { ...EVENTS['patch-accepted'], stamp: 'none' },
    { runningDigest: B, followedSince: undefined },
  ],
  'a patch for another object of the workload begins no rollout of this one': [
    {},
    { ...EVENTS['patch-accepted'], digest: A, stamp: EDGE.stamp },
    { followedSince: undefined },
  ],
  'a stamp that goes': [{}, { type: 'stamp-seen', stamp: undefined }, { stamp: undefined }],
};

for (const [sentence, [before, event, after]] of Object.entries(FURTHER)) {
  test(sentence, () => {
    const edge = { ...EDGE, ...before };
    assert.deepEqual(nextEdge(edge, event), { ...edge, ...after });
  });
}

test('what is unknown, patched or rolled from outside is not what was in force as the edge began', () => {
  const kept = Object.values(EVENTS).filter((event) => nextEdge(EDGE, event).followedSince !== undefined);
  assert.deepEqual(
    kept.map(({ type }) => type).sort(),
    [
      ...['appeared', 'began', 'content-changed', 'found-at-start'],
      ...['pods-seen', 'pods-start-without', 'pods-started', 'rescoped'],
      ...['skipped', 'stamp-seen'],
    ].sort(),
  );
});
