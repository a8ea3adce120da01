/** Where objects are watched by their labels, the end of one may only mean that it lost them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled, type World } from './world.ts';

function selective(...workloads: string[]): World {
  const world = settled(...workloads);
  world.settings.isSelective = true;
  return world;
}

test('of what lost its labels nothing is owed, and nothing is forgotten', () => {
  const world = selective('web');
  world.noConfig('cfg');
  assert.equal(world.needsRollout('web'), false);
  world.write();
  assert.deepEqual(world.written, { 'v1.ConfigMap_cfg': 'a.1' });
});

test('with the labels back the content is compared', () => {
  const world = selective('web');
  world.noConfig('cfg');
  world.config('cfg', 'a');
  assert.equal(world.needsRollout('web'), false);
  world.noConfig('cfg');
  world.config('cfg', 'b');
  assert.equal(world.needsRollout('web'), true);
});

test('what was owed before is owed again, after a restart too', () => {
  const world = selective('web');
  world.config('cfg', 'b');
  assert.equal(world.needsRollout('web'), true);
  world.noConfig('cfg');
  assert.equal(world.needsRollout('web'), false);
  const next = world.restart();
  next.settings.isSelective = true;
  next.config('cfg', 'b');
  assert.equal(next.needsRollout('web'), true);
});

test('pods that started meanwhile may have read anything', () => {
  const world = selective('web');
  world.noConfig('cfg');
  world.workload('web', { image: 'v2', isRolledOut: false });
  world.workload('web', { isRolledOut: true });
  world.config('cfg', 'a');
  assert.equal(world.needsRollout('web'), true);
});

test('but not of an object that was gone, where everything is watched', () => {
  const world = settled('web');
  world.noConfig('cfg');
  world.workload('web', { image: 'v2', isRolledOut: false });
  world.workload('web', { isRolledOut: true });
  world.config('cfg', 'a');
  assert.equal(world.needsRollout('web'), false);
});

test('people are told that it may be there all the same', () => {
  const told = (world: World): (string | undefined)[] =>
    world
      .noConfig('cfg')
      .reported('note')
      .map(({ detail }) => detail);
  assert.deepEqual(told(settled('web')), [undefined]);
  assert.match(told(selective('web')).join(), /^or its labels are not/);
});
