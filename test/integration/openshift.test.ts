/** DeploymentConfigs: those that are paused, deployments that fail, and writes of others. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { STAMPED_AFTER_ANNOTATION } from '../../lib/model/kinds/deployment-config.ts';
import { DeploymentConfigs } from './deployment-configs.ts';
import { Cluster } from './harness.ts';
import { configMap, mark, pair, put } from './manifests.ts';
import { hasDoubt } from './reloader-process.ts';

const ON = ['--is-openshift=true'];
const STAMP = '_RELOADER_CONFIGMAP_WEB';
const CHANGE = { type: 'ConfigChange' };
const IMAGE = {
  type: 'ImageChange',
  imageChangeParams: { automatic: true, lastTriggeredImage: 'app:1', containerNames: ['app'] },
};

async function clusterOf(): Promise<Cluster> {
  const cluster = await Cluster.start({ extensions: ['deploymentconfigs'] });
  await pair(cluster, 'marker');
  return cluster;
}

/** A DeploymentConfig whose first deployment is complete, and the ConfigMap that it follows. */
async function deploy(
  cluster: Cluster,
  imitated: DeploymentConfigs,
  spec: object,
  name = 'web',
): Promise<void> {
  put(cluster, configMap(name), 'one');
  cluster.sandbox.create('deploymentconfigs', {
    metadata: { name, namespace: 'default', annotations: { 'reloader.k8s.collaborne.com/configmap': name } },
    spec: {
      replicas: 2,
      selector: { app: name },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'app', image: 'app:1', envFrom: [{ configMapRef: { name } }] }] },
      },
      ...spec,
    },
  });
  await cluster.until(`${name} is deployed`, () => imitated.isCurrent(name));
}

/** The patches of a DeploymentConfig that took effect. */
function patches({ audits }: Cluster, name = 'web'): number {
  return audits.filter(
    ({ verb, resource, name: who, before, after }) =>
      verb === 'patch' && resource === 'deploymentconfigs' && who === name && before !== after,
  ).length;
}

const events = ({ sandbox }: Cluster, reason: string): readonly string[] =>
  sandbox
    .list('events')
    .filter((event) => event['reason'] === reason)
    .map((event) => String(event['message'] ?? event['note']));

test('paused: a change is stamped, and rolls once it is resumed', async () => {
  await using cluster = await clusterOf();
  using imitated = new DeploymentConfigs(cluster);
  await deploy(cluster, imitated, {});
  cluster.sandbox.patch('deploymentconfigs', 'default', 'web', { spec: { paused: true } });
  await cluster.reloader({ flags: ON });
  put(cluster, configMap('web'), 'two');
  await cluster.until('an Event tells', () =>
    events(cluster, 'PodsNotReplaced').some((text) => /oc rollout resume dc\/web/.test(text)),
  );
  await mark(cluster);
  assert.equal(imitated.latest('web'), 1);
  cluster.sandbox.patch('deploymentconfigs', 'default', 'web', { spec: { paused: null } });
  await cluster.until('its pods are current', () => imitated.isCurrent('web'));
  assert.equal(patches(cluster), 1);
});

describe('deployments that fail', { concurrency: 2 }, () => {
  for (const fate of ['ProgressDeadlineExceeded', 'RolloutCancelled'] as const) {
    test(`${fate}: it is told, and not tried again before the next change`, async () => {
      await using cluster = await clusterOf();
      using imitated = new DeploymentConfigs(cluster);
      await deploy(cluster, imitated, {});
      const reloader = await cluster.reloader({ flags: ON });
      imitated.fate = fate;
      put(cluster, configMap('web'), 'two');
      await cluster.until('an Event tells', () =>
        events(cluster, 'ReloadGivenUp').some((text) => /failed or was cancelled/.test(text)),
      );
      await mark(cluster);
      assert.deepEqual([imitated.latest('web'), patches(cluster), imitated.reads.get('web')], [2, 1, 'one']);
      assert.ok(!(await reloader.isSettled()), 'it is owed');
      imitated.fate = 'Complete';
      put(cluster, configMap('web'), 'three');
      await cluster.until('its pods are current', () => imitated.isCurrent('web'));
      await cluster.settled(reloader);
      assert.deepEqual([imitated.latest('web'), patches(cluster)], [3, 2]);
      await mark(cluster);
      assert.equal(patches(cluster), 2);
    });
  }

  test('a process that starts beside a failed one remembers that it is owed, and forces nothing', async () => {
    await using cluster = await clusterOf();
    using imitated = new DeploymentConfigs(cluster);
    await deploy(cluster, imitated, {});
    const first = await cluster.reloader({ flags: ON });
    imitated.fate = 'ProgressDeadlineExceeded';
    put(cluster, configMap('web'), 'two');
    await cluster.until('an Event tells', () => events(cluster, 'ReloadGivenUp').length === 1);
    await cluster.until('it is recorded', () => hasDoubt(cluster.state()));
    await first.kill();
    const second = cluster.spawn({ flags: ON });
    await cluster.until('the reloader is ready', () => second.isReady());
    await second.hasSaid(/DeploymentConfig\/web is not rolled/);
    await mark(cluster);
    assert.deepEqual([imitated.latest('web'), patches(cluster)], [2, 1]);
    imitated.fate = 'Complete';
    imitated.retry('web');
    await cluster.until('its pods are current', () => imitated.isCurrent('web'));
    await cluster.settled(second);
    assert.ok(imitated.isCurrent('web'));
  });
});

describe('writes of others', { concurrency: 2 }, () => {
  test('a new image, or a change of the template, after the change brings it: no rollout of ours', async () => {
    await using cluster = await clusterOf();
    using imitated = new DeploymentConfigs(cluster);
    await deploy(cluster, imitated, { triggers: [IMAGE, CHANGE] });
    const reloader = await cluster.reloader({ flags: ON, periodMs: 1000 });
    put(cluster, configMap('web'), 'two');
    imitated.next('web', 'app:2');
    await reloader.hasSaid(
      /DeploymentConfig\/web was rolled by an external writer since ConfigMap\/web changed/,
    );
    put(cluster, configMap('web'), 'three');
    const template = { metadata: { labels: { by: 'helm' } } };
    cluster.sandbox.patch('deploymentconfigs', 'default', 'web', { spec: { template } });
    await cluster.until('its pods are current', () => imitated.isCurrent('web'));
    await cluster.settled(reloader);
    assert.deepEqual([imitated.latest('web'), patches(cluster)], [3, 0]);
  });

  test('the template is new and the version is not: the pods are not taken for new ones', async () => {
    await using cluster = await clusterOf();
    using imitated = new DeploymentConfigs(cluster);
    await deploy(cluster, imitated, { triggers: [CHANGE] });
    const reloader = await cluster.reloader({ flags: ON });
    imitated.triggers = false;
    put(cluster, configMap('web'), 'two');
    await cluster.until('the patch is observed', () => patches(cluster) === 1 && imitated.isAtRest('web'));
    assert.equal(imitated.live('web').metadata.annotations?.[STAMPED_AFTER_ANNOTATION], '1');
    await mark(cluster);
    put(cluster, configMap('web'), 'one');
    put(cluster, configMap('web'), 'two');
    await cluster.until('pods may have read either: one more patch', () => patches(cluster) === 2);
    imitated.triggers = true;
    await cluster.until('its pods are current', () => imitated.isCurrent('web'));
    await cluster.settled(reloader);
  });

  test('twenty changes while image triggers write: none is lost', async () => {
    await using cluster = await clusterOf();
    using imitated = new DeploymentConfigs(cluster);
    await deploy(cluster, imitated, { triggers: [IMAGE, CHANGE] });
    const reloader = await cluster.reloader({ flags: ON, periodMs: 20 });
    for (let round = 1; round <= 20; round += 1) {
      put(cluster, configMap('web'), `content ${round}`);
      if (round % 2 === 0) imitated.next('web', `app:${round}`);
      if (round % 3 === 0) await cluster.until('it is deployed', () => imitated.isAtRest('web'));
    }
    await cluster.until('its pods are current', () => imitated.isCurrent('web'));
    await cluster.settled(reloader);
    assert.ok(imitated.isCurrent('web'));
    assert.ok(patches(cluster) <= 20);
    const committed = cluster.state()['v1.ConfigMap_web'];
    assert.match(committed ?? '', /\./);
    assert.ok(Object.keys(imitated.stamps('web')).every((variable) => variable === STAMP));
  });
});
