/** Objects that are named and not there: when they are looked into, and what is found out. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConfigKind, type ConfigRef, describe, keyOf } from '../../../lib/model/object-ref.ts';
import { settle } from '../state/committer-stage.ts';
import { GRACE_MS, Stage } from './absences-stage.ts';

const TLS: ConfigRef = { kind: 'Secret', namespace: 'home', name: 'tls' };
const NOT_THERE = { kind: 'known', type: undefined, isUnselected: false } as const;

test('an object that is named and not there is told of after a while, once', async (t) => {
  const stage = new Stage(t);
  stage.apply(stage.world.workload('web', { follows: ['cfg'] }));
  await stage.pass(GRACE_MS - 100);
  assert.deepEqual([stage.told, stage.missingObjects.of(stage.world.configKey('cfg'))], [[], undefined]);
  await stage.pass(100);
  stage.apply(stage.world.workload('web', { image: 'v2' }));
  await stage.pass(60_000);
  assert.deepEqual(stage.told, ['ConfigMap/cfg']);
  assert.ok(stage.missingObjects.of(stage.world.configKey('cfg')) !== undefined);
  assert.deepEqual(stage.asked, [], 'every ConfigMap is watched');
  await stage.stop();
});

test('one that is created meanwhile is not', async (t) => {
  const stage = new Stage(t);
  stage.apply(stage.world.workload('web', { follows: ['cfg'] }));
  await stage.pass(GRACE_MS / 2);
  stage.apply(stage.world.config('cfg', 'a'));
  await stage.pass(60_000);
  assert.deepEqual(stage.told, []);
  await stage.stop();
});

test('neither is one of which nobody knows yet because not everything is listed', async (t) => {
  const stage = new Stage(t);
  stage.isSynced = false;
  stage.apply(stage.world.workload('web', { follows: ['cfg'] }, { initial: true }));
  await stage.pass(60_000);
  stage.missingObjects.relist();
  await stage.pass(60_000);
  assert.deepEqual(stage.told, []);
  stage.isSynced = true;
  stage.missingObjects.relist();
  await stage.pass(GRACE_MS);
  assert.deepEqual(stage.told, ['ConfigMap/cfg']);
  await stage.stop();
});

test('it goes when the object comes, and comes when the object goes', async (t) => {
  const stage = new Stage(t);
  const { world } = stage;
  const key = world.configKey('cfg');
  stage.apply(world.workload('web', { follows: ['cfg'] }));
  await stage.pass(GRACE_MS);
  stage.apply(world.config('cfg', 'a'));
  assert.deepEqual([stage.told.length, stage.missingObjects.of(key)], [2, undefined]);
  stage.apply(world.config('cfg', 'b'));
  assert.equal(stage.told.length, 2, 'another content is no return');
  await stage.pass(100);
  stage.apply(world.noConfig('cfg'));
  await stage.pass(GRACE_MS);
  assert.equal(stage.told.length, 3);
  assert.ok(stage.missingObjects.of(key) !== undefined);
  await stage.stop();
});

test('of what nobody names any more nothing is known', async (t) => {
  const stage = new Stage(t);
  stage.apply(stage.world.workload('web', { follows: ['cfg'] }));
  await stage.pass(GRACE_MS);
  stage.apply(stage.world.workload('web', { follows: ['other'] }));
  assert.equal(stage.missingObjects.of(stage.world.configKey('cfg')), undefined);
  await stage.stop();
});

test('for a Secret the API server is asked once, for however many workloads', async (t) => {
  const stage = new Stage(t);
  stage.readings.push({ ...NOT_THERE, type: 'helm.sh/release.v1' });
  stage.followSecret('web', TLS);
  stage.followSecret('api', TLS);
  await stage.pass(GRACE_MS);
  stage.followSecret('late', TLS);
  await stage.pass(60_000);
  assert.deepEqual([stage.asked, stage.told], [['tls'], ['Secret/tls', 'Secret/tls']]);
  assert.equal(stage.missingObjects.of(keyOf(TLS))?.leftOutType, 'helm.sh/release.v1');
  await stage.stop();
});

test('where objects are watched by their labels, one that seems missing may only lack them', async (t) => {
  const stage = new Stage(t, 'team=a');
  stage.readings.push({ ...NOT_THERE, isUnselected: true });
  stage.apply(stage.world.workload('web', { follows: ['cfg', 'gone'] }));
  await stage.pass(GRACE_MS + 100);
  assert.deepEqual(stage.asked, ['cfg', 'gone']);
  const [cfg, gone] = ['cfg', 'gone'].map((name) => stage.missingObjects.of(stage.world.configKey(name)));
  assert.deepEqual([cfg?.isUnselected, cfg?.selector], [true, 'team=a']);
  assert.deepEqual([gone?.isUnselected, gone?.selector], [false, 'team=a']);
  stage.apply(stage.world.config('cfg', 'a'));
  assert.equal(stage.missingObjects.of(stage.world.configKey('cfg')), undefined);
  await stage.stop();
});

test('a look that fails is taken again, with growing pauses, and nothing is claimed', async (t) => {
  const stage = new Stage(t);
  const failed = { kind: 'failed', message: 'away' } as const;
  stage.readings.push(failed, failed);
  stage.followSecret('web', TLS);
  await stage.pass(GRACE_MS);
  assert.deepEqual([stage.asked.length, stage.told], [1, []]);
  await stage.pass(1_000);
  assert.deepEqual([stage.asked.length, stage.told], [2, []]);
  await stage.pass(1_000);
  assert.deepEqual([stage.asked.length, stage.told], [3, ['Secret/tls']]);
  await stage.stop();
});

test('what came while the API server was asked is not missing', async (t) => {
  const stage = new Stage(t);
  stage.followSecret('web', TLS);
  Object.assign(stage.readings, {
    shift: () => {
      stage.apply(stage.world.secret('tls', 'a'));
      return NOT_THERE;
    },
  });
  await stage.pass(60_000);
  assert.deepEqual([stage.asked, stage.told], [['tls'], []]);
  await stage.stop();
});

test('objects are looked into one after the other, a tenth of a second apart', async (t) => {
  const stage = new Stage(t);
  for (const name of ['a', 'b', 'c']) stage.followSecret(`for-${name}`, { ...TLS, name });
  await stage.pass(GRACE_MS);
  assert.equal(stage.asked.length, 1);
  await stage.pass(100);
  assert.equal(stage.asked.length, 2);
  await stage.stop();
});

test('what is found out in one namespace is told at once, be it much', async (t) => {
  const stage = new Stage(t);
  const follows = Array.from({ length: 200 }, (_, index) => `cm-${index}`);
  stage.apply(stage.world.workload('web', { follows }));
  await stage.pass(GRACE_MS + 300);
  assert.equal(stage.missingObjects.of(stage.world.configKey('cm-0')), undefined);
  await stage.pass(2_000);
  assert.deepEqual([stage.tellings, stage.told.length], [1, 200]);
  await stage.stop();
});

test('each namespace has its turn: what much is missing of holds up nobody else', async (t) => {
  const stage = new Stage(t);
  const { store } = stage.world;
  const names = Array.from({ length: 100 }, (_, index) => `s-${index}`);
  stage.apply(stage.world.workload('web', { secrets: names }));
  const other: ConfigRef = { kind: 'Secret', namespace: 'other', name: 'tls' };
  store.configRecordOf(other);
  store.dependents.add('other/Deployment/web', keyOf(other));
  stage.missingObjects.suspect(keyOf(other));
  await stage.pass(GRACE_MS + 200);
  assert.deepEqual(stage.told, ['other/Secret/tls']);
  await stage.pass(20_000);
  assert.equal(stage.told.length, 101);
  await stage.stop();
});

test('similar names are looked for a few times in a round, and never for very long names', async (t) => {
  const stage = new Stage(t);
  const names = Array.from({ length: 30 }, (_, index) => `settings-${String(index).padStart(2, '0')}`);
  const long = 'x'.repeat(100);
  for (const name of [`${long}-a`, 'settings-xx']) stage.world.config(name, 'a');
  stage.apply(stage.world.workload('web', { follows: [`${long}-b`, ...names] }));
  await stage.pass(GRACE_MS + 5_000);
  const similar = [`${long}-b`, ...names].map(
    (name) => stage.missingObjects.of(stage.world.configKey(name))?.similar.length,
  );
  assert.equal(similar[0], 0);
  assert.equal(similar.filter((count) => count === 1).length, 9);
  assert.equal(similar.filter((count) => count === 0).length, 22);
  await stage.stop();
});

const SIMILAR: Record<string, { there: readonly [ConfigKind, string][]; similar: readonly string[] }> = {
  'nothing where nothing is like it': { there: [['ConfigMap', 'other']], similar: [] },
  'a name that is almost the same': {
    there: [
      ['ConfigMap', 'other'],
      ['ConfigMap', 'web-conf'],
    ],
    similar: ['ConfigMap/web-conf'],
  },
  'the same name of the other kind, and before all others': {
    there: [
      ['ConfigMap', 'web-conf'],
      ['Secret', 'web-config'],
    ],
    similar: ['Secret/web-config', 'ConfigMap/web-conf'],
  },
  'no similar name of the other kind': { there: [['Secret', 'web-conf']], similar: [] },
};

for (const [sentence, { there, similar }] of Object.entries(SIMILAR)) {
  test(`what may be meant: ${sentence}`, async (t) => {
    const stage = new Stage(t);
    for (const [kind, name] of there)
      stage.apply(kind === 'Secret' ? stage.world.secret(name, 'a') : stage.world.config(name, 'a'));
    stage.apply(stage.world.workload('web', { follows: ['web-config'] }));
    await stage.pass(GRACE_MS);
    const missingObject = stage.missingObjects.of(stage.world.configKey('web-config'));
    assert.deepEqual(missingObject?.similar.map(describe), similar);
    await stage.stop();
  });
}

test('what is not there any more, or is of another namespace, is not meant', async (t) => {
  const stage = new Stage(t);
  stage.world.workload('other', { follows: ['web-conf'] });
  stage.apply(stage.world.config('web-conf', 'a'));
  stage.apply(stage.world.noConfig('web-conf'));
  const elsewhere = { kind: 'ConfigMap', namespace: 'away', name: 'web-confi' } as const;
  stage.world.store.configRecordOf(elsewhere).digest = 'a';
  stage.apply(stage.world.workload('web', { follows: ['web-config'] }));
  await stage.pass(2 * GRACE_MS);
  assert.deepEqual(stage.missingObjects.of(stage.world.configKey('web-config'))?.similar, []);
  await stage.stop();
});

test('a defect where it is told ends nothing: it is looked into again', async (t) => {
  const stage = new Stage(t);
  stage.defect = new Error('ours');
  stage.apply(stage.world.workload('web', { follows: ['cfg'] }));
  await stage.pass(GRACE_MS);
  assert.deepEqual([stage.told, stage.errors], [[], ['internal error: Error: ours']]);
  await stage.pass(2 * GRACE_MS);
  assert.deepEqual(stage.told, ['ConfigMap/cfg']);
  await stage.stop();
});

test('it ends when told to, idle or busy', async (t) => {
  const stage = new Stage(t);
  await settle();
  await stage.stop();
  t.mock.timers.reset();
  const busy = new Stage(t);
  busy.followSecret('web', TLS);
  await settle();
  await busy.stop();
  assert.deepEqual(busy.asked, []);
});
