/** Kinds whose pods are only evicted: where they are shown, and that nothing is evicted in a dry run or beside a webhook. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from './harness.ts';
import { configMap, mark, pair, put } from './manifests.ts';
import { Receiver, status } from './receiver.ts';

const FLAGS = ['--workload-kinds=replicasets,pods'];
const FIELD = 'reloader.k8s.collaborne.com';
const ANNOTATIONS = { [`${FIELD}/auto`]: 'true' };
const OWNER = { apiVersion: 'acme.example/v1', kind: 'App', name: 'app', uid: 'the-app', controller: true };

/** A cluster with a ReplicaSet, a Pod of an operator and one without the label. */
async function start(): Promise<Cluster> {
  const cluster = await Cluster.start();
  await pair(cluster, 'marker');
  put(cluster, configMap('web'), 'one');
  const containers = [{ name: 'app', image: 'app:1', envFrom: [{ configMapRef: { name: 'web' } }] }];
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers } };
  const selector = { matchLabels: { app: 'web' } };
  const about = { namespace: 'default', annotations: ANNOTATIONS };
  cluster.sandbox.create('replicasets', {
    metadata: { ...about, name: 'web' },
    spec: { replicas: 1, selector, template },
  });
  for (const [name, labels] of [
    ['app-0', { [`${FIELD}/reload-strategy`]: 'evict' }],
    ['other', {}],
  ] as const)
    cluster.sandbox.create('pods', {
      metadata: { ...about, name, labels, ownerReferences: [OWNER] },
      spec: { containers },
    });
  return cluster;
}

/** Whether nothing was written but Events, the state, and what the marker needs. */
function isUntouched({ audits, sandbox }: Cluster): boolean {
  const writes = audits.filter(({ verb, resource }) => {
    const isRead = ['get', 'list', 'watch'].includes(verb);
    return !isRead && ['replicasets', 'pods'].includes(resource);
  });
  return writes.length === 0 && sandbox.get('pods', 'default', 'app-0') !== undefined;
}

test('a dry run says what it would do, and the page shows the workloads', async () => {
  await using cluster = await start();
  const reloader = await cluster.reloader({ flags: [...FLAGS, '--dry-run'] });
  put(cluster, configMap('web'), 'two');
  await reloader.hasSaid(/ReplicaSet\/web would be rolled: 1 source, 1 change/);
  await reloader.hasSaid(/Pod\/app-0 would be rolled: 1 source, 1 change/);
  await cluster.settled(reloader);
  assert.ok(isUntouched(cluster));
  const { text } = await reloader.page('/status.json');
  const { workloads } = JSON.parse(text) as { workloads: readonly { workload: string }[] };
  const shown = workloads.map(({ workload }) => workload);
  assert.ok(shown.includes('ReplicaSet/web') && shown.includes('Pod/app-0'), shown.join());
  assert.ok(!shown.includes('Pod/other'));
});

test('a webhook is told in place of evictions', async () => {
  await using cluster = await start();
  await using receiver = await Receiver.start(status(202));
  const flags = [...FLAGS, `--webhook-url=http://${receiver.host}/`];
  const reloader = await cluster.reloader({ flags });
  put(cluster, configMap('web'), 'two');
  await cluster.until('it is told of both', () => receiver.bodies.length === 2);
  await cluster.settled(reloader);
  const told = receiver.bodies.map(
    (body) => (JSON.parse(body) as { workload: { kind: string } }).workload.kind,
  );
  assert.deepEqual(told.toSorted(), ['Pod', 'ReplicaSet']);
  assert.ok(isUntouched(cluster));
});

test('without the flag they are neither listed nor watched', async () => {
  await using cluster = await start();
  const reloader = await cluster.reloader();
  put(cluster, configMap('web'), 'two');
  await mark(cluster);
  await cluster.settled(reloader);
  assert.ok(isUntouched(cluster));
  assert.ok(!cluster.arrived.some((request) => /\/pods\b/.test(request)));
});
