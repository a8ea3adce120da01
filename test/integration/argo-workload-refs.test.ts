/** A Rollout whose template is in a Deployment: one patch for a change, in the Deployment. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectsOf, pick } from '../sandbox/json.ts';
import { run } from '../tour/tour.ts';
import { Cluster } from './harness.ts';
import { configMap, mark, pair, put } from './manifests.ts';

const FLAGS = ['--is-Argo-Rollouts=true'];
const FOLLOWS = { 'reloader.k8s.collaborne.com/configmap': 'web' };

function deployed({ sandbox }: Cluster) {
  return sandbox.get('deployments', 'default', 'web') ?? assert.fail('there is no Deployment');
}

/** The sandbox has no controller for Rollouts: the test is it. */
function report({ sandbox }: Cluster, hash: string, workloadObservedGeneration: number | undefined): void {
  const observed = {
    observedGeneration: '1',
    workloadObservedGeneration: String(workloadObservedGeneration),
  };
  const counts = { phase: 'Healthy', stableRS: hash, currentPodHash: hash, replicas: 1, updatedReplicas: 1 };
  sandbox.setStatus('rollouts', 'default', 'web', { ...observed, ...counts });
}

/** A Rollout, and what has its template. */
function create({ sandbox }: Cluster, kind: 'Deployment' | 'ReplicaSet', further: object): void {
  const metadata = { namespace: 'default', name: 'web', annotations: { ...FOLLOWS, ...further } };
  const labels = { app: 'web' };
  const containers = [{ name: 'app', image: 'app:1', envFrom: [{ configMapRef: { name: 'web' } }] }];
  const template = { metadata: { labels }, spec: { containers } };
  sandbox.create(`${kind.toLowerCase()}s`, {
    metadata,
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  });
  const workloadRef = { apiVersion: 'apps/v1', kind, name: 'web' };
  sandbox.create('rollouts', { metadata, spec: { replicas: 1, workloadRef } });
}

function patched({ audits }: Cluster, of: string): number {
  return audits.filter(({ verb, resource }) => verb === 'patch' && resource === of).length;
}

test('annotations on both objects are one patch of the Deployment, and none of the next process', async () => {
  await using cluster = await Cluster.start({ extensions: ['rollouts'] });
  put(cluster, configMap('web'), 'one');
  await pair(cluster, 'marker');
  create(cluster, 'Deployment', FOLLOWS);
  report(cluster, 'h1', deployed(cluster).metadata.generation);
  const first = await cluster.reloader({ flags: FLAGS });
  put(cluster, configMap('web'), 'two');
  await cluster.until('the Deployment is stamped', () => {
    const [container] = objectsOf(pick(deployed(cluster), 'spec', 'template', 'spec', 'containers'));
    return objectsOf(container?.['env']).some(({ name }) => name === '_RELOADER_CONFIGMAP_WEB');
  });
  const before = patched(cluster, 'deployments');
  report(cluster, 'h2', deployed(cluster).metadata.generation);
  await cluster.settled(first);
  await first.kill();
  await cluster.reloader({ flags: FLAGS });
  await mark(cluster);
  assert.equal(patched(cluster, 'rollouts'), 0);
  // The marker is a Deployment too.
  assert.equal(patched(cluster, 'deployments') - before, 1);
});

test('an approval is written to the ReplicaSet that has the template', async () => {
  await using cluster = await Cluster.start({ extensions: ['rollouts'] });
  put(cluster, configMap('web'), 'one');
  create(cluster, 'ReplicaSet', { 'reloader.k8s.collaborne.com/approval': 'required' });
  report(cluster, 'h1', 1);
  const reloader = await cluster.reloader({ flags: FLAGS });
  await cluster.settled(reloader);
  await reloader.stop();
  put(cluster, configMap('web'), 'two');
  const line = `reloader approve rollout/web --reloader none -- ${FLAGS.join(' ')}`;
  const { code, stdout, stderr } = await run(line, cluster.file('kubeconfig'));
  assert.deepEqual([code, stderr], [0, '']);
  const [, token = ''] =
    /^kubectl annotate replicaset\/web -n default --overwrite \S+=(\w+)\n$/.exec(stdout) ?? [];
  const { metadata } = cluster.sandbox.get('replicasets', 'default', 'web') ?? assert.fail('it is gone');
  assert.equal(metadata.annotations?.['reloader.k8s.collaborne.com/approved'], token);
});
