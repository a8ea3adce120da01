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
  began: { type: 'began', running: B },
  'content-changed': { type: 'content-changed', observed: B, running: A, ...CONTENT },
  skipped: { type: 'skipped', observed: B },
  'stamp-seen': { type: 'stamp-seen', stamp },
  'pods-seen': { type: 'pods-seen', observed: A, isRolledOut: true, mayHaveReadBoth: false },
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
  .map(([, event = '', , running = '', inProgress = '']) => {
    return { event: EVENTS[event.slice(1, -1) as EdgeEvent['type']], running, inProgress };
  });

test('the table has every event once', () => {
  assert.deepEqual(ROWS.map(({ event }) => event.type).sort(), Object.keys(EVENTS).sort());
});

/** Where the drawing has an event lead to, where that depends on more than the event. */
const BY_INPUT: Partial<Record<EdgeEvent['type'], readonly string[]>> = {
  began: ['Unknown', 'UpToDate'],
  'content-changed': ['Outdated', 'Unknown', 'UpToDate'],
  'pods-seen': ['Unknown'],
  'patch-accepted': ['Unknown', 'UpToDate'],
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
function targetsOf({ event, running }: (typeof ROWS)[number]): readonly string[] {
  const byInput = BY_INPUT[event.type];
  if (byInput !== undefined) return byInput;
  return running === '' ? [] : [running === 'unknown' ? 'Unknown' : 'UpToDate'];
}

test('the drawing has what the table has', () => {
  const drawn = drawnTargets();
  for (const row of ROWS) assert.deepEqual(drawn.get(row.event.type) ?? [], targetsOf(row), row.event.type);
});

for (const { event, running, inProgress } of ROWS) {
  for (const flag of [false, true]) {
    test(`${event.type}, of pods that are ${flag ? '' : 'not '}being replaced`, () => {
      const edge = { ...EDGE, rolloutInProgress: flag };
      const { runningDigest, rolloutInProgress } = nextEdge(edge, event);
      assert.deepEqual(
        { runningDigest, rolloutInProgress },
        {
          runningDigest: RUNNING[running] ?? A,
          rolloutInProgress: FLAGS[inProgress] ?? flag,
        },
      );
    });
  }
}

const FURTHER: Record<string, readonly [Partial<Edge>, EdgeEvent, Partial<Edge>]> = {
  'a start may find our rollout in progress': [
    {},
    { ...EVENTS.began, isInProgress: true },
    { runningDigest: B, rolloutInProgress: true },
  ],
  'to skip what they run leaves our rollout in progress': [
    { runningDigest: B, rolloutInProgress: true },
    EVENTS.skipped,
    { runningDigest: B, rolloutInProgress: true },
  ],
  'late news are what was in force when the edge began': [
    {},
    { ...EVENTS['content-changed'], isLate: true },
    { runningDigest: B },
  ],
  'the first content is the baseline': [
    { runningDigest: undefined },
    { ...EVENTS['content-changed'], running: undefined, mayHaveBeenRead: true },
    { runningDigest: B },
  ],
  'but not where a gap hides what pods may have read': [
    { runningDigest: undefined },
    { ...EVENTS['content-changed'], running: undefined, mayHaveBeenRead: true, isAfterGap: true },
    { runningDigest: '?' },
  ],
  'content that pods may have read mixes them, whatever it is now': [
    {},
    { ...EVENTS['content-changed'], observed: A, mayHaveBeenRead: true },
    { runningDigest: '?' },
  ],
  'content that changes while pods start mixes them': [
    {},
    { ...EVENTS['content-changed'], mayHaveStarted: true },
    { runningDigest: '?' },
  ],
  'content that is as before does not': [
    {},
    { ...EVENTS['content-changed'], observed: A, mayHaveStarted: true },
    {},
  ],
  'pods that start while the edge is out of date are mixed': [
    { rolloutInProgress: true },
    { ...EVENTS['pods-seen'], observed: B, isRolledOut: false },
    { runningDigest: '?', rolloutInProgress: true },
  ],
  'pods that start while it is not are not': [{}, { ...EVENTS['pods-seen'], isRolledOut: false }, {}],
  'pods that may have read both are mixed': [
    {},
    { ...EVENTS['pods-seen'], mayHaveReadBoth: true },
    { runningDigest: '?' },
  ],
  'content that changed since the plan may have been read by the pods of its patch': [
    {},
    { ...EVENTS['patch-accepted'], changedSince: true },
    {
      runningDigest: '?',
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
    [...['began', 'content-changed', 'pods-seen', 'skipped', 'stamp-seen']].sort(),
  );
});
