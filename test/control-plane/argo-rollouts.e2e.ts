/** What a reloader relies on of the real controller of Argo Rollouts: what it writes, and when. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { until } from '../integration/reloader-process.ts';
import { type Json, type JsonObject, objectOf, objectsOf, pick } from '../sandbox/json.ts';
import { ArgoRollouts, skipWithoutArgoRollouts } from './argo-rollouts.ts';
import { ControlPlane } from './control-plane.ts';
import {
  annotationOf,
  countsOf,
  generationOf,
  isObserved,
  isStable,
  RolloutScene,
  statusOf,
  template,
  WEB,
} from './rollout-scene.ts';

const CANARY = { canary: {} };
const STEPS = { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } };
const BLUE_GREEN = { activeService: 'active', autoPromotionEnabled: false, scaleDownDelaySeconds: 10 };

/** No pod is made any more. */
const NO_PODS = { metadata: { name: 'none' }, spec: { hard: { pods: '0' } } };

const plane = await ControlPlane.start();
after(() => plane[Symbol.asyncDispose]());
const skip = skipWithoutArgoRollouts(plane);
let started: Promise<ArgoRollouts> | undefined;

async function open(name: string): Promise<RolloutScene> {
  started ??= ArgoRollouts.start(plane);
  return await RolloutScene.open(plane, await started, name);
}

describe('a canary without steps', { skip, concurrency: true }, () => {
  test('is healthy when every pod has the template, and tells the generation that it saw as a text', async () => {
    await using scene = await open('plain');
    await scene.create(CANARY);
    await scene.patch({ template: template('B') });
    const status = await scene.reaches('Healthy');
    assert.equal(status['observedGeneration'], String(generationOf(await scene.rollout())));
    assert.deepEqual(countsOf(status), [2, 2, 2, 2]);
    assert.ok(isStable(status));
    await scene.runs('BB');
    const later = scene.versions.filter((each) => generationOf(each) > 2);
    const unseen = later.filter((each) => !isObserved(each)).map((each) => statusOf(each)['phase']);
    assert.deepEqual([...new Set(unseen)], ['Healthy'], 'the phase is the old one until then');
    const healthy = later.filter((each) => isObserved(each) && statusOf(each)['phase'] === 'Healthy');
    for (const each of healthy) assert.deepEqual(countsOf(statusOf(each)), [2, 2, 2, 2]);
  });

  test('is written by its controller: what a container lacks makes one generation more', async () => {
    await using scene = await open('written');
    await scene.create(CANARY);
    assert.equal(generationOf(await scene.rollout()), 2);
    const stamp = { metadata: { annotations: { content: 'B' } } };
    await scene.patch({ template: stamp });
    await scene.reaches('Healthy');
    assert.equal(generationOf(await scene.rollout()), 3, 'not by an annotation of the template');
    await scene.expect('PATCH', `rollouts/${WEB}`, { metadata: { annotations: { a: 'b' } } });
    await scene.patch({ replicas: 1 });
    await scene.reaches('Healthy');
    assert.equal(generationOf(await scene.rollout()), 4, 'not by its own annotations');
  });

  test('is paused by hand even when it is rolled out, and a change of the template waits', async () => {
    await using scene = await open('by-hand');
    await scene.create(CANARY);
    await scene.patch({ paused: true });
    const before = await scene.reaches('Paused');
    assert.ok(isStable(before));
    assert.equal(before['pauseConditions'], undefined);
    await scene.patch({ template: template('B') });
    const waiting = await scene.until('waiting', (status) => !isStable(status));
    assert.equal(waiting['phase'], 'Paused');
    assert.deepEqual(countsOf(waiting), [2, 0, 2, 2]);
    await scene.patch({ paused: false });
    await scene.reaches('Healthy');
    await scene.runs('BB');
  });

  test('is degraded after its deadline, and well again by itself', async () => {
    await using scene = await open('late');
    await scene.create(CANARY, { template: template('A'), progressDeadlineSeconds: 2 });
    await scene.expect('POST', 'resourcequotas', NO_PODS);
    await scene.patch({ template: template('B') });
    const late = await scene.reaches('Degraded');
    assert.match(String(late['message']), /^ProgressDeadlineExceeded/);
    assert.equal(late['abort'], undefined);
    const generation = generationOf(await scene.rollout());
    await scene.expect('DELETE', 'resourcequotas/none');
    await scene.reaches('Healthy');
    assert.equal(generationOf(await scene.rollout()), generation);
  });

  test('is patched as every custom resource is', async () => {
    await using scene = await open('patches');
    await scene.create(CANARY);
    const merge = (version: Json): JsonObject => ({
      metadata: { resourceVersion: version },
      spec: { paused: true },
    });
    const version = String(pick(await scene.rollout(), 'metadata', 'resourceVersion'));
    const env = '/spec/template/spec/containers/0/env';
    const add = (name: string): Json => [
      { op: 'test', path: '/spec/template/spec/containers/0/name', value: name },
      { op: 'add', path: env, value: [{ name: 'A', value: 'B' }] },
    ];
    assert.equal(await scene.patchAs('strategic-merge-patch', merge(version)), 415);
    assert.equal(await scene.patchAs('merge-patch', merge('1')), 409);
    assert.equal(await scene.patchAs('merge-patch', merge(version)), 200);
    assert.equal(await scene.patchAs('json-patch', add('other')), 422);
    assert.equal(await scene.patchAs('json-patch', add('main')), 200);
  });
});

describe('a canary that pauses at a step', { skip, concurrency: true }, () => {
  test('runs both templates until it is promoted, by a change of its status alone', async () => {
    await using scene = await open('promoted');
    await scene.create(STEPS);
    await scene.patch({ template: template('B') });
    const paused = await scene.reaches('Paused');
    assert.deepEqual(countsOf(paused), [2, 1, 2, 2]);
    const reasons = objectsOf(paused['pauseConditions']).map(({ reason }) => reason);
    assert.deepEqual(reasons, ['CanaryPauseStep']);
    await scene.runs('AB');
    const generation = generationOf(await scene.rollout());
    await scene.kubectl('promote');
    assert.ok(isStable(await scene.reaches('Healthy')));
    await scene.runs('BB');
    assert.equal(generationOf(await scene.rollout()), generation);
  });

  test('runs the old template after an abort, and keeps the new one for a retry', async () => {
    await using scene = await open('aborted');
    await scene.create(STEPS);
    await scene.patch({ template: template('B') });
    await scene.reaches('Paused');
    const generation = generationOf(await scene.rollout());
    await scene.kubectl('abort');
    const aborted = await scene.reaches('Degraded');
    assert.equal(aborted['abort'], true);
    assert.ok(!isStable(aborted));
    await scene.runs('AA');
    const rollout = await scene.rollout();
    assert.equal(annotationOf(objectOf(pick(rollout, 'spec', 'template')), 'content'), 'B');
    await scene.kubectl('retry', 'rollout');
    assert.equal((await scene.reaches('Paused'))['abort'], false);
    await scene.runs('AB');
    assert.equal(generationOf(await scene.rollout()), generation);
  });

  test('keeps the pods that were not replaced yet when the template is undone', async () => {
    await using scene = await open('undone');
    await scene.create(STEPS);
    const before = await scene.pods();
    await scene.patch({ template: template('B') });
    await scene.reaches('Paused');
    await scene.patch({ template: template('A') });
    await scene.reaches('Healthy');
    await scene.runs('AA');
    const names = new Set((await scene.pods()).map(({ name }) => name));
    assert.equal(before.filter(({ name }) => names.has(name)).length, 1);
  });

  test('forgets an abort with the next template', async () => {
    await using scene = await open('forgotten');
    await scene.create(STEPS);
    await scene.patch({ template: template('B') });
    await scene.reaches('Paused');
    await scene.kubectl('abort');
    await scene.reaches('Degraded');
    await scene.patch({ template: template('C') });
    assert.equal((await scene.reaches('Paused'))['abort'], undefined);
    await scene.runs('AC');
    await scene.kubectl('abort');
    await scene.reaches('Degraded');
    await scene.patch({ template: template('A') });
    assert.equal((await scene.reaches('Healthy'))['abort'], undefined);
    await scene.runs('AA');
  });
});

describe('a blue-green Rollout', { skip, concurrency: true }, () => {
  async function created(name: string, replaced: JsonObject = {}): Promise<RolloutScene> {
    const scene = await open(name);
    const spec = { selector: { app: WEB }, ports: [{ port: 80 }] };
    await scene.expect('POST', 'services', { metadata: { name: 'active' }, spec });
    await scene.create({ blueGreen: { ...BLUE_GREEN, ...replaced } });
    await scene.patch({ template: template('B') });
    const paused = await scene.reaches('Paused');
    assert.deepEqual(countsOf(paused).slice(0, 2), [4, 2]);
    return scene;
  }

  test('is healthy while the pods before still run, for a while after its promotion', async () => {
    await using scene = await created('delayed', { scaleDownDelaySeconds: 5 });
    await scene.kubectl('promote');
    const healthy = await scene.reaches('Healthy');
    assert.ok(isStable(healthy));
    assert.deepEqual(countsOf(healthy).slice(0, 2), [4, 2]);
    await scene.runs('BB');
    const service = await scene.expect('GET', 'services/active');
    assert.equal(annotationOf(service, 'argo-rollouts.argoproj.io/managed-by-rollouts'), WEB);
  });

  test('goes back within that while to the very same pods, unasked', async () => {
    await using scene = await created('back', { scaleDownDelaySeconds: 60 });
    const before = (await scene.pods()).filter(({ content }) => content === 'A');
    await scene.kubectl('promote');
    await scene.reaches('Healthy');
    await until('the old pods have an end', async () => {
      const owners = objectsOf((await scene.expect('GET', 'replicasets'))['items']);
      return owners.some((each) => annotationOf(each, 'scale-down-deadline') !== undefined);
    });
    await scene.patch({ template: template('A') });
    await scene.reaches('Healthy');
    assert.deepEqual(
      (await scene.pods()).filter(({ content }) => content === 'A'),
      before,
    );
  });

  test('keeps the pods of what was aborted for a while', async () => {
    await using scene = await created('refused', { abortScaleDownDelaySeconds: 5 });
    await scene.kubectl('abort');
    const aborted = await scene.reaches('Degraded');
    assert.deepEqual(countsOf(aborted).slice(0, 2), [4, 2]);
    await scene.runs('AA');
  });
});

/** The first full second after the creation of its youngest pod, and `moreMs` more. */
async function secondAfter(scene: RolloutScene, moreMs = 0): Promise<string> {
  const created = (await scene.pods()).map((pod) => Date.parse(pod.created));
  return textOf(Math.max(...created) + 1000 + moreMs);
}

/** As Kubernetes writes a time: whole seconds. */
function textOf(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+/, '');
}

async function restarted(scene: RolloutScene, at: string): Promise<JsonObject> {
  return await scene.until(`restarted at ${at}`, ({ restartedAt }) => restartedAt === at);
}

describe('spec.restartAt', { skip, concurrency: true }, () => {
  test('replaces every pod that is older, and leaves template and revision', async () => {
    await using scene = await open('restarted');
    await scene.create(CANARY);
    const at = await secondAfter(scene);
    await scene.patch({ restartAt: at });
    await restarted(scene, at);
    await scene.reaches('Healthy');
    await scene.until('replaced', (status) => countsOf(status).every((count) => count === 2));
    await scene.runs('AA');
    for (const { created } of await scene.pods()) assert.ok(created >= at, created);
    assert.equal(annotationOf(await scene.rollout(), 'rollout.argoproj.io/revision'), '1');
  });

  test('leaves a pod of the same second', async () => {
    await using scene = await open('same-second');
    await scene.create(CANARY, { replicas: 1, template: template('A') });
    const before = await scene.pods();
    const at = before[0]?.created ?? assert.fail();
    await scene.patch({ restartAt: at });
    assert.equal((await restarted(scene, at))['phase'], 'Healthy');
    assert.deepEqual(await scene.pods(), before);
  });

  test('is done when the last pod is evicted, not when its successor runs', async () => {
    await using scene = await open('evicted');
    await scene.create(CANARY, { replicas: 1, template: template('A') });
    await scene.expect('POST', 'resourcequotas', NO_PODS);
    const at = await secondAfter(scene);
    await scene.patch({ restartAt: at });
    await restarted(scene, at);
    await scene.runs('');
    const { phase, message } = await scene.reaches('Progressing');
    assert.deepEqual([phase, message], ['Progressing', 'more replicas need to be updated']);
    await scene.expect('DELETE', 'resourcequotas/none');
    await scene.reaches('Healthy');
  });

  test('waits for its time, and a change of the template does not end it', async () => {
    await using scene = await open('to-come');
    await scene.create(CANARY);
    const at = await secondAfter(scene, 7000);
    await scene.patch({ restartAt: at });
    const waiting = await scene.reaches('Progressing');
    assert.equal(waiting['message'], 'rollout is restarting');
    await scene.patch({ template: template('B') });
    await scene.runs('BB');
    await restarted(scene, at);
    await scene.runs('BB');
    for (const { created } of await scene.pods()) assert.ok(created >= at, created);
  });

  test('replaces the pods of both templates at a pause', async () => {
    await using scene = await open('at-a-pause');
    await scene.create(STEPS);
    await scene.patch({ template: template('B') });
    await scene.reaches('Paused');
    await scene.runs('AB');
    const at = await secondAfter(scene);
    await scene.patch({ restartAt: at });
    assert.equal((await restarted(scene, at))['phase'], 'Paused');
    await scene.runs('AB');
    for (const { created } of await scene.pods()) assert.ok(created >= at, created);
  });
});

/** What a Rollout may take its template from: where it is, and how it is written. */
const REFERENCES: Readonly<Record<string, (content: string) => JsonObject>> = {
  'apps/v1 Deployment deployments': inSpec,
  'apps/v1 ReplicaSet replicasets': inSpec,
  'v1 PodTemplate podtemplates': (content) => ({ template: template(content) }),
};

function inSpec(content: string): JsonObject {
  return { spec: { replicas: 0, selector: { matchLabels: { app: WEB } }, template: template(content) } };
}

const GENERATION = 'rollout.argoproj.io/workload-generation';

describe('a Rollout that takes its template from', { skip, concurrency: true }, () => {
  for (const [reference, body] of Object.entries(REFERENCES)) {
    const [apiVersion = '', kind = '', resource = ''] = reference.split(' ');
    test(`a ${kind} rolls with that, and names its generation`, async () => {
      await using scene = await open(`of-${resource}`);
      const created = await scene.expect('POST', resource, { metadata: { name: WEB }, ...body('A') });
      await scene.create(CANARY, { workloadRef: { apiVersion, kind, name: WEB } });
      const referenced = await scene.expect('PATCH', `${resource}/${WEB}`, body('B'));
      const generation = String(generationOf(referenced));
      const isSeen = (status: JsonObject): boolean => status['workloadObservedGeneration'] === generation;
      assert.notEqual(generation, String(generationOf(created)));
      await scene.until('rolling', isSeen);
      assert.ok(isStable(await scene.reaches('Healthy')));
      await scene.runs('BB');
      const rollout = await scene.rollout();
      assert.equal(pick(rollout, 'spec', 'template'), undefined);
      assert.equal(annotationOf(rollout, GENERATION), generation);
      assert.equal(generationOf(rollout), 1, 'its own never changes');
      const unseen = scene.versions.filter((each) => annotationOf(each, GENERATION) === generation);
      const stale = unseen.map(statusOf).filter((status) => !isSeen(status));
      assert.deepEqual(new Set(stale.map(({ phase }) => phase)), new Set(['Healthy']), 'before it is seen');
    });
  }

  test('a Deployment follows also a change of its annotations, without rolling, and leaves no mark', async () => {
    await using scene = await open('annotated');
    await scene.expect('POST', 'deployments', { metadata: { name: WEB }, ...inSpec('A') });
    await scene.create(CANARY, { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: WEB } });
    const before = await scene.pods();
    const annotated = await scene.expect('PATCH', `deployments/${WEB}`, {
      metadata: { annotations: { a: 'b' } },
    });
    const generation = String(generationOf(annotated));
    assert.notEqual(generation, '1');
    const status = await scene.until('told', (each) => each['workloadObservedGeneration'] === generation);
    assert.equal(status['phase'], 'Healthy');
    assert.equal(annotationOf(await scene.rollout(), 'rollout.argoproj.io/revision'), '1');
    assert.deepEqual(await scene.pods(), before);
    const names = Object.keys(objectOf(pick(annotated, 'metadata', 'annotations')));
    assert.deepEqual(
      names.filter((name) => name.includes('argo')),
      [],
    );
  });
});

// It ends the controller of all: it comes last, and alone.
test('a controller that was away rolls what changed; until then all is well by the Rollout itself', {
  skip,
}, async () => {
  await using scene = await open('away');
  await scene.expect('POST', 'deployments', { metadata: { name: WEB }, ...inSpec('A') });
  await scene.create(CANARY, { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: WEB } });
  await scene.argo.kill();
  const before = await scene.rollout();
  await scene.expect('PATCH', `deployments/${WEB}`, inSpec('B'));
  assert.deepEqual(await scene.rollout(), before);
  assert.equal(statusOf(before)['phase'], 'Healthy');
  await scene.argo.startAgain();
  await scene.runs('BB');
  await scene.reaches('Healthy');
});
