/** Objects that are looked at once more. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unread } from '../../../lib/controller/unread.ts';

test('each object is looked at until that succeeds, one after the other, and nobody waits for it', async () => {
  const looks: string[] = [];
  const answers = [false, true, true];
  const waits: number[] = [];
  const unread = new Unread({
    lookAt: (config) => {
      looks.push(config);
      return Promise.resolve(answers.shift() ?? true);
    },
    wait: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
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
});
