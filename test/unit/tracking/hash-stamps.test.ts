/** Workloads in the words of SAP and wave: what a rollout writes, and what a take-over leaves alone. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VocabularyOptions } from '../../../lib/annotations/vocabularies.ts';
import type { RawPodTemplate } from '../../../lib/model/raw-objects.ts';
import { VOCABULARY_NAMES } from '../../../lib/model/settings.ts';
import { changesOf, type Sketch } from './sketch.ts';
import { World } from './world.ts';

const EVERY: Partial<VocabularyOptions> = { dialects: VOCABULARY_NAMES };
const STAMPS = 'reloader.k8s.collaborne.com/stamps';
const NATIVE = 'reloader.k8s.collaborne.com/configmap';
const SAP_HASH = 'pod-reloader.cs.sap.com/config-hash';
const WAVE_HASH = 'wave.pusher.com/config-hash';
const SAP = { 'pod-reloader.cs.sap.com/configmaps': 'cfg' };
const WAVE = { 'wave.pusher.com/update-on-config-change': 'true' };

function templateOf(annotations: Readonly<Record<string, string>> = {}, image = 'app:1'): RawPodTemplate {
  const container = { name: 'main', image, envFrom: [{ configMapRef: { name: 'cfg' } }] };
  return { metadata: { annotations }, spec: { containers: [container] } };
}

/** A world in which `web` is there from the start, without a state. */
function begun(sketch: Sketch, flags: Partial<VocabularyOptions> = EVERY): World {
  const world = new World({}, 'home', flags);
  world.config('cfg', 'a', { initial: true });
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
    world.write();
    assert.ok(!world.needsRollout('web') && !world.restart().needsRollout('web'));
  });

  test(`so is one whose stamps are to stand in annotations: nothing of ${words} tells of the source`, () => {
    const world = begun({ asks }, { ...EVERY, strategy: 'annotations' });
    world.config('cfg', 'b');
    world.roll('web');
    assert.deepEqual(Object.keys(annotationsOf(world)).sort(), [STAMPS, hash].sort());
    world.write();
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
  assert.match(JSON.stringify(plan.operations), /_RELOADER_CONFIGMAP_CFG/);
  assert.deepEqual(Object.keys(annotationsOf(world)).sort(), [SAP_HASH, STAMPS, WAVE_HASH].sort());
});

test('what SAP’s controller has left on the workload goes by the patch that rolls, and nothing is written for it alone', () => {
  const world = begun({ asks: { ...SAP, [SAP_HASH]: 'x' } });
  assert.ok(!world.needsRollout('web'));
  world.config('cfg', 'b');
  const plan = world.roll('web');
  assert.deepEqual(changesOf(plan).annotations, { [SAP_HASH]: null });
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
