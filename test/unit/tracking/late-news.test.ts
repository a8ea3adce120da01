/** What was in force when a workload began to follow an object, where the object's stream tells it late or never. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { d } from './sketch.ts';
import { settled, type World } from './world.ts';

const FOLLOWS = { follows: ['cfg', 'late'] };

/** What web owes of `late`, which was never seen before, and whose stream was silent from `since` on. */
const LATE: Record<string, readonly [(world: World, since: number) => void, boolean]> = {
  'it was followed in the gap, and written once more: pods may run what was before': [
    (world, since) => {
      world.workload('web', FOLLOWS);
      world.config('late', 'a', { relisted: true, since });
    },
    true,
  ],
  'it was written before it was followed: what is in force was so then': [
    (world, since) => {
      world.now += 1;
      world.contents.set('late', { content: 'a', version: world.now });
      world.workload('web', FOLLOWS);
      world.tellConfig('late', { relisted: true, since });
    },
    false,
  ],
  'it was followed before the gap by pods that were all there: it has come to be': [
    (world) => {
      world.workload('web', FOLLOWS);
      world.config('late', 'a', { relisted: true, since: world.now });
    },
    false,
  ],
  'it was followed before the gap, in which pods started: they may have read another': [
    (world) => {
      world.workload('web', FOLLOWS);
      const since = world.now;
      world.workload('web', { isRolledOut: false });
      world.config('late', 'a', { relisted: true, since });
    },
    true,
  ],
  'a list tells it first, and then that it was followed before': [
    (world, since) => {
      world.config('late', 'a', { relisted: true, since });
      world.workload('web', FOLLOWS, { since });
    },
    true,
  ],
  'a watch tells it, which hides nothing': [
    (world) => {
      world.workload('web', FOLLOWS);
      world.config('late', 'a');
    },
    false,
  ],
};

for (const [sentence, [act, needsRollout]] of Object.entries(LATE)) {
  test(`an object is first seen: ${sentence}`, () => {
    const world = settled('web', 'api');
    act(world, world.now);
    assert.deepEqual(
      [world.edge('web', 'late').runningDigest, world.needsRollout('web')],
      [needsRollout ? '?' : d('a'), needsRollout],
    );
  });
}

/** `cfg` is b, then a, which nobody is told; `new` begins to follow it, whose pods run a. */
function followedUntold(): { readonly world: World; readonly since: number } {
  const world = settled('web', 'api');
  world.config('cfg', 'b');
  const since = world.now;
  world.now += 1;
  world.contents.set('cfg', { content: 'a', version: world.now });
  world.workload('new', { follows: ['cfg'] });
  assert.deepEqual([world.edge('new').runningDigest, world.needsRollout('new')], [d('b'), false]);
  return { world, since };
}

test('what was in force when a workload began to follow it is what it runs, though it is told later', () => {
  const { world } = followedUntold();
  world.tellConfig('cfg');
  assert.deepEqual([world.edge('new').runningDigest, world.needsRollout('new')], [d('a'), false]);
  world.config('cfg', 'b');
  assert.ok(world.needsRollout('new'));
});

test('what a gap hides of that is owed in case of doubt', () => {
  const { world, since } = followedUntold();
  world.config('cfg', 'b', { relisted: true, since });
  assert.ok(world.needsRollout('new'));
});
