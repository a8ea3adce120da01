/** The fence: what throws about one workload is tried again, and stops nothing else. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Fence } from '../../../lib/app/fence.ts';
import { NO_LOG } from '../../../lib/model/log.ts';
import { mockTime } from '../../mock-time.ts';

function stageOf(t: TestContext) {
  mockTime(t);
  const pass = (seconds: number): void => {
    for (let second = 0; second < seconds; second += 1) t.mock.timers.tick(1000);
  };
  const news: string[] = [];
  const logged: string[] = [];
  const fence = new Fence({
    log: {
      ...NO_LOG,
      error: (message, fields) => void logged.push(`${message} ${String(fields?.['what'])}`),
    },
    random: () => 0.5,
    onNews: (key, message) => void news.push(`${key} ${message ?? 'is well'}`),
  });
  const tries: string[] = [];
  const failing = new Set<string>();
  const run = (what: string, key: string): void =>
    fence.run(what, key, () => {
      tries.push(`${what} ${key}`);
      if (failing.has(key)) throw new Error('a defect');
    });
  return { pass, fence, news, logged, tries, failing, run };
}

test('what throws is logged, told, and tried again with growing delays until it succeeds', (t) => {
  const { pass, news, logged, tries, failing, run } = stageOf(t);
  failing.add('bad');
  run('event', 'bad');
  run('event', 'good');
  assert.deepEqual(tries, ['event bad', 'event good']);
  assert.deepEqual(logged, ['internal error, retrying later event']);
  assert.deepEqual(news, ['bad event: Error: a defect']);
  pass(3600);
  assert.ok(tries.length > 100 && tries.length < 300, String(tries.length));
  failing.clear();
  pass(60);
  assert.equal(news.at(-1), 'bad is well');
  const { length } = tries;
  pass(3600);
  assert.equal(tries.length, length);
});

test('a later call takes the place of one that failed, and only of that', (t) => {
  const { pass, news, tries, failing, run } = stageOf(t);
  failing.add('bad');
  run('event', 'bad');
  run('findings', 'bad');
  failing.clear();
  run('event', 'bad');
  assert.equal(news.length, 2, 'its findings still fail');
  pass(60);
  assert.deepEqual(tries.slice(3), ['findings bad']);
  assert.equal(news.at(-1), 'bad is well');
});

test('nothing is tried again once it is closed', async (t) => {
  const { pass, fence, tries, failing, run } = stageOf(t);
  failing.add('bad');
  run('event', 'bad');
  await fence.close();
  run('event', 'bad');
  pass(3600);
  assert.equal(tries.length, 2);
});
