/** Objects that are looked at once more. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_LOG } from '../../../lib/model/log.ts';
import { PendingFetches } from '../../../lib/repair/pending-fetches.ts';

test('each object is looked at until that succeeds, one after the other, and nobody waits for it', async () => {
  const looks: string[] = [];
  const told: string[] = [];
  const answers = [false, true, true];
  const waits: number[] = [];
  const unread = new PendingFetches({
    lookAt: (config) => {
      looks.push(config);
      return Promise.resolve(answers.shift() ?? true);
    },
    wait: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
    log: { ...NO_LOG, warn: (message: string) => void told.push(message) },
    random: () => 0,
  });
  for (const config of ['a', 'b', 'a']) unread.read(config);
  await new Promise(setImmediate);
  assert.deepEqual(looks, ['a', 'b', 'a']);
  assert.equal(waits.length, 1);
  unread.read('c');
  await unread.close();
  unread.read('d');
  assert.deepEqual(looks.slice(3), ['c']);
  assert.deepEqual(told, [], 'that a look failed is no news');
});

test('a look that throws is one that failed, and the next objects are looked at too', async () => {
  const looks: string[] = [];
  const told: string[] = [];
  const unread = new PendingFetches({
    lookAt: (config) => {
      looks.push(config);
      if (looks.length < 3) throw new Error('a defect');
      return Promise.resolve(true);
    },
    wait: () => Promise.resolve(),
    log: { ...NO_LOG, warn: (message: string) => void told.push(message) },
    random: () => 0,
  });
  unread.read('a');
  await new Promise(setImmediate);
  unread.read('b');
  await unread.close();
  assert.deepEqual(looks, ['a', 'a', 'a', 'b']);
  assert.equal(told.length, 2);
});
