/** ConfigMaps in which a reloader keeps its state: to workloads they are not there. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STATE_VERSION_ANNOTATION } from '../../../lib/model/persisted-state.ts';
import { named, STAKATER } from '../annotations/judged.ts';
import { World } from './world.ts';

const STATE = { marks: { [STATE_VERSION_ANNOTATION]: '1' } };
const ORDINARY = { marks: {} };
const FIRST = { initial: true } as const;

const ASKS = {
  'names it': { follows: ['web', 'their-state'] },
  'follows what its pods refer to': {
    asks: { 'reloader.k8s.collaborne.com/auto': 'true' },
    refers: ['web', 'their-state'],
  },
  'has a pattern that matches everything': { asks: named(STAKATER, '.*') },
};

for (const [what, sketch] of Object.entries(ASKS)) {
  for (const order of ['before', 'after'] as const) {
    test(`a workload that ${what}, listed ${order} the objects, is rolled for all but a reloader's state`, () => {
      const world = new World();
      if (order === 'before') world.workload('web', sketch, FIRST);
      world.config('web', 'a', FIRST);
      world.config('their-state', 'a', { ...STATE, ...FIRST });
      if (order === 'after') world.workload('web', sketch, FIRST);
      world.write();
      world.config('their-state', 'b');
      assert.ok(!world.needsRollout('web'));
      world.write();
      assert.deepEqual(world.written, { 'v1.ConfigMap_web': 'a.1' });
      world.config('web', 'b');
      assert.ok(world.needsRollout('web'));
    });
  }
}

test('an object that becomes a state is owed nothing more; once it is none again its changes count', () => {
  const world = new World();
  world.workload('web', { follows: ['cfg'] }, FIRST);
  world.config('cfg', 'a', FIRST);
  world.write();
  world.config('cfg', 'b', STATE);
  world.config('cfg', 'c');
  assert.ok(!world.needsRollout('web'));
  world.config('cfg', 'd', ORDINARY);
  assert.ok(world.needsRollout('web'));
});

test('the own state is known by its name before it is listed, also where the state itself has an entry of it', () => {
  const world = new World({ 'v1.ConfigMap_reloader-state': 'a.1' });
  world.settings.ownState = new Set([world.configKey('reloader-state')]);
  world.workload('web', { asks: named(STAKATER, '.*') }, FIRST);
  assert.equal(world.record('web').edges.size, 0);
});

test('of a state no workload follows anything, and nothing is kept', () => {
  const world = new World();
  world.config('their-state', 'a', STATE);
  const key = world.configKey('their-state');
  assert.equal(world.store.configs.get(key), undefined);
  world.workload('web', { follows: ['their-state'] });
  assert.ok(!world.needsRollout('web'));
  world.workload('web', { follows: [] });
  assert.equal(world.store.configs.get(key), undefined);
});
