/** The plan of one state write: what it waits for, and which marks it records. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Due, WriteGate } from '../../../lib/state/compress.ts';
import { StatePlan } from '../../../lib/state/state-write.ts';
import { d } from '../tracking/sketch.ts';
import { OPEN_GATE, settled, World } from '../tracking/world.ts';

const CFG = 'v1.ConfigMap_cfg';

/** `cfg` is listed, and `web` follows it; the state says nothing yet. */
function first(): World {
  const world = new World();
  world.config('cfg', 'a', { initial: true });
  world.workload('web', { follows: ['cfg'] }, { initial: true });
  return world;
}

/** The workloads run the content that is recorded, and `cfg` has changed. */
function changed(...names: string[]): World {
  const world = settled(...names);
  world.config('cfg', 'b');
  return world;
}

const WRITTEN: Record<string, readonly [() => World, Record<string, unknown>]> = {
  'a baseline': [first, { [CFG]: 'a.1' }],
  'a commit': [
    () => {
      const world = changed('web', 'api');
      for (const name of ['web', 'api']) world.roll(name);
      return world;
    },
    { [CFG]: 'b.1' },
  ],
  'who is outdated is marked': [
    () => {
      const world = changed('web', 'api');
      world.roll('web');
      return world;
    },
    { [CFG]: 'b.1?Deployment/api' },
  ],
  'who is being rolled is marked with the id of the stamp': [
    () => {
      const world = changed('web');
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
      const world = changed('web');
      world.send('web');
      return world;
    },
    { [CFG]: 'b.1?Deployment/web' },
  ],
  'once rolled, the mark goes': [
    () => {
      const world = changed('web');
      world.write();
      world.roll('web');
      return world;
    },
    { [CFG]: 'b.1' },
  ],
  'the marks of a workload that is gone go': [
    () => {
      const world = changed('web', 'api');
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

/** What is planned for `cfg` in the one shard. */
function planned(world: World, gate: WriteGate) {
  const request = { configs: [world.configKey('cfg')], gate, place: () => 0 };
  const [write] = new StatePlan(world.store, request).writes;
  return { due: write?.due, entry: write?.data[CFG] };
}

const WEB_WAITS = { ...OPEN_GATE, isWaiting: (key: string) => key.endsWith('/web') };

const DUE: Record<
  string,
  readonly [() => World, WriteGate, due: Due | undefined, entry: string | undefined]
> = {
  'a first entry: soon': [first, WEB_WAITS, 'soon', `${d('a')}.1`],
  'an outdated workload that is about to be patched: not, since a start would find it outdated': [
    () => changed('web'),
    WEB_WAITS,
    'not',
    `${d('b')}.1?Deployment/web`,
  ],
  'one that is not about to be patched: soon': [
    () => changed('web', 'api'),
    WEB_WAITS,
    'soon',
    `${d('b')}.1?Deployment/api?Deployment/web`,
  ],
  'a workload that runs what a start would not believe: now': [
    () => {
      const world = changed('web');
      world.workload('web', { image: 'v2' });
      return world;
    },
    WEB_WAITS,
    'now',
    `${d('b')}.1?Deployment/web`,
  ],
  'a workload of which a start would believe that it is outdated: soon': [
    () => {
      const world = changed('web', 'api');
      world.write();
      world.workload('web', { isRolledOut: false });
      world.config('cfg', 'a');
      assert.deepEqual([world.needsRollout('web'), world.needsRollout('api')], [true, false]);
      return world;
    },
    WEB_WAITS,
    'soon',
    `${d('a')}.1?Deployment/web`,
  ],
  'the end of a rollout of ours: not': [
    () => {
      const world = changed('web');
      world.roll('web', false);
      world.write();
      world.workload('web', { isRolledOut: true });
      return world;
    },
    OPEN_GATE,
    'not',
    `${d('b')}.1`,
  ],
  'the mark of a workload that is gone: soon': [
    () => {
      const world = changed('web', 'api');
      world.write();
      world.noWorkload('web');
      return world;
    },
    OPEN_GATE,
    'soon',
    `${d('b')}.1?Deployment/api`,
  ],
};

for (const [sentence, [given, gate, due, entry]] of Object.entries(DUE)) {
  test(`due: ${sentence}`, () => {
    const plan = planned(given(), gate);
    assert.deepEqual([plan.due, plan.entry], [due, entry]);
  });
}

test('before everything is listed only marks are written', () => {
  const world = settled('web');
  world.config('cfg', 'b');
  const asked: unknown[] = [];
  const isSynced = (...args: unknown[]): boolean => asked.push(args) < 0;
  const { entry } = planned(world, { ...OPEN_GATE, isSynced });
  assert.deepEqual([entry, asked], [`${d('a')}.1?Deployment/web`, [['home', 'ConfigMap', 'forbidden']]]);
});

test('an entry without followers waits for the lists, and an object without one does not', () => {
  const world = new World({ 'v1.ConfigMap_old': 'a.1' });
  const gate = { ...OPEN_GATE, isSynced: () => false };
  for (const name of ['one', 'two', 'old']) {
    world.workload('web', { follows: [name] });
    world.noWorkload('web');
  }
  const configs = ['one', 'two', 'old'].map((name) => world.configKey(name));
  const { writes, pending } = new StatePlan(world.store, { configs, gate, place: () => 0 });
  assert.deepEqual([writes, [...pending]], [[], [[world.configKey('old'), 'not']]]);
});

test('a plan of an entry without followers begins no record', () => {
  const world = new World({ [CFG]: 'a.1?Deployment/gone?Deployment/web' });
  const gate = { ...OPEN_GATE, isSynced: (_: string, kind: string) => kind !== 'ConfigMap' };
  assert.equal(planned(world, gate).entry, `${d('a')}.1`);
  assert.equal(world.store.configs.size, 0);
});

test('marks of a namespace that is not listed stay', () => {
  const world = new World({ [CFG]: 'a.1', [`far_${CFG}`]: 'a.1?Deployment/web' });
  world.config('cfg', 'b', { initial: true });
  world.workload('web', { follows: ['cfg'] }, { initial: true });
  const isSynced = (namespace: string): boolean => namespace === 'home';
  const write = world.plan(undefined, { ...OPEN_GATE, isSynced });
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
