/** What the Secrets Store CSI driver mounts is followed: one rollout for what reaches many pods one by one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectsOf, pick, stringOf } from '../sandbox/json.ts';
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

function stampsOf({ sandbox }: Cluster, name: string): readonly (string | undefined)[] {
  const path = ['spec', 'template', 'spec', 'containers'] as const;
  const [app] = objectsOf(pick(sandbox.get('deployments', 'default', name), ...path));
  return objectsOf(app?.['env']).map((variable) => stringOf(variable['name']));
}

const entryOf = (cluster: Cluster): string | undefined => cluster.state()['v1.SecretProviderClass_db'];

test('a rotation that reaches pods one by one is one rollout, whatever asks for it', async () => {
  await using cluster = await Cluster.start({ extensions: EXTENSIONS });
  const asking: Readonly<Record<string, Annotations>> = {
    auto: { [`${STAKATER}/auto`]: 'true' },
    'typed-auto': { [`secretproviderclass.${STAKATER}/auto`]: 'true' },
    named: { [`secretproviderclass.${STAKATER}/reload`]: 'd.' },
    search: { [`${STAKATER}/search`]: 'true' },
    native: { [`${NATIVE}/secret-provider-class`]: 'db' },
    'native-auto': { [`${NATIVE}/secret-provider-class-auto`]: 'true' },
  };
  const silent: Readonly<Record<string, Annotations>> = {
    nothing: {},
    excluded: {
      [`${STAKATER}/auto`]: 'true',
      [`secretproviderclasses.exclude.${STAKATER}/reload`]: 'db',
    },
    'of-secrets': { [`secret.${STAKATER}/auto`]: 'true' },
  };
  for (const [name, annotations] of Object.entries({ ...asking, ...silent }))
    deployMounting(cluster, name, annotations);
  classWith(cluster, { [`${STAKATER}/match`]: 'true' });
  mount(cluster, 'one', 'a', 'b', 'c');
  const reloader = await cluster.reloader(FLAGS);
  const baseline = entryOf(cluster);
  assert.ok(baseline);
  rotate(cluster, 'two', 'a');
  for (const name of Object.keys(asking))
    await cluster.until(`${name} is rolled`, () => rollouts(cluster, name) === 1);
  rotate(cluster, 'two', 'b', 'c');
  await cluster.settled(reloader);
  assert.notEqual(entryOf(cluster), baseline);
  assert.deepEqual(stampsOf(cluster, 'native'), ['_RELOADER_SECRETPROVIDERCLASS_DB']);
  assert.deepEqual(stampsOf(cluster, 'auto'), ['STAKATER_DB_SECRETPROVIDERCLASS']);
  // The pods of the rollouts, and a new process.
  mount(cluster, 'two', 'd');
  await reloader.stop();
  const second = await cluster.reloader(FLAGS);
  await cluster.settled(second);
  for (const name of Object.keys(asking)) assert.equal(rollouts(cluster, name), 1);
  for (const name of Object.keys(silent)) assert.equal(rollouts(cluster, name), 0);
});

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

test('what rotates while no reloader runs is rolled; what all pods began with is not', async () => {
  await using cluster = await Cluster.start({ extensions: EXTENSIONS });
  deployMounting(cluster, 'web', { [`${STAKATER}/auto`]: 'true' });
  mount(cluster, 'one', 'a', 'b');
  const first = await cluster.reloader(FLAGS);
  await first.stop();
  rotate(cluster, 'two', 'a', 'b');
  const second = await cluster.reloader(FLAGS);
  await cluster.until('it is rolled', () => rollouts(cluster, 'web') === 1);
  await cluster.settled(second);
  const before = entryOf(cluster);
  for (const pod of ['a', 'b']) cluster.sandbox.remove(STATUSES, 'default', `${pod}-default-db`);
  mount(cluster, 'three', 'c', 'd');
  await cluster.until('the content is taken over', () => entryOf(cluster) !== before);
  await cluster.settled(second);
  assert.equal(rollouts(cluster, 'web'), 1);
});

test('pods with versions of their own roll nothing, and one Warning says why', async () => {
  await using cluster = await Cluster.start({ extensions: EXTENSIONS });
  deployMounting(cluster, 'web', { [`${STAKATER}/auto`]: 'true' });
  mount(cluster, 'one', 'a');
  mount(cluster, 'two', 'b');
  const reloader = await cluster.reloader(FLAGS);
  await cluster.until('it is said', () => reloader.says(/each pod has versions of SecretProviderClass\/db/));
  assert.equal(rollouts(cluster, 'web'), 0);
  assert.equal(entryOf(cluster), undefined);
});

test("Stakater Reloader's stamp of what is in force is taken over without a rollout, another one is not", async () => {
  await using cluster = await Cluster.start({ extensions: EXTENSIONS });
  // printf 'SecretProviderClassName=db;password=one' | sha1sum
  const stamped = (name: string, value: string): void =>
    deployMounting(cluster, name, { [`${STAKATER}/auto`]: 'true' }, [
      { name: 'STAKATER_DB_SECRETPROVIDERCLASS', value },
    ]);
  stamped('same', '5cb7400edb8c0ed6df7be7bf5d4eb201a129d653');
  mount(cluster, 'zero', 'a', 'b');
  rotate(cluster, 'one', 'a', 'b');
  const reloader = await cluster.reloader(FLAGS);
  await cluster.settled(reloader);
  assert.equal(rollouts(cluster, 'same'), 0);
  assert.ok(entryOf(cluster));
});

test('without these kinds nothing is asked but what discovery asks, and a finding says that a word has no effect', async () => {
  await using cluster = await Cluster.start();
  deployMounting(cluster, 'web', { [`secretproviderclass.${STAKATER}/auto`]: 'true' });
  await pair(cluster, 'marker');
  const reloader = await cluster.reloader(FLAGS);
  await mark(cluster);
  await cluster.settled(reloader);
  const asked = cluster.arrived.filter((request) => /secrets-store|apis$/.test(request));
  assert.deepEqual(asked, ['GET /apis/secrets-store.csi.x-k8s.io/v1', 'GET /apis']);
  assert.ok(reloader.says(/secretproviderclass.reloader.stakater.com\/auto has no effect now/));
});
