/** Kinds that a cluster may lack: they hold up nothing, and no reload of theirs is lost. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectsOf, pick } from '../sandbox/json.ts';
import { Cluster } from './harness.ts';
import { configMap, mark, pair, put } from './manifests.ts';
import { digestIn } from './reloader-process.ts';

const WEB = configMap('web');
const FLAGS = ['--is-openshift=false', '--enable-csi-integration=false'];

function putRollout({ sandbox }: Cluster): void {
  const containers = [{ name: 'app', image: 'app:1', envFrom: [{ configMapRef: { name: 'web' } }] }];
  const annotations = { 'reloader.k8s.collaborne.com/configmap': 'web' };
  sandbox.create('rollouts', {
    metadata: { name: 'web', namespace: 'default', annotations },
    spec: { replicas: 1, template: { spec: { containers } } },
  });
}

function stampOf({ sandbox }: Cluster): unknown {
  const [app] = objectsOf(
    pick(sandbox.get('rollouts', 'default', 'web'), 'spec', 'template', 'spec', 'containers'),
  );
  return objectsOf(app?.['env']).at(-1)?.['value'];
}

const committed = (cluster: Cluster): string => digestIn(cluster.state()['v1.ConfigMap_web']);
const looks = ({ arrived }: Cluster): string[] =>
  arrived.filter((request) => /^GET \/apis(\/argoproj[^/]*\/v1alpha1)?$/.test(request));

async function isStamped(cluster: Cluster, before: unknown): Promise<void> {
  await cluster.until(
    'the Rollout is stamped',
    () => ![before, undefined].includes(stampOf(cluster) as string),
  );
  await cluster.until('it is committed', () => digestIn(committed(cluster)) === digestIn(stampOf(cluster)));
}

test('a Rollout is rolled by a JSON patch where the API server serves Rollouts', async () => {
  await using cluster = await Cluster.start({ extensions: ['rollouts'] });
  put(cluster, WEB, 'one');
  putRollout(cluster);
  await cluster.reloader({ flags: FLAGS });
  put(cluster, WEB, 'two');
  await isStamped(cluster, undefined);
  const patches = cluster.audits.filter(({ verb, resource }) => verb === 'patch' && resource === 'rollouts');
  assert.deepEqual(
    patches.map(({ contentType, status }) => [contentType, status]),
    [['application/json-patch+json', 200]],
  );
  assert.deepEqual(looks(cluster), ['GET /apis', 'GET /apis/argoproj.io/v1alpha1']);
});

test('where no API server serves them all else goes on, and a start asks once', async () => {
  await using cluster = await Cluster.start();
  await pair(cluster, 'marker');
  const reloader = await cluster.reloader({ flags: FLAGS });
  await mark(cluster);
  await cluster.settled(reloader);
  assert.deepEqual(looks(cluster), ['GET /apis']);
  assert.ok(cluster.arrived.every((request) => !request.includes('rollouts')));
  assert.ok(Object.keys(cluster.state()).every((key) => !key.includes('Rollout')));
  assert.ok(reloader.says(/Rollout .* is not served by the API server/));
});

test('what changes while the group is unavailable at the start is rolled once it is available', async () => {
  await using cluster = await Cluster.start({ extensions: ['rollouts'] });
  await pair(cluster, 'web');
  putRollout(cluster);
  await pair(cluster, 'marker');
  const first = await cluster.reloader({ flags: FLAGS });
  await first.stop();
  const before = committed(cluster);
  cluster.sandbox.setAvailable('argoproj.io', false);
  put(cluster, WEB, 'two');
  const second = cluster.spawn({ flags: FLAGS });
  await second.hasSaid(/Deployment\/web rolled/);
  await mark(cluster);
  assert.equal(committed(cluster), before, 'no commit without the kind');
  assert.equal(stampOf(cluster), undefined);
  assert.ok(second.says(/Rollout .* cannot be discovered; ignored/));
  await second.kill();
  const third = cluster.spawn({ flags: FLAGS });
  cluster.sandbox.setAvailable('argoproj.io', true);
  await isStamped(cluster, undefined);
  await cluster.settled(third);
});

test('a definition that is deleted with its objects, and installed again, costs nothing else a reload', async () => {
  await using cluster = await Cluster.start({ extensions: ['rollouts'] });
  put(cluster, WEB, 'one');
  putRollout(cluster);
  await pair(cluster, 'marker');
  const reloader = await cluster.reloader({ flags: FLAGS });
  cluster.sandbox.setServed('rollouts', false);
  await reloader.hasSaid(/Rollout ignored until served/);
  await mark(cluster);
  cluster.sandbox.setServed('rollouts', true);
  putRollout(cluster);
  await reloader.hasSaid(/Rollout can be listed and watched again/);
  put(cluster, WEB, 'two');
  await isStamped(cluster, undefined);
});
