/** Workloads in the words of SAP and wave: what a rollout writes, what a take-over leaves alone, and objects of other namespaces. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VocabularyOptions } from '../../../lib/annotations/union.ts';
import type { RawPodTemplate } from '../../../lib/model/raw-objects.ts';
import { VOCABULARY_NAMES } from '../../../lib/model/settings.ts';
import { pick } from '../../sandbox/json.ts';
import type { Sketch } from './sketch.ts';
import { OPEN_GATE, World } from './world.ts';

const EVERY: Partial<VocabularyOptions> = { dialects: VOCABULARY_NAMES, crossNamespace: 'any' };
const STAMPS = 'reloader.k8s.collaborne.com/stamps';
const NATIVE = 'reloader.k8s.collaborne.com/configmap';
const SAP_HASH = 'pod-reloader.cs.sap.com/config-hash';
const WAVE_HASH = 'wave.pusher.com/config-hash';
const SAP = { 'pod-reloader.cs.sap.com/configmaps': 'cfg' };
const WAVE = { 'wave.pusher.com/update-on-config-change': 'true' };
const ACROSS = { ...WAVE, 'wave.pusher.com/extra-configmaps': 'shop/cfg' };

function templateOf(annotations: Readonly<Record<string, string>> = {}, image = 'app:1'): RawPodTemplate {
  const container = { name: 'main', image, envFrom: [{ configMapRef: { name: 'cfg' } }] };
  return { metadata: { annotations }, spec: { containers: [container] } };
}

/** A world in which `web` is there from the start, without a state. */
function begun(sketch: Sketch, flags: Partial<VocabularyOptions> = EVERY): World {
  const world = new World({}, 'home', flags);
  for (const name of ['cfg', 'shop/cfg']) world.config(name, 'a', { initial: true });
  world.workload('web', { template: templateOf(), ...sketch }, { initial: true });
  world.write();
  return world;
}

/** The annotations of the live pod template. */
function annotationsOf(world: World): Readonly<Record<string, string>> {
  return world.raw('web').spec?.template?.metadata?.annotations ?? {};
}

function stampsOf(world: World): unknown {
  const text = annotationsOf(world)[STAMPS]?.replace(/([a-f])\1{39}/g, '$1');
  return text === undefined ? undefined : JSON.parse(text);
}

for (const [words, asks, hash] of [
  ['SAP', SAP, SAP_HASH],
  ['wave', WAVE, WAVE_HASH],
] as const) {
  test(`a workload in the words of ${words} is stamped with the hash, and with a stamp for each object beside it`, () => {
    const world = begun({ asks });
    world.config('cfg', 'b');
    world.roll('web');
    assert.deepEqual(stampsOf(world), { 'ConfigMap/cfg': 'b.2' });
    const first = annotationsOf(world)[hash];
    assert.match(first ?? '', /^[0-9a-f]{64}$/);
    assert.deepEqual(Object.keys(annotationsOf(world)).sort(), [STAMPS, hash].sort());
    world.write();
    world.config('cfg', 'c');
    world.roll('web');
    assert.notEqual(annotationsOf(world)[hash], first);
    world.write();
    world.config('cfg', 'b');
    world.roll('web');
    assert.equal(annotationsOf(world)[hash], first, 'it says what is read and not when');
    assert.ok(!world.needsRollout('web') && !world.restart().needsRollout('web'));
  });

  test(`the hash that ${words} has left stays, and the next change rolls once`, () => {
    const world = begun({ asks, template: templateOf({ [hash]: 'f'.repeat(64) }) });
    assert.ok(!world.needsRollout('web'));
    assert.deepEqual(annotationsOf(world), { [hash]: 'f'.repeat(64) });
    world.config('cfg', 'b');
    world.roll('web');
    assert.notEqual(annotationsOf(world)[hash], 'f'.repeat(64));
    assert.ok(!world.needsRollout('web'));
  });
}

test('several vocabularies on one workload are one patch with the stamp of each', () => {
  const world = begun({ asks: { ...SAP, ...WAVE, [NATIVE]: 'cfg' } });
  world.config('cfg', 'b');
  const plan = world.roll('web');
  assert.deepEqual(stampsOf(world), { 'ConfigMap/cfg': 'b.2' });
  assert.match(JSON.stringify(plan.body), /_RELOADER_CONFIGMAP_CFG/);
  assert.deepEqual(Object.keys(annotationsOf(world)).sort(), [SAP_HASH, STAMPS, WAVE_HASH].sort());
});

test('what SAP’s controller has left on the workload goes by the patch that rolls, and nothing is written for it alone', () => {
  const world = begun({ asks: { ...SAP, [SAP_HASH]: 'x' } });
  assert.ok(!world.needsRollout('web'));
  world.config('cfg', 'b');
  const plan = world.roll('web');
  assert.deepEqual(pick(plan.body as never, 'metadata', 'annotations'), { [SAP_HASH]: null });
});

test('a vocabulary that comes into use, or goes out of it, rolls nothing', () => {
  const world = begun({ asks: { ...SAP, ...WAVE, [NATIVE]: 'cfg' } });
  world.config('cfg', 'b');
  world.roll('web');
  world.write();
  for (const dialects of [['collaborne'], ['sap'], ['wave'], ['collaborne', 'wave']] as const) {
    const next = world.restart({ dialects });
    assert.ok(!next.needsRollout('web'), dialects.join());
    next.config('cfg', 'c');
    assert.ok(next.needsRollout('web'), dialects.join());
    next.config('cfg', 'b');
  }
});

test('two objects of one name in two namespaces are two, in stamps and in the state', () => {
  const world = begun({ asks: ACROSS });
  assert.deepEqual(world.written, { 'v1.ConfigMap_cfg': 'a.1', 'shop_v1.ConfigMap_cfg': 'a.1' });
  world.config('shop/cfg', 'b');
  world.roll('web');
  assert.deepEqual(stampsOf(world), { 'ConfigMap/shop/cfg': 'b.2' });
  assert.ok(!world.needsRollout('web'));
  world.config('cfg', 'c');
  world.roll('web');
  assert.deepEqual(stampsOf(world), { 'ConfigMap/cfg': 'c.2', 'ConfigMap/shop/cfg': 'b.2' });
  world.write();
  assert.ok(!world.restart().needsRollout('web'));
});

test('what of another namespace is owed while the state is written is owed after a restart, and nothing else is', () => {
  const world = begun({ asks: ACROSS });
  world.workload('late', { asks: ACROSS, template: templateOf() });
  world.write();
  world.config('shop/cfg', 'b');
  world.roll('late');
  world.write();
  assert.deepEqual(world.written, {
    'v1.ConfigMap_cfg': 'a.1',
    'shop_v1.ConfigMap_cfg': 'b.2',
    'ran.Deployment_web': { 'shop_v1.ConfigMap_cfg': 'a' },
  });
  const next = world.restart();
  assert.deepEqual([next.needsRollout('web'), next.needsRollout('late')], [true, false]);
  assert.equal(next.edge('web', 'cfg').runningDigest, next.edge('late', 'cfg').runningDigest);
});

test('nothing of an object is written before the workloads of all namespaces are known that may follow it', () => {
  const world = begun({ asks: ACROSS });
  world.config('shop/cfg', 'b');
  world.roll('web');
  const closed = { ...OPEN_GATE, isSynced: (namespace: string) => namespace !== 'shop' };
  assert.equal(world.plan(['shop/cfg'], closed), undefined);
  assert.ok(world.plan(['shop/cfg']) !== undefined);
});

test('an object of a namespace that is not selected is followed by a workload of one that is', () => {
  const world = new World({}, 'home', EVERY);
  world.settings.selectsNamespaces = true;
  world.store.selected.add('home');
  for (const name of ['cfg', 'shop/cfg']) world.config(name, 'a', { initial: true });
  world.workload('web', { asks: ACROSS, template: templateOf() }, { initial: true });
  world.config('shop/cfg', 'b');
  assert.ok(world.needsRollout('web'), 'without an entry too');
  world.config('shop/cfg', 'a');
  world.write();
  assert.deepEqual(world.written, { 'v1.ConfigMap_cfg': 'a.1', 'shop_v1.ConfigMap_cfg': 'a.1' });
  world.config('shop/cfg', 'b');
  assert.ok(world.needsRollout('web'));
});

test('a deletion counts for an object of another namespace, whatever the pods need that is called the same here', () => {
  const world = new World({}, 'home', EVERY, { onCreate: false, onDelete: true });
  for (const name of ['cfg', 'shop/cfg']) world.config(name, 'a', { initial: true });
  world.workload('web', { asks: ACROSS, template: templateOf() }, { initial: true });
  world.listed();
  world.write();
  world.noConfig('cfg');
  assert.ok(!world.needsRollout('web'), 'the pods cannot start without it');
  world.noConfig('shop/cfg');
  assert.ok(world.needsRollout('web'));
});
