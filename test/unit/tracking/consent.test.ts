/** An object of another namespace is followed while it allows that, and from then on like one that is named from then on. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EVER } from '../../../lib/model/timeline.ts';
import { namedBy, notAllowedTo } from '../../../lib/tracking/consent.ts';
import { observeConfig } from '../../../lib/tracking/observe-config.ts';
import { World } from './world.ts';

const SHARED = 'shop/cfg';
const ENTRY = 'shop_v1.ConfigMap_cfg';
const ALLOWED = { marks: { 'reloader.k8s.collaborne.com/allow-from': 'club, home' } };
const REFUSED = { marks: {} };
const STAMPS = 'reloader.k8s.collaborne.com/stamps';

/** A world in which `web` names the object, which is there from the start. */
function begun(
  consent = ALLOWED as { marks: Record<string, string> },
  state: Record<string, string> = {},
): World {
  const world = new World(state);
  world.config(SHARED, 'a', { initial: true, ...consent });
  world.workload(
    'web',
    { follows: [SHARED], template: { spec: { containers: [{ name: 'main' }] } } },
    { initial: true },
  );
  world.write();
  return world;
}

function follows(world: World, workload = 'web'): boolean {
  return world.record(workload).edges.has(world.configKey(SHARED));
}

function stampsOf(world: World): string | undefined {
  return world.raw('web').spec?.template?.metadata?.annotations?.[STAMPS];
}

/** The objects that are looked into, since a workload cannot follow them. */
function lookedFor(effects: ReturnType<World['config']>): readonly string[] {
  return effects.reported('missing').map(({ config }) => config);
}

test('what allows it is followed, rolled for and written to the state', () => {
  const world = begun();
  assert.deepEqual(world.written, { [ENTRY]: 'a.1' });
  world.config(SHARED, 'b');
  assert.ok(world.needsRollout('web'));
  world.roll('web');
  assert.match(stampsOf(world) ?? '', /ConfigMap\/shop\/cfg/);
  world.write();
  assert.ok(!world.restart().needsRollout('web'));
});

test('of what does not allow it nothing is followed, stamped or written, however it changes', () => {
  const world = begun(REFUSED);
  world.config(SHARED, 'b');
  assert.ok(!follows(world) && !world.needsRollout('web'));
  assert.deepEqual(world.written, {});
  assert.deepEqual(notAllowedTo(world.store, world.record('web')), [world.configRef(SHARED)]);
  const next = world.restart();
  assert.ok(!follows(next) && !next.needsRollout('web'));
});

test('with the flag whatever is named is followed', () => {
  const world = new World({}, 'home', { crossNamespace: 'any' });
  world.config(SHARED, 'a', { initial: true });
  world.workload('web', { follows: [SHARED] }, { initial: true });
  world.config(SHARED, 'b');
  assert.ok(world.needsRollout('web'));
});

describe('a consent that is given later', () => {
  test('begins with what is in force, and rolls for what changes from then on', () => {
    const world = begun(REFUSED);
    world.config(SHARED, 'b');
    const effects = world.config(SHARED, 'b', ALLOWED);
    assert.deepEqual(effects.reported('found').length, 1);
    assert.ok(follows(world) && !world.needsRollout('web'));
    world.write();
    assert.deepEqual(world.written, { [ENTRY]: 'b.1' });
    assert.ok(!world.restart().needsRollout('web'));
    world.config(SHARED, 'c');
    assert.ok(world.needsRollout('web'));
  });

  test('begins with the content that comes by the same write', () => {
    const world = begun(REFUSED);
    world.config(SHARED, 'b', ALLOWED);
    assert.ok(!world.needsRollout('web'));
  });

  test('begins with the content of an object that is created', () => {
    const world = new World();
    world.workload('web', { follows: [SHARED] }, { initial: true });
    world.listed();
    world.config(SHARED, 'b', ALLOWED);
    assert.ok(follows(world) && !world.needsRollout('web'));
  });

  test('of which a list after a gap tells, with another content, is rolled for in doubt', () => {
    const world = begun(REFUSED);
    world.config(SHARED, 'b', { ...ALLOWED, relisted: true });
    assert.ok(world.needsRollout('web'));
  });

  test('of which a list after a gap tells, with the same content, rolls nothing', () => {
    const world = begun(REFUSED);
    world.config(SHARED, 'a', { ...ALLOWED, relisted: true });
    assert.ok(follows(world) && !world.needsRollout('web'));
  });

  test('while no process ran rolls nothing', () => {
    const world = begun(REFUSED);
    world.contents.set(SHARED, { content: 'b', annotations: ALLOWED.marks, version: world.now + 1 });
    const next = world.restart();
    assert.ok(follows(next) && !next.needsRollout('web'));
  });

  test('to one namespace is none to another', () => {
    const world = begun(REFUSED);
    const effects = world.config(SHARED, 'a', {
      marks: { 'reloader.k8s.collaborne.com/allow-from': 'club' },
    });
    assert.ok(!follows(world));
    assert.deepEqual(lookedFor(effects), [world.configKey(SHARED)]);
  });
});

describe('a consent that is withdrawn', () => {
  test('ends what it allowed, entry and exception included', () => {
    const world = begun();
    world.config(SHARED, 'b');
    world.write();
    const effects = world.config(SHARED, 'b', REFUSED);
    assert.deepEqual(lookedFor(effects), [world.configKey(SHARED)]);
    assert.ok(!follows(world) && !world.needsRollout('web'));
    world.write();
    assert.deepEqual(world.written, {});
  });

  test('with other content by the same write tells nothing of that content', () => {
    const world = begun();
    world.config(SHARED, 'b', REFUSED);
    assert.ok(!follows(world));
    world.config(SHARED, 'b', ALLOWED);
    assert.ok(!world.needsRollout('web'), 'nothing was owed as it was withdrawn');
  });

  test('and given again soon leaves owed what was owed', () => {
    const world = begun();
    world.config(SHARED, 'b');
    world.config(SHARED, 'b', REFUSED);
    world.config(SHARED, 'b', ALLOWED);
    assert.ok(world.needsRollout('web'));
  });

  test('while no process ran rolls nothing', () => {
    const world = begun();
    world.contents.set(SHARED, { content: 'b', annotations: {}, version: world.now + 1 });
    const next = world.restart();
    assert.ok(!follows(next) && !next.needsRollout('web'));
  });

  test('ends nothing in the namespace of the object, nor by a version that is older', () => {
    const world = begun(ALLOWED);
    const [key, ref] = [world.configKey(SHARED), world.configRef(SHARED)];
    const object = { ref, uid: '', resourceVersion: '0', digest: 'f', annotations: {} };
    observeConfig(world.store, {
      type: 'present',
      key,
      object,
      span: EVER,
      isInInitialList: false,
      isRelisted: true,
    });
    assert.ok(follows(world));
  });
});

describe('an object that is not there', () => {
  test('is what it was last: who followed it is rolled if it comes back with other content', () => {
    const world = begun();
    world.noConfig(SHARED);
    assert.ok(!world.needsRollout('web'));
    world.config(SHARED, 'b', ALLOWED);
    assert.ok(world.needsRollout('web'));
  });

  test('is followed by none any more if it comes back without its consent', () => {
    const world = begun();
    world.noConfig(SHARED);
    world.config(SHARED, 'b', REFUSED);
    assert.ok(!follows(world) && !world.needsRollout('web'));
    assert.ok(world.store.configs.get(world.configKey(SHARED))?.digest !== undefined);
  });

  test('is rolled for after a start without it, if the state knows what the pods ran', () => {
    const world = begun();
    world.noConfig(SHARED);
    const next = world.restart();
    next.listed();
    assert.ok(!next.needsRollout('web'));
    next.config(SHARED, 'b', ALLOWED);
    assert.ok(next.needsRollout('web'));
  });

  test('does not count as absent where deletions do', () => {
    const rules = { onCreate: true, onDelete: true, elsewhere: false };
    const world = new World({}, 'home', {}, rules);
    world.config(SHARED, 'a', { initial: true, ...ALLOWED });
    world.workload('web', { follows: [SHARED] }, { initial: true });
    world.listed();
    world.noConfig(SHARED);
    assert.ok(!world.needsRollout('web'));
  });
});

describe('at a start', () => {
  test('an object that is listed after the workload is followed from the entry on, and owed what it missed', () => {
    const world = begun();
    const next = new World({ [ENTRY]: 'a.1' });
    next.now = world.now;
    next.workload('web', { follows: [SHARED] }, { initial: true });
    assert.ok(!next.needsRollout('web'));
    next.config(SHARED, 'b', { initial: true, ...ALLOWED });
    assert.ok(next.needsRollout('web'));
  });

  test('one that turns out to refuse is not followed, and owes nothing', () => {
    const next = new World({ [ENTRY]: 'a.1', 'ran.Deployment_web': `{"${ENTRY}":"f"}` });
    next.workload('web', { follows: [SHARED] }, { initial: true });
    next.config(SHARED, 'b', { initial: true, ...REFUSED });
    assert.ok(!follows(next) && !next.needsRollout('web'));
  });

  test('exceptions outlast what is written before the object is listed', () => {
    const next = new World({
      [ENTRY]: 'b.2',
      'v1.ConfigMap_cfg': 'a.1',
      'ran.Deployment_web': `{"${ENTRY}":"a"}`,
    });
    next.config('cfg', 'c', { initial: true });
    next.workload('web', { follows: [SHARED, 'cfg'] }, { initial: true });
    next.write();
    next.config(SHARED, 'b', { initial: true, ...ALLOWED });
    assert.ok(next.needsRollout('web'));
    assert.equal(next.edge('web', SHARED).runningDigest?.[0], 'a');
  });
});

test('who names an object that is not there begins with its first content, whatever the state says of former times', () => {
  const world = new World({ [ENTRY]: 'a.1' });
  world.workload('web', { follows: ['other'] }, { initial: true });
  world.listed();
  world.workload('web', { follows: [SHARED] });
  assert.ok(!follows(world));
  world.config(SHARED, 'c', ALLOWED);
  assert.ok(follows(world) && !world.needsRollout('web'));
  world.config(SHARED, 'a');
  assert.ok(world.needsRollout('web'));
});

test('a workload that is told of again keeps what waits for its object', () => {
  const world = new World({ [ENTRY]: 'a.1' });
  world.workload('web', { follows: [SHARED] }, { initial: true });
  world.workload('web', { follows: [SHARED], replicas: 3 });
  assert.ok(follows(world));
});

test('a workload that can follow nothing of what it names is kept until it is gone', () => {
  const world = begun(REFUSED);
  assert.deepEqual([...world.store.namedElsewhere.configs()], [world.configKey(SHARED)]);
  world.workload('web', { follows: [] });
  assert.deepEqual([world.store.workloads.size, [...world.store.namedElsewhere.configs()]], [0, []]);
  world.workload('web', { follows: [SHARED] });
  world.noWorkload('web');
  assert.deepEqual([...world.store.namedElsewhere.configs()], []);
});

describe('in the words of wave', () => {
  const flags = { dialects: ['wave'] as const };
  const asksFor = (names: string) => ({
    'wave.pusher.com/update-on-config-change': 'true',
    'wave.pusher.com/extra-configmaps': names,
  });
  const HASH = 'wave.pusher.com/config-hash';
  const template = (annotations = {}) => ({
    metadata: { annotations },
    spec: { containers: [{ name: 'main' }] },
  });

  test('the hash of what is followed has nothing of what is not', () => {
    const hashIn = (names: string, begin: (world: World) => void): string => {
      const world = new World({ [ENTRY]: 'a.1' }, 'home', flags);
      begin(world);
      world.config('cfg', 'a', { initial: true });
      world.workload('web', { asks: asksFor(names), template: template() }, { initial: true });
      world.config('cfg', 'b');
      world.roll('web');
      return world.raw('web').spec?.template?.metadata?.annotations?.[HASH] ?? '';
    };
    const seen = (consent: { marks: Record<string, string> }) => (world: World) =>
      void world.config(SHARED, 'a', { initial: true, ...consent });
    const alone = hashIn('cfg', seen(REFUSED));
    assert.equal(hashIn(`cfg,${SHARED}`, seen(REFUSED)), alone);
    assert.equal(
      hashIn(`cfg,${SHARED}`, () => undefined),
      alone,
      'one that is not seen yet',
    );
    assert.notEqual(hashIn(`cfg,${SHARED}`, seen(ALLOWED)), alone);
  });
});

test('what a workload names is told apart: what it may follow, and what needs consent', () => {
  const world = begun(REFUSED);
  world.workload('web', { follows: ['cfg', SHARED, 'home/other'] });
  const { refs, elsewhere } = namedBy(world.store, world.view('web'));
  assert.deepEqual(
    refs.map(({ name }) => name),
    ['cfg', 'other'],
  );
  assert.deepEqual(elsewhere, [world.configRef(SHARED)]);
});
