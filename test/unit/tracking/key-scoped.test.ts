/** Workloads that are rolled for the keys that their pods read: what is owed, and what is written of it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyStateWrite } from '../../../lib/state/state-write.ts';
import { atRest, KeyWorld, reading } from './key-world.ts';

const WHOLE = { keyScoped: false };
const PREFIX = 'reloader.k8s.collaborne.com';
const scoped = (value: string) => ({ asks: { [`${PREFIX}/key-scoped`]: value } });

test('a key that no pod reads is nothing to anybody', () => {
  const world = atRest('a');
  const effects = world.holds({ a: '1', b: '2', c: '1' });
  assert.deepEqual(
    [effects.enqueuedFor('changed').length, world.needsRollout('web'), world.plan()],
    [0, false, undefined],
  );
});

test('a key that they read is owed, once, and stamped under the name of the object', () => {
  const world = atRest('a');
  world.holds({ a: '2', b: '1' });
  assert.ok(world.needsRollout('web'));
  const { operations } = world.roll('web');
  assert.match(JSON.stringify(operations), /"_RELOADER_CONFIGMAP_CFG","value":"[0-9a-f]{40}\.2"/);
  world.write();
  assert.deepEqual([world.needsRollout('web'), world.again().needsRollout('web')], [false, false]);
});

test('a key that comes or goes is a change', () => {
  const world = atRest('a', 'c?');
  world.holds({ a: '1', b: '1', c: '1' });
  assert.ok(world.needsRollout('web'));
  world.roll('web');
  world.holds({ a: '1', b: '1' });
  assert.ok(world.needsRollout('web'));
});

test('each set of keys has one entry, whoever reads them, and so has the whole object', () => {
  const world = atRest('a');
  world.reads('api', ['a']);
  world.reads('db', ['b', 'a']);
  world.reads('all', ['a'], scoped('false'));
  world.write();
  assert.deepEqual(world.entries, ['v1.ConfigMap_cfg', 'v1.ConfigMap_cfg_a', 'v1.ConfigMap_cfg_a_.b']);
});

test('a workload that begins to read another key rolls nothing, and the old entry goes once the new one is written', () => {
  const world = atRest('a');
  world.reads('web', ['a', 'b']);
  assert.equal(world.needsRollout('web'), false);
  const [first] = world.plans();
  assert.deepEqual(Object.keys(first?.data ?? {}), ['v1.ConfigMap_cfg_a_.b']);
  world.write();
  assert.deepEqual(world.entries, ['v1.ConfigMap_cfg_a_.b']);
  assert.equal(world.again().needsRollout('web'), false);
});

test('the mark of a former set of keys goes at once, as soon as the new set is written', () => {
  const world = atRest('a');
  world.holds({ a: '2', b: '1' });
  world.roll('web', false);
  world.write();
  world.reads('web', ['a', 'b']);
  const [first] = world.plans();
  assert.ok(first !== undefined);
  applyStateWrite(world.store, first);
  assert.deepEqual(
    world.plans().map(({ due, data }) => [due, Object.keys(data)]),
    [['now', ['v1.ConfigMap_cfg_a']]],
  );
});

const RESCOPED: Readonly<Record<string, (world: KeyWorld) => void>> = {
  'reads more': (world) => world.reads('web', ['a', 'b']),
  'reads another': (world) => world.reads('web', ['b']),
  'is rolled for the whole object': (world) => world.workload('web', scoped('false')),
};

for (const [how, rescope] of Object.entries(RESCOPED)) {
  test(`who owes a key and ${how} owes still, also after a death, and is rolled once`, () => {
    const world = atRest('a');
    world.holds({ a: '2', b: '1' });
    rescope(world);
    assert.equal(world.only('web').runningDigest, '?');
    world.write();
    const next = world.again();
    assert.ok(next.needsRollout('web'));
    next.roll('web');
    next.write();
    assert.deepEqual([next.needsRollout('web'), next.again().needsRollout('web')], [false, false]);
  });

  test(`who owes nothing and ${how} owes nothing`, () => {
    const world = atRest('a');
    rescope(world);
    assert.equal(world.needsRollout('web'), false);
    world.holds({ a: '2', b: '2' });
    assert.ok(world.needsRollout('web'));
  });
}

test('a stamp of keys that were read before says nothing of those that are read now', () => {
  const world = atRest('a');
  world.reads('api', ['b']);
  for (const a of ['2', '3', '4']) {
    world.holds({ a, b: '1' });
    world.roll('web');
    world.write();
  }
  const { env } =
    world.view('web').stamps.length === 1
      ? (world.live.get('web')?.template?.spec?.containers?.[0] ?? {})
      : {};
  const stamps = env?.filter(({ name }) => name.startsWith('_RELOADER'));
  const template = reading('b');
  const [main] = template.spec?.containers ?? [];
  assert.ok(main !== undefined && stamps?.length === 1);
  // No process runs while the owner keeps the stamp, with a number far above that of the entry of `b`, and reads `b`.
  world.edit('web', {
    template: { spec: { containers: [{ ...main, env: [...(main.env ?? []), ...stamps] }] } },
  });
  const next = world.again();
  assert.equal(next.needsRollout('web'), false);
  next.holds({ a: '4', b: '2' });
  assert.ok(next.needsRollout('web'));
});

test('a workload that was created between the lists may have read what a key of its object was before', () => {
  for (const changed of ['a', 'b']) {
    const before = atRest('a');
    before.edit('new', { follows: ['cfg'], template: reading('a') });
    before.data = { a: '1', b: '1', [changed]: '2' };
    before.version = before.now += 1;
    const created = before.live.get('new') ?? assert.fail();
    before.live.delete('new');
    const next = before.again();
    next.live.set('new', created);
    next.tellWorkload('new', { since: before.version - 2 });
    assert.equal(next.needsRollout('new'), changed === 'a');
  }
});

for (const first of ['configs', 'workloads'] as const) {
  test(`who is rolled for keys from a start on owes nothing if nothing changed meanwhile, ${first} first`, () => {
    const before = new KeyWorld({}, WHOLE);
    before.holds({ a: '1', b: '1' }, { initial: true });
    before.reads('web', ['a'], {}, { initial: true });
    before.write();
    assert.deepEqual(before.entries, ['v1.ConfigMap_cfg']);
    const after = before.again({ keyScoped: true }, first);
    assert.equal(after.needsRollout('web'), false);
    after.write();
    assert.deepEqual(after.entries, ['v1.ConfigMap_cfg_a']);
  });

  test(`and owes what changed meanwhile, whichever key it was, ${first} first`, () => {
    const before = new KeyWorld({}, WHOLE);
    before.holds({ a: '1', b: '1' }, { initial: true });
    before.reads('web', ['a'], {}, { initial: true });
    before.write();
    before.data = { a: '2', b: '1' };
    before.version = before.now += 1;
    assert.ok(before.again({ keyScoped: true }, first).needsRollout('web'));
  });

  test(`who begins to read another key while no process runs owes what changed of the former ones, ${first} first`, () => {
    const world = atRest('a');
    world.edit('web', { template: reading('a', 'b') });
    assert.equal(world.again(undefined, first).needsRollout('web'), false);
    world.data = { a: '2', b: '1' };
    world.version = world.now += 1;
    assert.ok(world.again(undefined, first).needsRollout('web'));
  });
}

test('who asks for some keys is not rolled for what the others become', () => {
  const world = new KeyWorld({}, WHOLE);
  world.holds({ a: '1', b: '1' }, { initial: true });
  world.reads('web', ['a'], scoped('true'));
  assert.equal(world.needsRollout('web'), false);
  world.holds({ a: '1', b: '2' });
  assert.equal(world.needsRollout('web'), false);
  world.holds({ a: '2', b: '2' });
  assert.ok(world.needsRollout('web'));
});

test('who is rolled for whole objects again from a start on owes what is recorded, and nothing else', () => {
  const world = atRest('a');
  assert.equal(world.again(WHOLE).needsRollout('web'), false);
  world.holds({ a: '2', b: '1' });
  world.write();
  const next = world.again(WHOLE);
  assert.ok(next.needsRollout('web'));
  next.roll('web');
  next.write();
  assert.deepEqual([next.needsRollout('web'), next.entries], [false, ['v1.ConfigMap_cfg']]);
});

test('who may have read what came and went, and is rolled for keys from then on, is rolled still', () => {
  const world = new KeyWorld({}, WHOLE);
  world.holds({ a: '1' }, { initial: true });
  world.reads('web', ['a']);
  world.write();
  world.workload('web', { isRolledOut: false });
  world.holds({ a: '2' });
  world.holds({ a: '1' });
  assert.ok(world.needsRollout('web'));
  world.workload('web', scoped('true'));
  assert.ok(world.needsRollout('web'));
});

test('of keys that nobody reads any more nothing is kept', () => {
  const world = atRest('a');
  world.noWorkload('web');
  assert.deepEqual([...world.store.configs.keys()], ['home/ConfigMap/cfg']);
  assert.deepEqual([...world.store.parts.of('home/ConfigMap/cfg')], []);
});

test('who begins to follow keys that have to be read first owes still, also after a death', () => {
  const world = new KeyWorld({}, { keyScoped: false });
  world.holds({ a: '1', b: '1' }, { initial: true });
  for (const name of ['web', 'api']) world.reads(name, ['a'], {}, { initial: true });
  world.write();
  world.holds({ a: '2', b: '1' });
  world.reads('web', ['a'], scoped('true'));
  world.write();
  assert.ok(world.again({ keyScoped: true }).needsRollout('web'));
});

test('who follows keys from a start on, in a namespace that is not selected, owes still', () => {
  const world = new KeyWorld({}, { keyScoped: false });
  world.holds({ a: '1', b: '1' }, { initial: true });
  world.reads('web', ['a'], {}, { initial: true });
  world.write();
  world.settings.selectsNamespaces = true;
  world.holds({ a: '2', b: '1' });
  world.write();
  const next = new KeyWorld({}, { keyScoped: true });
  next.settings.selectsNamespaces = true;
  next.store.persisted.takeShard(0, world.store.persisted.state.entries);
  next.now = world.now;
  [next.data, next.version] = [world.data, world.version];
  for (const [name, live] of world.live) next.live.set(name, live);
  next.look({ initial: true });
  next.tellWorkload('web', { initial: true });
  next.store.selected.add('home');
  assert.ok(next.needsRollout('web'));
});

test('a change of another key while no process runs rolls nobody', () => {
  const world = new KeyWorld({}, { keyScoped: true });
  world.holds({ a: '1', b: '1' }, { initial: true });
  world.reads('web', ['a'], {}, { initial: true });
  world.reads('all', ['a'], scoped('false'), { initial: true });
  world.write();
  world.now += 1;
  [world.data, world.version] = [{ a: '1', b: '2' }, world.now];
  const next = world.again({ keyScoped: true });
  assert.deepEqual([next.needsRollout('web'), next.needsRollout('all')], [false, true]);
});

test('the entry of other keys lies in the ConfigMap of the former ones, whatever is full', () => {
  const world = atRest('a');
  world.nextShard = 1;
  world.reads('web', ['a', 'b']);
  assert.deepEqual(
    world.plans().map(({ shard }) => shard),
    [0],
  );
});
