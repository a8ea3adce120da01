/** The plan of one state write: what it waits for, and which marks it records. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WriteGate } from '../../../lib/state/state-marks.ts';
import { planStateWrites } from '../../../lib/state/state-write.ts';
import { d } from '../tracking/sketch.ts';
import { OPEN_GATE, settled, World } from '../tracking/world.ts';

const CFG = 'v1.ConfigMap_cfg';

const WRITTEN: Record<string, readonly [() => World, Record<string, unknown>]> = {
  'a baseline': [
    () => {
      const world = new World();
      world.config('cfg', 'a', { initial: true });
      world.workload('web', { follows: ['cfg'] }, { initial: true });
      return world;
    },
    { [CFG]: 'a.1' },
  ],
  'a commit': [
    () => {
      const world = settled('web', 'api');
      world.config('cfg', 'b');
      for (const name of ['web', 'api']) world.roll(name);
      return world;
    },
    { [CFG]: 'b.1' },
  ],
  'who is outdated is marked': [
    () => {
      const world = settled('web', 'api');
      world.config('cfg', 'b');
      world.roll('web');
      return world;
    },
    { [CFG]: 'b.1?Deployment/api' },
  ],
  'who is being rolled is marked with the id of the stamp': [
    () => {
      const world = settled('web');
      world.config('cfg', 'b');
      world.roll('web', false);
      return world;
    },
    { [CFG]: 'b.1?Deployment/web=2' },
  ],
  'mixed pods are marked': [
    () => {
      const world = settled('web');
      world.workload('web', { isRolledOut: false });
      world.config('cfg', 'b');
      return world;
    },
    { [CFG]: 'b.1?Deployment/web' },
  ],
  'what is on its way is marked': [
    () => {
      const world = settled('web');
      world.config('cfg', 'b');
      world.send('web');
      return world;
    },
    { [CFG]: 'b.1?Deployment/web' },
  ],
  'once rolled, the mark goes': [
    () => {
      const world = settled('web');
      world.config('cfg', 'b');
      world.write();
      world.roll('web');
      return world;
    },
    { [CFG]: 'b.1' },
  ],
  'the marks of a workload that is gone go': [
    () => {
      const world = settled('web', 'api');
      world.config('cfg', 'b');
      world.write();
      world.noWorkload('web');
      return world;
    },
    { [CFG]: 'b.1?Deployment/api' },
  ],
  'an absent object keeps its entry': [
    () => {
      const world = settled('web');
      world.noConfig('cfg');
      return world;
    },
    { [CFG]: 'a.1' },
  ],
  'of an absent object without an entry nothing is written': [
    () => {
      const world = new World();
      world.workload('web', { follows: ['cfg'] }, { initial: true });
      return world;
    },
    {},
  ],
  'an orphan stays': [
    () => {
      const world = new World({ [CFG]: 'a.1' });
      world.config('cfg', 'b', { initial: true });
      return world;
    },
    { [CFG]: 'a.1' },
  ],
  'an orphan is re-based when a dependent appears': [
    () => {
      const world = new World({ [CFG]: 'a.1' });
      world.config('cfg', 'b', { initial: true });
      world.workload('web', { follows: ['cfg'] });
      return world;
    },
    { [CFG]: 'b.1' },
  ],
};

for (const [sentence, [given, written]] of Object.entries(WRITTEN)) {
  test(`written: ${sentence}`, () => {
    const world = given();
    world.write();
    assert.deepEqual(world.written, written);
  });
}

const keys = (world: World): Set<string> => new Set([world.configKey('cfg')]);

/** What is planned for `cfg` in the one shard. */
function planned(world: World, urgent: Iterable<string>, gate: WriteGate) {
  const request = { candidates: keys(world), urgent: new Set(urgent), gate, place: () => 0 };
  const { writes, postponed } = planStateWrites(world.store, request);
  return { write: writes[0], postponed };
}

test('a workload that is about to be patched blocks what it owes, unless the write is urgent', () => {
  const world = settled('web', 'api');
  world.config('cfg', 'b');
  const gate = { ...OPEN_GATE, isWaiting: (key: string) => key === world.workloadKey('web') };
  const blocked = planned(world, [], gate);
  assert.deepEqual([blocked.write, [...blocked.postponed]], [undefined, [...keys(world)]]);
  const urgent = planned(world, keys(world), gate);
  assert.equal(urgent.postponed.size, 0);
  assert.equal(urgent.write?.data[CFG], `${d('b')}.1?Deployment/api?Deployment/web`);
});

test('nor does it block what a start would doubt of a workload that is current again', () => {
  const world = settled('web', 'api');
  world.config('cfg', 'b');
  world.write();
  world.workload('web', { isRolledOut: false });
  world.config('cfg', 'a');
  assert.deepEqual([world.needsRollout('web'), world.needsRollout('api')], [true, false]);
  const gate = { ...OPEN_GATE, isWaiting: (key: string) => key === world.workloadKey('web') };
  assert.equal(planned(world, [], gate).write?.data[CFG], `${d('a')}.1?Deployment/web`);
});

test('a workload that waits and owes nothing of it blocks nothing', () => {
  const world = new World();
  world.config('cfg', 'a', { initial: true });
  world.workload('web', { follows: ['cfg'] }, { initial: true });
  const plan = planned(world, [], { ...OPEN_GATE, isWaiting: () => true });
  assert.equal(plan.write?.data[CFG], `${d('a')}.1`);
});

test('before everything is listed only marks are written, of what is urgent', () => {
  const world = settled('web');
  world.config('cfg', 'b');
  const asked: unknown[] = [];
  const isSynced = (...args: unknown[]): boolean => asked.push(args) < 0;
  const plan = planned(world, keys(world), { ...OPEN_GATE, isSynced });
  assert.deepEqual(
    [plan.write?.data, plan.postponed.size, asked],
    [{ [CFG]: `${d('a')}.1?Deployment/web` }, 1, [['home', 'ConfigMap', 'forbidden']]],
  );
});

test('what nothing follows and nothing is written of does not wait for lists', () => {
  const world = new World({ 'v1.ConfigMap_old': 'a.1' });
  const gate = { ...OPEN_GATE, isSynced: () => false };
  for (const name of ['one', 'two', 'old']) {
    world.workload('web', { follows: [name] });
    world.noWorkload('web');
  }
  const { store } = world;
  const candidates = ['one', 'two', 'old'].map((name) => world.configKey(name));
  const request = { candidates, urgent: new Set<string>(), gate, place: () => 0 };
  const { writes, postponed } = planStateWrites(store, request);
  assert.deepEqual([writes, [...postponed]], [[], [world.configKey('old')]]);
});

test('marks of a namespace that is not listed stay', () => {
  const world = new World({ [CFG]: 'a.1', [`far_${CFG}`]: 'a.1?Deployment/web' });
  world.config('cfg', 'b', { initial: true });
  world.workload('web', { follows: ['cfg'] }, { initial: true });
  const isSynced = (namespace: string): boolean => namespace === 'home';
  const { write } = planned(world, [], { ...OPEN_GATE, isSynced });
  assert.ok(write !== undefined && !(`far_${CFG}` in write.data));
});

test('only what changed is in the patch', () => {
  const world = settled('web', 'api');
  world.config('cfg', 'b');
  world.roll('web');
  world.write();
  world.roll('api');
  assert.deepEqual(world.plan()?.data, { [CFG]: `${d('b')}.1` });
});
