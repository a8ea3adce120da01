/** Where it counts that an object comes to be or is deleted, and where it never does. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PresenceRules } from '../../../lib/store/presence.ts';
import { full, type Sketch } from '../tracking/sketch.ts';
import { World } from '../tracking/world.ts';

const NEITHER: PresenceRules = { onCreate: false, onDelete: false };
const CREATE: PresenceRules = { onCreate: true, onDelete: false };
const DELETE: PresenceRules = { onCreate: false, onDelete: true };
const BOTH: PresenceRules = { onCreate: true, onDelete: true };
const NAMED: Sketch = { follows: ['cfg'] };
const OPTIONAL: Sketch = { mayMiss: ['cfg'], asks: { 'reloader.k8s.collaborne.com/auto': 'true' } };
const REQUIRED: Sketch = { refers: ['cfg'], follows: ['cfg'] };

/** `web` as all streams have listed it; `content`: that of `cfg`, or none. */
function start(rules: PresenceRules, sketch: Sketch, content?: string, state = {}): World {
  const world = new World(state, 'home', {}, rules);
  if (content !== undefined) world.config('cfg', content, { initial: true });
  world.workload('web', sketch, { initial: true });
  world.listed();
  return world;
}

const CREATED: Record<string, readonly [PresenceRules, Sketch, boolean]> = {
  'an object that is only named rolls by coming to be': [CREATE, NAMED, true],
  'so does one that the pods may do without': [CREATE, OPTIONAL, true],
  'one that the pods wait for starts them by itself': [CREATE, REQUIRED, false],
  'without the flag none does': [DELETE, NAMED, false],
  'nor without any': [NEITHER, NAMED, false],
};

for (const [sentence, [rules, sketch, isOutdated]] of Object.entries(CREATED)) {
  test(`of objects that come to be: ${sentence}`, () => {
    const world = start(rules, sketch);
    assert.equal(world.needsRollout('web'), false);
    world.config('cfg', 'a');
    assert.equal(world.needsRollout('web'), isOutdated);
    if (isOutdated) world.roll('web');
    assert.deepEqual([world.edge('web').runningDigest, world.needsRollout('web')], [full('a'), false]);
  });
}

for (const isRestarted of [false, true])
  test(`a creation rolls pods that started without the object alone, ${isRestarted ? 'after a restart' : 'since the start'}`, () => {
    const world = start(CREATE, NAMED);
    world.workload('waits', REQUIRED, { initial: true });
    world.write();
    const state = world.written;
    const seen = isRestarted ? start(CREATE, NAMED, undefined, state) : world;
    if (isRestarted) seen.workload('waits', REQUIRED, { initial: true });
    seen.config('cfg', 'a');
    assert.deepEqual(
      ['web', 'waits'].map((name) => seen.needsRollout(name)),
      [true, false],
    );
  });

for (const [rules, isOutdated] of [
  [DELETE, false],
  [BOTH, true],
] as const) {
  test(`an opt-in that arrives after the first content: ${isOutdated ? '' : 'not '}outdated with ${JSON.stringify(rules)}`, () => {
    const world = start(rules, { mayMiss: ['cfg'], asks: { 'reloader.stakater.com/search': 'true' } });
    world.edit('web', { asks: { 'reloader.k8s.collaborne.com/auto': 'true' } });
    world.config('cfg', 'a');
    assert.equal(world.needsRollout('web'), false);
    world.tellWorkload('web');
    assert.equal(world.needsRollout('web'), isOutdated);
  });
}

const DELETED: Record<string, readonly [PresenceRules, Sketch, boolean]> = {
  'an object that is only named rolls by its deletion': [DELETE, NAMED, true],
  'so does one that the pods may do without': [BOTH, OPTIONAL, true],
  'without one that they need no pod could start': [BOTH, REQUIRED, false],
  'without the flag none does': [CREATE, NAMED, false],
  'nor without any': [NEITHER, OPTIONAL, false],
};

for (const [sentence, [rules, sketch, isOutdated]] of Object.entries(DELETED)) {
  test(`of objects that are deleted: ${sentence}`, () => {
    const world = start(rules, sketch, 'a');
    world.write();
    world.noConfig('cfg');
    assert.equal(world.needsRollout('web'), isOutdated);
    if (isOutdated) world.roll('web');
    world.write();
    assert.equal(world.written['v1.ConfigMap_cfg'], isOutdated ? '-.1' : 'a.1');
    assert.equal(world.needsRollout('web'), false);
  });
}

const BEGINNINGS: Record<string, (world: World) => void> = {
  'before its objects are listed': (world) => {
    world.workload('web', NAMED, { initial: true });
    world.listed();
  },
  'after its objects are listed': (world) => {
    world.listed();
    world.workload('web', NAMED, { initial: true });
  },
  'while all runs': (world) => {
    world.listed();
    world.workload('web', NAMED);
  },
};

for (const [when, begin] of Object.entries(BEGINNINGS)) {
  for (const rules of [CREATE, BOTH]) {
    const flags = rules.onDelete ? 'both count' : 'creation counts';
    test(`a workload that is heard of ${when} is rolled for what comes to be then, where ${flags}`, () => {
      const world = new World({}, 'home', {}, rules);
      begin(world);
      assert.deepEqual([world.edge('web').runningDigest, world.needsRollout('web')], ['-', false]);
      world.write();
      world.config('cfg', 'a');
      assert.equal(world.needsRollout('web'), true);
      world.roll('web');
      assert.equal(world.edge('web').runningDigest, full('a'));
    });
  }
}

test('a deletion that is taken back in time leaves nothing to do', () => {
  const world = start(BOTH, NAMED, 'a');
  world.write();
  world.noConfig('cfg');
  world.config('cfg', 'a');
  assert.equal(world.needsRollout('web'), false);
});

test('pods that started meanwhile may have started without it', () => {
  const world = start(BOTH, NAMED, 'a');
  world.write();
  world.workload('web', { image: 'v2', isRolledOut: false });
  world.noConfig('cfg');
  world.config('cfg', 'a');
  assert.equal(world.needsRollout('web'), true);
});

test('so may pods of which one hears only after its return', () => {
  const world = start(BOTH, NAMED, 'a');
  world.write();
  world.noConfig('cfg');
  world.edit('web', { image: 'v2' });
  world.config('cfg', 'a');
  world.tellWorkload('web');
  assert.equal(world.needsRollout('web'), true);
});

test('what returns after its deletion was rolled out rolls again only where creation counts', () => {
  for (const rules of [BOTH, DELETE]) {
    const world = start(rules, NAMED, 'a');
    world.write();
    world.noConfig('cfg');
    world.roll('web');
    world.write();
    world.config('cfg', 'a');
    assert.equal(world.needsRollout('web'), rules.onCreate);
  }
});

/** `web` ran `a`; the object is gone, and its owner lets it roll before the same content is back. */
function rolledMeanwhile(rules: PresenceRules, sketch: Sketch): World {
  const world = start(rules, sketch, 'a');
  world.write();
  world.noConfig('cfg');
  world.workload('web', { image: 'v2', isRolledOut: false });
  world.workload('web', { isRolledOut: true });
  return world;
}

test('what comes and goes once its deletion was rolled out rolls nothing', () => {
  const world = start(BOTH, NAMED, 'a');
  world.write();
  world.noConfig('cfg');
  world.roll('web');
  world.config('cfg', 'b');
  world.noConfig('cfg');
  assert.deepEqual([world.edge('web').runningDigest, world.needsRollout('web')], ['-', false]);
});

test('pods that started while it was gone are rolled for its return, though its deletion alone rolls none', () => {
  const world = rolledMeanwhile(CREATE, NAMED);
  assert.equal(world.needsRollout('web'), false);
  world.config('cfg', 'a');
  assert.equal(world.needsRollout('web'), true);
});

test('that they started without it is written, and known after a restart', () => {
  const world = rolledMeanwhile(CREATE, NAMED);
  world.write();
  assert.match(world.written['v1.ConfigMap_cfg'] ?? '', /\?Deployment\/web$/);
  const next = world.restart();
  next.listed();
  next.config('cfg', 'a');
  assert.equal(next.needsRollout('web'), true);
});

test('pods that were starting as it was deleted may have started without it', () => {
  const world = start(CREATE, NAMED, 'a');
  world.write();
  world.workload('web', { image: 'v2', isRolledOut: false });
  world.noConfig('cfg');
  world.workload('web', { isRolledOut: true });
  world.config('cfg', 'a');
  assert.equal(world.needsRollout('web'), true);
});

test('a start that finds pods starting without the object knows that, whichever is listed first', () => {
  for (const isObjectFirst of [true, false]) {
    const world = new World({ 'v1.ConfigMap_cfg': 'a.1' }, 'home', {}, CREATE);
    if (isObjectFirst) world.listed();
    world.workload('web', { ...NAMED, isRolledOut: false }, { initial: true });
    if (!isObjectFirst) world.listed();
    world.config('cfg', 'a');
    assert.equal(world.needsRollout('web'), true);
  }
});

test('pods that wait for the object until it is back are not rolled for that', () => {
  for (const rules of [CREATE, DELETE, BOTH]) {
    const world = start(rules, REQUIRED, 'a');
    world.write();
    world.noConfig('cfg');
    world.workload('web', { image: 'v2', isRolledOut: false });
    world.config('cfg', 'a');
    world.workload('web', { isRolledOut: true });
    assert.equal(world.needsRollout('web'), false);
  }
});

test('without a flag nothing is rolled for a return, whoever started meanwhile', () => {
  const world = rolledMeanwhile(NEITHER, NAMED);
  world.config('cfg', 'a');
  assert.equal(world.needsRollout('web'), false);
});

test('that an object is not there yet is written at once, and found again', () => {
  const world = start(CREATE, NAMED);
  world.write();
  assert.deepEqual(world.written, { 'v1.ConfigMap_cfg': '-.1' });
  world.now += 1;
  world.contents.set('cfg', { content: 'a', version: world.now });
  const next = world.restart();
  next.listed();
  assert.equal(next.needsRollout('web'), true, 'it came to be while no reloader ran');
});

test('what was deleted while no reloader ran is found by the first list', () => {
  const world = start(DELETE, NAMED, undefined, { 'v1.ConfigMap_cfg': 'a.1' });
  assert.equal(world.needsRollout('web'), true);
  world.roll('web');
  world.write();
  assert.deepEqual(world.written, { 'v1.ConfigMap_cfg': '-.1' });
});

test('until its stream has listed an object is not known to be absent', () => {
  const world = new World({ 'v1.ConfigMap_cfg': 'a.1' }, 'home', {}, BOTH);
  world.workload('web', NAMED, { initial: true });
  assert.equal(world.needsRollout('web'), false);
  world.config('cfg', 'a', { initial: true });
  world.listed();
  assert.equal(world.needsRollout('web'), false);
});

test('what the first list shows has not come to be just now', () => {
  const world = new World({}, 'home', {}, CREATE);
  world.workload('web', NAMED, { initial: true });
  world.config('cfg', 'a', { initial: true });
  world.listed();
  assert.deepEqual([world.edge('web').runningDigest, world.needsRollout('web')], [full('a'), false]);
});

test('an absence that was recorded counts no more once the flag is gone', () => {
  const world = start(NEITHER, NAMED, 'a', { 'v1.ConfigMap_cfg': '-.1' });
  assert.equal(world.needsRollout('web'), false);
  world.write();
  assert.deepEqual(world.written, { 'v1.ConfigMap_cfg': 'a.1' });
});

test('one workload that needs the object is marked, beside another that does not', () => {
  const world = new World({}, 'home', {}, BOTH);
  world.config('cfg', 'a', { initial: true });
  world.workload('web', NAMED, { initial: true });
  world.workload('api', REQUIRED, { initial: true });
  world.listed();
  world.write();
  world.noConfig('cfg');
  world.roll('web');
  world.write();
  assert.equal(world.written['v1.ConfigMap_cfg'], '-.1?Deployment/api');
  const next = world.restart();
  next.listed();
  next.config('cfg', 'b');
  assert.deepEqual([next.needsRollout('api'), next.needsRollout('web')], [true, true]);
  assert.equal(next.edge('api').runningDigest, '?');
});
