/** The strategy `evict`: older pods go one by one, the workload is never written, and nothing of it is lost by a kill. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WorkloadRef } from '../../lib/model/object-ref.ts';
import { Cluster, resourceOf } from './harness.ts';
import { configMap, deploy, deployment, mark, pair, put } from './manifests.ts';
import { Receiver, status } from './receiver.ts';

const WEB = deployment('web');
const EVICT = { metadata: { annotations: { 'reloader.k8s.collaborne.com/reload-strategy': 'evict' } } };
const ON_DELETE = { spec: { updateStrategy: { type: 'OnDelete' } } };

/** A cluster with the marker, and a workload `web` whose pods run and are evicted after a change. */
async function clusterOf(kind = 'Deployment'): Promise<Cluster> {
  const cluster = await Cluster.start();
  await pair(cluster, 'marker');
  put(cluster, configMap('web'), 'one');
  const ref = deploy(cluster, 'web', { kind });
  const parts = kind === 'DaemonSet' ? { ...EVICT, ...ON_DELETE } : EVICT;
  cluster.sandbox.patch(resourceOf(kind), 'default', 'web', parts);
  await cluster.podsAreCurrent(ref);
  return cluster;
}

/** The names of the pods whose eviction was answered so, in order. */
function evictions({ audits }: Cluster, answer = 201): readonly (string | undefined)[] {
  return audits
    .filter(({ verb, resource, status }) => verb === 'create' && resource === 'pods' && status === answer)
    .map(({ name }) => name);
}

function podNames({ sandbox }: Cluster, ref: WorkloadRef): readonly string[] {
  return sandbox.podsOf(ref).map(({ name }) => name);
}

/** What is created from now on is younger for certain than what was written until now, by times that are to the second. */
async function beYounger(cluster: Cluster): Promise<void> {
  const second = Math.floor(Date.now() / 1000) + 2;
  await cluster.until('two seconds are over', () => Date.now() / 1000 > second);
}

describe('evictions', { concurrency: 2 }, () => {
  for (const kind of ['Deployment', 'DaemonSet']) {
    test(`of a ${kind}: each older pod goes once, and the workload is not written`, async () => {
      const ref = { kind, namespace: 'default', name: 'web' };
      await using cluster = await clusterOf(kind);
      const reloader = await cluster.reloader();
      const older = podNames(cluster, ref);
      put(cluster, configMap('web'), 'two');
      await reloader.hasSaid(new RegExp(`${kind}/web rolled.*${older.length} pods evicted`));
      await cluster.podsAreCurrent(ref);
      await mark(cluster);
      await cluster.settled(reloader);
      assert.deepEqual(evictions(cluster).toSorted(), older.toSorted());
      assert.equal(cluster.rollouts(ref), 0);
      const reloaded = cluster.sandbox.list('events').filter((event) => event['reason'] === 'Reloaded');
      assert.ok(reloaded.some((event) => /evicted/.test(String(event['message'] ?? event['note']))));
    });
  }

  test('are left out in a dry run, and beside a webhook', async () => {
    await using receiver = await Receiver.start(status(202));
    for (const flag of ['--dry-run', `--webhook-url=http://${receiver.host}/`]) {
      await using cluster = await clusterOf();
      const reloader = await cluster.reloader({ flags: [flag] });
      put(cluster, configMap('web'), 'two');
      await cluster.until('the reloader has decided', () =>
        flag === '--dry-run' ? reloader.says(/web would be rolled: 1 source/) : receiver.bodies.length > 0,
      );
      await cluster.settled(reloader);
      assert.deepEqual([evictions(cluster), cluster.rollouts(WEB)], [[], 0]);
    }
  });

  test('wait for a budget that allows none, and hold up no other workload', async () => {
    await using cluster = await clusterOf();
    const reloader = await cluster.reloader();
    const older = podNames(cluster, WEB);
    cluster.sandbox.setBudget(WEB, 2);
    put(cluster, configMap('web'), 'two');
    await cluster.until('the budget allows none', () => evictions(cluster, 429).length > 1);
    await reloader.hasSaid(/0 of 2 older pods evicted: .*disruption budget/);
    await mark(cluster);
    assert.deepEqual(podNames(cluster, WEB), older);
    cluster.sandbox.setBudget(WEB, 1);
    await cluster.podsAreCurrent(WEB);
    await cluster.settled(reloader);
    assert.equal(evictions(cluster).length, 2);
  });

  test('go on after a kill with the pods that are older, and take no younger one', async () => {
    await using cluster = await clusterOf();
    const first = await cluster.reloader();
    const older = podNames(cluster, WEB);
    cluster.sandbox.setRolloutDelay(WEB, 'frozen');
    put(cluster, configMap('web'), 'two');
    await cluster.until('one is evicted', () => evictions(cluster).length === 1);
    await first.kill();
    await beYounger(cluster);
    cluster.sandbox.setRolloutDelay(WEB, undefined);
    await cluster.until('its successor runs', () =>
      cluster.sandbox.podsOf(WEB).some(({ name, phase }) => !older.includes(name) && phase === 'Running'),
    );
    await cluster.reloader();
    await cluster.podsAreCurrent(WEB);
    await mark(cluster);
    assert.deepEqual(evictions(cluster).toSorted(), older.toSorted());
    assert.equal(cluster.rollouts(WEB), 0);
  });

  test('are in doubt after a kill even if the content is what it was: the younger pod goes, too', async () => {
    await using cluster = await clusterOf();
    const first = await cluster.reloader();
    cluster.sandbox.setBudget(WEB, 1);
    cluster.sandbox.setRolloutDelay(WEB, 'frozen');
    put(cluster, configMap('web'), 'two');
    await cluster.until('one is evicted', () => evictions(cluster).length === 1);
    cluster.sandbox.setRolloutDelay(WEB, undefined);
    await cluster.until('its successor runs', () => cluster.sandbox.podsOf(WEB).length === 2);
    await first.kill();
    put(cluster, configMap('web'), 'one');
    await cluster.reloader();
    await cluster.podsAreCurrent(WEB);
    await mark(cluster);
    assert.equal(cluster.rollouts(WEB), 0);
  });
});
