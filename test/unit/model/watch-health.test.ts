import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type StreamNews, WatchHealth, type WatchStatus } from '../../../lib/model/health.ts';

const START = 1_000_000;
const failed = (problem: string): StreamNews => ({ type: 'failed', code: 'x', problem, nextRetryMs: 0 });

function healthAfter(tell: (health: WatchHealth) => void, seconds: number): WatchStatus | undefined {
  const health = new WatchHealth();
  health.followedSince('Secret', START);
  tell(health);
  return health.statuses(START + seconds * 1000)[0];
}

describe('a watch', () => {
  const cases: Record<string, { tell: (health: WatchHealth) => void; want: Omit<WatchStatus, 'stream'> }> = {
    'that was never open is down since it began, and has given no sign': {
      tell: () => undefined,
      want: { isUp: false, sinceSeconds: 60, restarts: 0 },
    },
    'that cannot list is down and says why': {
      tell: (health) => health.observe('Secret', failed('secrets is forbidden'), START + 1000),
      want: { isUp: false, sinceSeconds: 60, restarts: 0, problem: 'secrets is forbidden' },
    },
    'that is open says since when, and when it last gave a sign': {
      tell: (health) => {
        health.observe('Secret', { type: 'sign-of-life' }, START + 5000);
        health.observe('Secret', { type: 'up' }, START + 10_000);
        health.observe('Secret', { type: 'sign-of-life' }, START + 40_000);
      },
      want: { isUp: true, sinceSeconds: 50, restarts: 0, lastSignOfLifeSeconds: 20 },
    },
    'that came to its end is down since then, and counted': {
      tell: (health) => {
        health.observe('Secret', { type: 'up' }, START);
        health.observe('Secret', { type: 'down', reason: 'error' }, START + 30_000);
        health.observe('Secret', failed('connection reset'), START + 30_000);
      },
      want: {
        isUp: false,
        sinceSeconds: 30,
        restarts: 1,
        lastReason: 'error',
        lastSignOfLifeSeconds: 60,
        problem: 'connection reset',
      },
    },
    'that cannot be opened again is down since the first time': {
      tell: (health) => {
        health.observe('Secret', { type: 'up' }, START);
        health.observe('Secret', { type: 'down', reason: 'ended' }, START + 10_000);
        health.observe('Secret', { type: 'down', reason: 'error' }, START + 20_000);
      },
      want: { isUp: false, sinceSeconds: 50, restarts: 2, lastReason: 'error', lastSignOfLifeSeconds: 60 },
    },
    'that is open again has no problem any more, and keeps how the last one ended': {
      tell: (health) => {
        health.observe('Secret', { type: 'down', reason: 'silence' }, START + 10_000);
        health.observe('Secret', failed('nothing was heard'), START + 10_000);
        health.observe('Secret', { type: 'up' }, START + 20_000);
      },
      want: { isUp: true, sinceSeconds: 40, restarts: 1, lastReason: 'silence', lastSignOfLifeSeconds: 40 },
    },
  };
  for (const [name, { tell, want }] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(healthAfter(tell, 60), { stream: 'Secret', ...want }));
  }
});

test('streams are told in the order in which they began, each for itself', () => {
  const health = new WatchHealth();
  for (const stream of ['Secret in b', 'ConfigMap in a']) health.followedSince(stream, START);
  health.observe('ConfigMap in a', { type: 'up' }, START);
  assert.deepEqual(
    health.statuses(START).map(({ stream, isUp }) => [stream, isUp]),
    [
      ['Secret in b', false],
      ['ConfigMap in a', true],
    ],
  );
  assert.deepEqual(
    ['Secret in b', 'ConfigMap in a', 'nobody'].map((stream) => health.isUp(stream)),
    [false, true, false],
  );
});
