import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Heartbeat, STUCK_AFTER_MS } from '../../../lib/model/health.ts';

const START = 1_000_000;

test('a loop is stuck after sixty seconds without progress', () => {
  const heartbeat = new Heartbeat();
  heartbeat.sleeps('watch', START);
  assert.deepEqual(heartbeat.stuck(START + STUCK_AFTER_MS - 1), []);
  assert.deepEqual(heartbeat.stuck(START + STUCK_AFTER_MS), ['watch']);
});

test('progress begins the sixty seconds anew', () => {
  const heartbeat = new Heartbeat();
  heartbeat.sleeps('watch', START);
  heartbeat.sleeps('watch', START + 50_000);
  assert.deepEqual(heartbeat.stuck(START + 100_000), []);
});

test('a loop with a scheduled retry is stuck only sixty seconds after that', () => {
  const heartbeat = new Heartbeat();
  heartbeat.sleeps('patch', START + 300_000);
  assert.deepEqual(heartbeat.stuck(START + 300_000 + STUCK_AFTER_MS - 1), []);
  assert.deepEqual(heartbeat.stuck(START + 300_000 + STUCK_AFTER_MS), ['patch']);
});

test('a loop that waits for work is never stuck, until it has some', () => {
  const heartbeat = new Heartbeat();
  heartbeat.ended('worker');
  assert.deepEqual(heartbeat.stuck(Number.MAX_SAFE_INTEGER), []);
  heartbeat.sleeps('worker', START);
  assert.deepEqual(heartbeat.stuck(START + STUCK_AFTER_MS), ['worker']);
});

test('only the stuck loops are named, and none that has ended or never began', () => {
  const heartbeat = new Heartbeat();
  for (const loop of ['a', 'b', 'c', 'd']) heartbeat.sleeps(loop, START);
  heartbeat.sleeps('b', START + STUCK_AFTER_MS);
  heartbeat.ended('c');
  assert.deepEqual(heartbeat.stuck(START + STUCK_AFTER_MS), ['a', 'd']);
});
