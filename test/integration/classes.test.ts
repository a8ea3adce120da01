/** What the Secrets Store CSI driver mounts, where labels select objects and where the API server does not serve it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pick, stringOf } from '../sandbox/json.ts';
import { Cluster, type StartOptions } from './harness.ts';
import { mark, pair } from './manifests.ts';

const EXTENSIONS = ['secretproviderclasses', 'secretproviderclasspodstatuses'] as const;
const STATUSES = 'secretproviderclasspodstatuses';
const STAKATER = 'reloader.stakater.com';
const NATIVE = 'reloader.k8s.collaborne.com';
const FLAGS: StartOptions = { flags: ['--is-openshift=false', '--is-Argo-Rollouts=false'] };

type Annotations = Readonly<Record<string, string>>;

/** A Deployment that mounts the class `db`. */
function deployMounting(
  { sandbox }: Cluster,
  name: string,
  annotations: Annotations,
  env: object[] = [],
): void {
  const csi = { driver: 'secrets-store.csi.k8s.io', volumeAttributes: { secretProviderClass: 'db' } };
  sandbox.create('deployments', {
    metadata: { namespace: 'default', name, annotations },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [
            { name: 'app', image: 'app:1', env, volumeMounts: [{ name: 'db', mountPath: '/db' }] },
          ],
          volumes: [{ name: 'db', csi }],
        },
      },
    },
  });
}

function statusOf(pod: string, version: string): Record<string, object> {
  return {
    metadata: { namespace: 'default', name: `${pod}-default-db`, ownerReferences: [owner(pod)] },
    status: {
      podName: pod,
      secretProviderClassName: 'db',
      mounted: true,
      objects: [{ id: 'password', version }],
    } as object,
  };
}

function owner(pod: string): object {
  return { apiVersion: 'v1', kind: 'Pod', name: pod, uid: pod };
}

function mount({ sandbox }: Cluster, version: string, ...pods: readonly string[]): void {
  for (const pod of pods) sandbox.create(STATUSES, statusOf(pod, version));
}

function rotate({ sandbox }: Cluster, version: string, ...pods: readonly string[]): void {
  for (const pod of pods) sandbox.patch(STATUSES, 'default', `${pod}-default-db`, statusOf(pod, version));
}

function classWith({ sandbox }: Cluster, annotations: Annotations = {}): void {
  sandbox.create('secretproviderclasses', {
    metadata: { namespace: 'default', name: 'db', annotations },
    spec: { provider: 'vault' },
  });
}

function rollouts(cluster: Cluster, name: string): number {
  return cluster.rollouts({ kind: 'Deployment', namespace: 'default', name });
}

test('the labels that select objects do not select classes; pages and stamps have them like any object', async () => {
  await using cluster = await Cluster.start({ extensions: EXTENSIONS });
  deployMounting(cluster, 'web', {
    [`${STAKATER}/auto`]: 'true',
    [`${NATIVE}/reload-strategy`]: 'annotations',
  });
  classWith(cluster);
  mount(cluster, 'one', 'a', 'b');
  const flags = [...(FLAGS.flags ?? []), '--resource-label-selector=reload=yes'];
  const reloader = await cluster.reloader({ flags });
  rotate(cluster, 'two', 'a', 'b');
  await cluster.until('it is rolled', () => rollouts(cluster, 'web') === 1);
  await cluster.settled(reloader);
  const { workloads } = await reloader.status();
  assert.deepEqual(
    workloads.map(({ follows }) => follows.map(({ object }) => object)),
    [['SecretProviderClass/db']],
  );
  assert.equal(await reloader.metric('reloader_config_objects{kind="SecretProviderClass"}'), 1);
  assert.equal(await reloader.metric('reloader_changes_total{kind="SecretProviderClass",type="updated"}'), 1);
  const path = ['spec', 'template', 'metadata', 'annotations', `${STAKATER}/last-reloaded-from`] as const;
  const source = JSON.parse(
    stringOf(pick(cluster.sandbox.get('deployments', 'default', 'web'), ...path)) ?? '',
  );
  assert.deepEqual([source.type, source.name], ['SECRETPROVIDERCLASS', 'db']);
});

test('without these kinds nothing is asked but what discovery asks, and a finding says that a word has no effect', async () => {
  await using cluster = await Cluster.start();
  deployMounting(cluster, 'web', { [`secretproviderclass.${STAKATER}/auto`]: 'true' });
  await pair(cluster, 'marker');
  const reloader = await cluster.reloader(FLAGS);
  await mark(cluster);
  await cluster.settled(reloader);
  const asked = cluster.arrived.filter((request) => /secrets-store|apis$/.test(request));
  assert.deepEqual(asked, ['GET /apis']);
  assert.ok(reloader.says(/secretproviderclass.reloader.stakater.com\/auto has no effect now/));
});
