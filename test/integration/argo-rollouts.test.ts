/** Rollouts of Argo: stamped by a JSON patch, or restarted by the clock of the API server; an abort stops all patches. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectsOf, pick } from '../sandbox/json.ts';
import { Cluster } from './harness.ts';
import { configMap, mark, pair, put } from './manifests.ts';

const FLAGS = ['--is-Argo-Rollouts=true'];
const OWN = 'reloader.k8s.collaborne.com';
const RESTART = { [`${OWN}/rollout-strategy`]: 'restart' };

/** The sandbox has no controller for Rollouts: the test is it. */
function report(cluster: Cluster, status: object): void {
  const generation = String(live(cluster).metadata.generation);
  cluster.sandbox.setStatus('rollouts', 'default', 'web', { observedGeneration: generation, ...status });
}

function healthy(hash: string, more: object = {}): object {
  return { phase: 'Healthy', stableRS: hash, currentPodHash: hash, replicas: 1, updatedReplicas: 1, ...more };
}

function live(cluster: Cluster) {
  return cluster.sandbox.get('rollouts', 'default', 'web') ?? assert.fail('there is no Rollout');
}

function variables(cluster: Cluster): readonly unknown[] {
  const [container] = objectsOf(pick(live(cluster), 'spec', 'template', 'spec', 'containers'));
  return objectsOf(container?.['env']).map(({ name }) => name);
}

function patches({ audits }: Cluster): number {
  return audits.filter(({ verb, resource }) => verb === 'patch' && resource === 'rollouts').length;
}

async function setUp(cluster: Cluster, annotations: object = {}): Promise<void> {
  put(cluster, configMap('web'), 'one');
  await pair(cluster, 'marker');
  const containers = [{ name: 'app', image: 'app:1', envFrom: [{ configMapRef: { name: 'web' } }] }];
  cluster.sandbox.create('rollouts', {
    metadata: {
      namespace: 'default',
      name: 'web',
      annotations: { [`${OWN}/configmap`]: 'web', ...annotations },
    },
    spec: { replicas: 1, template: { spec: { containers } } },
  });
  report(cluster, healthy('h1'));
}

test('a Rollout is stamped once for a change, and not again by the next process', async () => {
  await using cluster = await Cluster.start({ extensions: ['rollouts'] });
  await setUp(cluster);
  const first = await cluster.reloader({ flags: FLAGS });
  put(cluster, configMap('web'), 'two');
  await cluster.until('it is stamped', () => variables(cluster).includes('_RELOADER_CONFIGMAP_WEB'));
  await cluster.settled(first);
  await first.kill();
  await cluster.reloader({ flags: FLAGS });
  await mark(cluster);
  assert.equal(patches(cluster), 1);
});

test('a restart has its moment and its record, and the template stays', async () => {
  await using cluster = await Cluster.start({ extensions: ['rollouts'] });
  await setUp(cluster, RESTART);
  const first = await cluster.reloader({ flags: FLAGS });
  const before = Math.floor(Date.now() / 1000);
  put(cluster, configMap('web'), 'two');
  await cluster.until('it is restarted', () => patches(cluster) === 1);
  await cluster.settled(first);
  const moment = pick(live(cluster), 'spec', 'restartAt');
  assert.ok(Date.parse(String(moment)) / 1000 > before, `${String(moment)} is after the change`);
  const { annotations = {} } = live(cluster).metadata;
  assert.equal(annotations[`${OWN}/restarted-at`], moment);
  assert.match(annotations[`${OWN}/stamps`] ?? '', /"ConfigMap\/web":"\w+:[0-9a-f]{40}\.\d+"/);
  assert.deepEqual(variables(cluster), []);
  report(cluster, healthy('h1', { restartedAt: moment }));
  await first.kill();
  await cluster.reloader({ flags: FLAGS });
  await mark(cluster);
  assert.equal(patches(cluster), 1);
});

test('nothing is patched between an abort and its end', async () => {
  await using cluster = await Cluster.start({ extensions: ['rollouts'] });
  await setUp(cluster);
  const reloader = await cluster.reloader({ flags: FLAGS });
  put(cluster, configMap('web'), 'two');
  await cluster.until('it is stamped', () => patches(cluster) === 1);
  const stable = { stableRS: 'h1', currentPodHash: 'h2', replicas: 1 };
  report(cluster, { ...stable, phase: 'Degraded', abort: true });
  await cluster.until('an Event says so', () =>
    cluster.sandbox.list('events').some(({ reason }) => reason === 'ReloadGivenUp'),
  );
  put(cluster, configMap('web'), 'three');
  await mark(cluster);
  assert.equal(patches(cluster), 1);
  const state = cluster.state()['v1.ConfigMap_web'] ?? '';
  assert.match(state, /\?Rollout\/web$/, 'the state knows that nothing is known');
  report(cluster, { ...stable, phase: 'Progressing', abort: false, updatedReplicas: 1 });
  await cluster.until('the content that came meanwhile is rolled', () => patches(cluster) === 2);
  report(cluster, healthy('h3'));
  await cluster.settled(reloader);
});
