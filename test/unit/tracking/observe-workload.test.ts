/** What follows for the rest of the program when a workload or an object is observed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Effects } from '../../../lib/tracking/effects.ts';
import { observeWorkload } from '../../../lib/tracking/observe-workload.ts';
import { isGivenUp } from '../../../lib/tracking/take-backs.ts';
import { OPEN_GATE, settled, settledWith, World } from './world.ts';

const reasons = (effects: Effects): string[] => effects.reported('note').map(({ reason }) => reason);
const touched = (effects: Effects): string[] =>
  [...new Set(effects.enqueuedFor('changed').map(([key]) => key))].map((key) => key.replace(/.*\//, ''));

test('a change touches those who owe it, and no others', () => {
  const world = settled('web', 'api');
  world.workload('other', { follows: ['tls'] });
  const effects = world.config('cfg', 'b');
  assert.deepEqual(touched(effects), ['web', 'api']);
  assert.deepEqual(effects.reported('change'), [
    { type: 'change', config: world.configRef('cfg'), change: 'updated' },
  ]);
});

test('further changes touch again, an edit of metadata does not', () => {
  const world = settled('web');
  world.config('cfg', 'b');
  assert.deepEqual(touched(world.config('cfg', 'c')), ['web']);
  const edit = world.config('cfg', 'c');
  assert.deepEqual([touched(edit), edit.reported('change')], [[], []]);
});

test('a change back says so and touches nobody', () => {
  const world = settled('web');
  world.config('cfg', 'b');
  const effects = world.config('cfg', 'a');
  assert.deepEqual([touched(effects), reasons(effects)], [[], ['changed-back']]);
});

test('what nobody follows changes without a word, and is forgotten when it goes', () => {
  const world = new World();
  world.config('cfg', 'a', { initial: true });
  const effects = world.config('cfg', 'b');
  assert.deepEqual(
    [effects.reported('change'), effects.reported('note'), effects.persisted.size],
    [[], [], 0],
  );
  world.noConfig('cfg');
  assert.equal(world.store.configs.size, 0);
});

test('older news than what is known says nothing', () => {
  const world = settled('web');
  world.config('cfg', 'b');
  world.contents.set('cfg', { content: 'c', version: 1 });
  world.tellConfig('cfg');
  assert.equal(world.store.configs.get(world.configKey('cfg'))?.digest, 'b'.repeat(40));
  const { image } = world.live.get('web') ?? {};
  world.workload('web', { image: 'v2' });
  world.live.set('web', { ...(world.live.get('web') ?? assert.fail()), image: image ?? '', version: 1 });
  assert.deepEqual(world.tellWorkload('web').reported('note'), []);
});

const WRITES: Record<string, readonly [(world: World) => Effects, 'now' | 'soon']> = {
  'an edge without an entry: its baseline': [
    (world) => {
      world.config('tls', 'a');
      world.edit('web', { follows: ['cfg', 'tls'] });
      return world.tellWorkload('web');
    },
    'soon',
  ],
  'an edge that appears while the object is open': [
    (world) => {
      world.config('cfg', 'b');
      return world.workload('new', { follows: ['cfg'] });
    },
    'now',
  ],
  'a stamp that somebody removes while the object is open': [
    (world) => {
      world.config('cfg', 'b');
      world.roll('web');
      world.write();
      return world.workload('web', { stamps: {} });
    },
    'now',
  ],
  'a mark goes with its workload': [
    (world) => {
      world.config('cfg', 'b');
      world.roll('web');
      return world.noWorkload('web');
    },
    'soon',
  ],
  'a change of content': [(world) => world.config('cfg', 'b'), 'soon'],
  'our own patch': [
    (world) => {
      world.config('cfg', 'b');
      const plan = world.send('web');
      world.land(plan);
      return world.answer(plan);
    },
    'soon',
  ],
};

for (const [sentence, [act, when]] of Object.entries(WRITES)) {
  test(`written ${when === 'now' ? 'at once' : 'with the next batch'}: ${sentence}`, () => {
    const world = settled('web', 'api');
    assert.ok(act(world).persisted.has(world.configKey('cfg')));
    assert.equal(world.plan()?.due, when);
  });
}

test('a stamp taken back before the workload had rolled is told with its manager; more than three times is contested', () => {
  const world = settled('web', 'api');
  world.config('cfg', 'b');
  for (let round = 1; round <= 4; round += 1) {
    world.roll('web', false);
    const effects = world.workload('web', { stamps: {}, manager: 'argocd' });
    const note = effects.reported('note').find(({ reason }) => reason === 'stamp-reverted');
    assert.equal(note?.detail, 'argocd');
    assert.equal(effects.enqueuedFor('stamp-reverted').length, round > 3 ? 1 : 0);
    assert.ok(world.needsRollout('web'));
  }
});

test('a stamp that is taken back each time after the workload had rolled, while a sibling is behind, counts too', () => {
  const world = settled('web', 'api');
  world.config('cfg', 'b');
  for (let round = 1; round <= 10; round += 1) {
    assert.ok(!isGivenUp(world.record('web')));
    world.roll('web');
    world.workload('web', { stamps: {} });
    assert.ok(world.needsRollout('web'));
  }
  assert.ok(isGivenUp(world.record('web')));
});

test('a stamp that another reloader writes over ours each time is a revert too', () => {
  const world = settled('web', 'api');
  world.config('cfg', 'b');
  for (let round = 1; round <= 10; round += 1) {
    assert.ok(!isGivenUp(world.record('web')));
    world.roll('web', false);
    const effects = world.workload('web', { stamps: { cfg: `a.${(world.edge('web').stamp?.id ?? 0) + 1}` } });
    assert.ok(reasons(effects).includes('stamp-reverted'));
    assert.equal(effects.enqueuedFor('stamp-reverted').length, round > 3 ? 1 : 0);
    assert.ok(world.needsRollout('web'));
  }
  assert.ok(isGivenUp(world.record('web')));
});

test('Stakater Reloader that writes its annotation anew takes our stamp out: a revert, of which ten are the end', () => {
  const world = settledWith({ strategy: 'annotations' }, []);
  const containers = [{ name: 'main', envFrom: [{ configMapRef: { name: 'cfg' } }] }];
  const last = { 'reloader.stakater.com/last-reloaded-from': '{"type":"CONFIGMAP","name":"cfg"}' };
  const anew = { template: { metadata: { annotations: last }, spec: { containers } } };
  const asks = { 'reloader.stakater.com/auto': 'true' };
  world.workload('web', { asks, template: { spec: { containers } } }, { initial: true });
  world.config('cfg', 'b');
  world.roll('web');
  world.write();
  world.workload('web', { ...anew, isRolledOut: true });
  assert.ok(!world.needsRollout('web'), 'its pods have started with the same content again');
  world.config('cfg', 'c');
  for (let round = 1; round <= 10; round += 1) {
    assert.ok(!isGivenUp(world.record('web')) && world.needsRollout('web'));
    world.roll('web', false);
    world.workload('web', anew);
  }
  assert.ok(isGivenUp(world.record('web')));
});

/** What ends the count of take-backs, and what does not. */
const NEWS: Record<string, readonly [(world: World) => Effects, isAnew: boolean]> = {
  'another content': [(world) => world.config('cfg', 'c'), true],
  'the former content': [(world) => world.config('cfg', 'a'), true],
  'the end of the object': [(world) => world.noConfig('cfg'), false],
  'another template': [(world) => world.workload('web', { image: 'v2' }), true],
  'other metadata of the object': [(world) => world.mark('cfg', { any: 'thing' }), false],
  'another number of replicas': [(world) => world.workload('web', { replicas: 3 }), false],
  'another list of the same': [(world) => world.tellConfig('cfg', { relisted: true }), false],
};

for (const [sentence, [act, isAnew]] of Object.entries(NEWS)) {
  test(`${isAnew ? 'is tried again' : 'stays given up'} after ${sentence}: a stamp that was taken back ten times`, () => {
    const world = settled('web', 'api');
    world.config('cfg', 'b');
    for (let round = 1; round <= 10; round += 1) {
      world.roll('web', false);
      world.workload('web', { stamps: {} });
    }
    act(world);
    assert.equal(isGivenUp(world.record('web')), !isAnew);
  });
}

test('a write that removes a stamp before its rollout is complete is reported, whatever else the write removes', () => {
  const world = settled('web');
  world.config('tls', 'a');
  for (const name of ['web', 'api']) world.workload(name, { follows: ['cfg', 'tls'] });
  world.config('tls', 'b');
  world.roll('web');
  world.config('cfg', 'b');
  world.roll('web', false);
  assert.ok(reasons(world.workload('web', { stamps: {} })).includes('stamp-reverted'));
});

test('an undo after the rollout was seen through is nobody’s take-back', () => {
  const world = settled('web', 'api');
  world.config('cfg', 'b');
  world.roll('web');
  assert.ok(!reasons(world.workload('web', { stamps: {} })).includes('stamp-reverted'));
});

const SPURS: Record<string, readonly [edit: (world: World) => void, isSpurred: boolean]> = {
  'a status does not': [(world) => world.edit('web', { isRolledOut: false }), false],
  'another template does': [(world) => world.edit('web', { image: 'v2' }), true],
  'a stamp that is removed does': [(world) => world.edit('web', { stamps: {} }), true],
  'an edit of the rest of the spec does': [(world) => world.edit('web', { replicas: 1 }), true],
  'another scale does not': [(world) => world.edit('web', { replicas: 9 }), false],
  'another scale together with another template does': [
    (world) => world.edit('web', { replicas: 9, image: 'v2' }),
    true,
  ],
};

for (const [sentence, [edit, isSpurred]] of Object.entries(SPURS)) {
  test(`what may lift a refusal spurs the workload: ${sentence}`, () => {
    const world = settled();
    world.workload('web', { follows: ['cfg'], stamps: { cfg: 'a.1' } });
    edit(world);
    assert.equal(world.tellWorkload('web').enqueuedFor('retry-now').length > 0, isSpurred);
  });
}

test('opting out forgets what was owed', () => {
  const world = settled('web');
  world.config('cfg', 'b');
  const effects = world.workload('web', { follows: [] });
  assert.deepEqual(
    effects.enqueuedFor('forgotten').map(([key]) => key),
    [world.workloadKey('web')],
  );
  assert.equal(world.store.workloads.size, 0);
  assert.deepEqual([...world.store.dependents.keys()], []);
});

const GOING: Record<string, (world: World) => void> = {
  'is deleted': (world) => world.noWorkload('web'),
  'opts out': (world) => world.workload('web', { follows: [] }),
  'names another object': (world) => world.workload('web', { follows: ['tls'] }),
};

for (const [sentence, act] of Object.entries(GOING)) {
  test(`the entry goes when the last dependent ${sentence}, but only while everything is listed`, () => {
    const world = settled('web');
    act(world);
    assert.deepEqual(world.plans(undefined, { ...OPEN_GATE, isSynced: () => false }), []);
    world.write();
    assert.ok(!('v1.ConfigMap_cfg' in world.written));
  });
}

test('a workload of the same name is another one', () => {
  const world = settled('web', 'api');
  world.config('cfg', 'b');
  const effects = world.workload('web', { uid: 'uid-2' });
  assert.ok(effects.enqueuedFor('forgotten').some(([key]) => key === world.workloadKey('web')));
  // Its pods may be those of the one before.
  assert.equal(world.edge('web', 'cfg').runningDigest, '?');
});

test('what nobody owed as it ceased to be followed is not owed later', () => {
  const world = settled('web', 'api');
  world.workload('web', { uid: 'uid-2' });
  assert.equal(world.needsRollout('web'), false);
});

test('an end that is older than what is known says nothing: the workload was created again', () => {
  const world = settled('web');
  world.tellWorkload('web');
  const key = world.workloadKey('web');
  const { knownAt } = world.record('web');
  observeWorkload(world.store, { type: 'absent', key, span: { from: knownAt - 2, to: knownAt - 1 } });
  assert.ok(world.store.workloads.has(key));
  observeWorkload(world.store, { type: 'absent', key, span: { from: knownAt, to: knownAt + 1 } });
  assert.ok(!world.store.workloads.has(key));
});
