/** Workloads that mean the reloader's own state: each rollout is written there, and must not be the next change. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from './harness.ts';
import { configMap, deploy, put } from './manifests.ts';

const BY_PATTERN = { ConfigMap: 'configmap.reloader.stakater.com/reload' };

test('what follows the state by a pattern, by name or by reference is rolled for each change of the rest, once', async () => {
  await using cluster = await Cluster.start();
  for (const name of ['web', 'reloader-state']) put(cluster, configMap(name), 'one');
  const refs = [
    deploy(cluster, 'by-pattern', { follows: { ConfigMap: ['.*'] }, annotations: BY_PATTERN }),
    deploy(cluster, 'by-name', { follows: { ConfigMap: ['web', 'reloader-state'] } }),
    deploy(cluster, 'by-reference', { follows: { ConfigMap: ['web', 'reloader-state'] } }),
  ];
  cluster.sandbox.patch('deployments', 'default', 'by-reference', {
    metadata: {
      annotations: {
        'reloader.k8s.collaborne.com/configmap': null,
        'reloader.k8s.collaborne.com/auto': 'true',
      },
    },
  });
  const reloader = await cluster.reloader();
  for (const [index, value] of ['two', 'three', 'four'].entries()) {
    put(cluster, configMap('web'), value);
    await cluster.until('all are rolled', () => refs.every((ref) => cluster.rollouts(ref) > index));
    await cluster.settled(reloader);
    assert.deepEqual(
      refs.map((ref) => cluster.rollouts(ref)),
      refs.map(() => index + 1),
    );
  }
  await cluster.until('an Event tells of it', () =>
    cluster.sandbox.list('events').some((event) => event['reason'] === 'StateNotFollowed'),
  );
  const told = cluster.sandbox.list('events').filter((event) => event['reason'] === 'StateNotFollowed');
  assert.deepEqual(
    told.map(({ involvedObject }) => (involvedObject as { name: string }).name),
    ['by-name'],
  );
  assert.match(
    String(told[0]?.['message']),
    /^a reloader keeps its state in ConfigMap\/reloader-state: nothing is rolled for it; remove it from the annotation$/,
  );
  assert.ok(!Object.keys(cluster.state()).some((key) => key.includes('reloader-state')));
});
