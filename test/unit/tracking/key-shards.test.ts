/** Where entries of keys lie: all that is followed of one object in one ConfigMap of the state. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atRest } from './key-world.ts';

test('the entry of other keys comes to lie beside the one that it takes the place of, whatever is full', () => {
  const world = atRest('a');
  world.nextShard = 1;
  world.reads('web', ['a', 'b']);
  assert.deepEqual(
    world.plans().map(({ shard, data }) => [shard, Object.keys(data).length]),
    [[0, 2]],
  );
});
