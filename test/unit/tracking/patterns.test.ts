/** Workloads that name objects by expressions: they follow what appears later, and what only the state knows. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf } from '../../../lib/model/object-ref.ts';
import type { Effects } from '../../../lib/tracking/effects.ts';
import { observeConfig } from '../../../lib/tracking/observe-config.ts';
import { named, STAKATER } from '../annotations/judged.ts';
import { d } from './sketch.ts';
import { World } from './world.ts';

const PATTERN = { asks: named(STAKATER, 'web-.*') };
const FIRST = { initial: true } as const;

function followedBy(world: World, name = 'web'): string[] {
  return [...world.record(name).edges.keys()].map((key) => key.slice(key.lastIndexOf('/') + 1)).sort();
}

const reasons = (effects: Effects): string[] => effects.reported('note').map(({ reason }) => reason);

test('an object that appears later is followed from what it is then: nothing is rolled, the next content is', () => {
  const world = new World();
  world.workload('web', PATTERN, FIRST);
  assert.deepEqual(followedBy(world), []);
  world.config('other', 'a');
  const effects = world.config('web-a', 'a');
  assert.deepEqual(followedBy(world), ['web-a']);
  assert.deepEqual(reasons(effects), ['followed']);
  assert.ok(!world.needsRollout('web') && effects.enqueuedFor('changed').length === 0);
  assert.ok(effects.persisted.has(world.configKey('web-a')));
  world.write();
  assert.deepEqual(world.written, { 'v1.ConfigMap_web-a': 'a.1' });
  world.config('web-a', 'b');
  assert.ok(world.needsRollout('web'));
});

for (const isNamed of [false, true]) {
  test(`what is told late, after other news of the workload, is a change all the same${isNamed ? ', also of an absent object that another one names' : ''}`, () => {
    const world = new World();
    world.workload('web', PATTERN, FIRST);
    if (isNamed) world.workload('api', { follows: ['web-a'] }, FIRST);
    world.now += 2;
    const [first, second] = [world.now - 1, world.now];
    world.workload('web', { replicas: 3 });
    world.contents.set('web-a', { content: 'a', version: first });
    world.tellConfig('web-a');
    world.contents.set('web-a', { content: 'b', version: second });
    world.tellConfig('web-a');
    assert.deepEqual([world.edge('web', 'web-a').runningDigest, world.needsRollout('web')], [d('a'), true]);
  });
}

test('what a list shows first after a gap is rolled for only where pods started in the gap', () => {
  for (const isRolledOut of [true, false]) {
    const world = new World();
    world.workload('web', PATTERN, FIRST);
    const since = world.now;
    if (!isRolledOut) world.workload('web', { isRolledOut });
    world.config('web-a', 'a', { relisted: true, since });
    assert.equal(world.needsRollout('web'), !isRolledOut);
  }
});

test('what a first list tells after the workload is a baseline too, and said to be one', () => {
  const world = new World();
  world.workload('web', PATTERN, FIRST);
  assert.deepEqual(reasons(world.config('web-a', 'a', FIRST)), ['baseline']);
  assert.ok(!world.needsRollout('web'));
});

test('for a workload that appeared since the start there is no baseline of a start', () => {
  const world = new World();
  world.workload('web', PATTERN);
  assert.deepEqual(reasons(world.config('web-a', 'a', FIRST)), ['followed']);
});

for (const [order, tell] of Object.entries({
  'the workload first': (world: World): void => {
    world.workload('web', PATTERN, FIRST);
    world.config('web-a', 'b', FIRST);
  },
  'the object first': (world: World): void => {
    world.config('web-a', 'b', FIRST);
    world.workload('web', PATTERN, FIRST);
  },
})) {
  test(`what changed while nobody watched is owed, ${order}`, () => {
    const world = new World({ 'v1.ConfigMap_web-a': 'a.1' });
    tell(world);
    assert.deepEqual(followedBy(world), ['web-a']);
    assert.ok(world.needsRollout('web'));
  });

  test(`what nobody knew before is a baseline, ${order}`, () => {
    const world = new World();
    tell(world);
    assert.deepEqual(followedBy(world), ['web-a']);
    assert.ok(!world.needsRollout('web'));
  });
}

test('an object that only the state knows is followed, and compared when it returns', () => {
  for (const [content, needsRollout] of [
    ['a', false],
    ['b', true],
  ] as const) {
    const world = new World({
      'v1.ConfigMap_web-a': 'a.1',
      'v1.ConfigMap_api': 'a.1',
      'v1.Secret_web-b': 'a.1',
    });
    const effects = world.workload('web', PATTERN, FIRST);
    assert.deepEqual(followedBy(world), ['web-a']);
    assert.deepEqual(
      effects.reported('missing').map(({ config }) => config),
      [world.configKey('web-a')],
    );
    assert.ok(!world.needsRollout('web'));
    world.config('web-a', content);
    assert.equal(world.needsRollout('web'), needsRollout);
  }
});

test('an object that is deleted and comes back with other content is owed, also after a restart in between', () => {
  for (const isRestarted of [false, true]) {
    let world = new World();
    world.workload('web', PATTERN, FIRST);
    world.config('web-a', 'a');
    world.write();
    world.noConfig('web-a');
    world.workload('web', { ...PATTERN, replicas: 3 });
    if (isRestarted) world = world.restart();
    assert.deepEqual(followedBy(world), ['web-a']);
    world.config('web-a', 'b');
    assert.ok(world.needsRollout('web'));
  }
});

test('a restart believes of what a pattern matched what was written', () => {
  const world = new World();
  world.workload('web', PATTERN, FIRST);
  world.config('web-a', 'a');
  world.write();
  assert.ok(!world.restart().needsRollout('web'));
  world.config('web-a', 'b');
  assert.ok(world.restart().needsRollout('web'));
});

test('objects of another namespace are not meant', () => {
  const world = new World(
    { 'v1.ConfigMap_web-a': 'a.1', 'elsewhere_v1.ConfigMap_web-b': 'a.1' },
    'elsewhere',
  );
  world.workload('web', PATTERN, FIRST);
  const ref = { kind: 'ConfigMap', namespace: 'home', name: 'web-c' } as const;
  const object = { ref, uid: 'u', resourceVersion: '9', digest: d('a'), keyDigests: '', annotations: {} };
  const span = { from: 0, to: 9 };
  const key = keyOf(ref);
  observeConfig(world.store, {
    type: 'present',
    key,
    object,
    span,
    isInInitialList: false,
    isRelisted: false,
  });
  assert.deepEqual(followedBy(world), ['web-b']);
  world.workload('web', { replicas: 2 });
  assert.deepEqual(followedBy(world), ['web-b']);
});

test('a workload whose expression matches nothing is known, and forgotten once it has none', () => {
  const world = new World();
  const key = world.workloadKey('web');
  world.workload('web', PATTERN);
  assert.ok(world.store.workloads.has(key));
  world.workload('web', { asks: {} });
  world.config('web-a', 'a');
  assert.ok(!world.store.workloads.has(key));
  world.workload('web', PATTERN);
  world.noWorkload('web');
  world.config('web-b', 'a');
  assert.ok(!world.store.workloads.has(key));
  assert.equal(world.store.dependents.of(world.configKey('web-b')).size, 0);
});

test('an expression that becomes a name follows the name alone', () => {
  const world = new World();
  world.config('web-a', 'a');
  world.workload('web', PATTERN);
  world.workload('web', { asks: named(STAKATER, 'web-b') });
  world.config('web-c', 'a');
  assert.deepEqual(followedBy(world), ['web-b']);
});

test('what an expression matches and a list excludes is followed and never owed', () => {
  const world = new World();
  world.workload('web', { asks: { ...PATTERN.asks, [STAKATER.exclude.ConfigMap]: 'web-a' } });
  world.config('web-a', 'a');
  world.config('web-b', 'a');
  world.config('web-a', 'b');
  assert.ok(!world.needsRollout('web'));
  world.config('web-b', 'b');
  assert.ok(world.needsRollout('web'));
});

test('an object whose variable another has already changes the variables of both', () => {
  const world = new World();
  world.workload('web', { asks: named(STAKATER, 'web.*') });
  const written = (name: string): string | undefined =>
    world.record('web').variables.get(world.configKey(name))?.written.stakater;
  world.config('web-a', 'a');
  assert.equal(written('web-a'), 'STAKATER_WEB_A_CONFIGMAP');
  world.config('web.a', 'a');
  assert.match(written('web-a') ?? '', /^STAKATER_WEB_A_CONFIGMAP_[0-9A-F]{6}$/);
  assert.match(written('web.a') ?? '', /^STAKATER_WEB_A_CONFIGMAP_[0-9A-F]{6}$/);
});

test('several workloads follow what appears, each by its own expression', () => {
  const world = new World();
  world.workload('web', PATTERN);
  world.workload('api', { asks: named(STAKATER, '.*-a') });
  world.workload('job', { asks: named(STAKATER, '(') });
  world.config('web-a', 'a');
  world.config('web-b', 'a');
  world.config('api-a', 'a');
  assert.deepEqual(
    ['web', 'api', 'job'].map((name) => followedBy(world, name)),
    [['web-a', 'web-b'], ['api-a', 'web-a'], []],
  );
});

test('an object that appears is judged by itself: a look at all names for each would take hours at a start', () => {
  const world = new World();
  world.workload('web', PATTERN, FIRST);
  world.store.namesIn = () => assert.fail('all names are looked at');
  world.config('web-a', 'a', FIRST);
  world.config('api', 'a', FIRST);
  assert.deepEqual(followedBy(world), ['web-a']);
});
