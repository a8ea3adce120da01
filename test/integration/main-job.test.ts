/** The main job: what changed is rolled once, and nothing else is. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConfigKind } from '../../lib/model/object-ref.ts';
import { Cluster, resourceOf, stampsOf } from './harness.ts';
import { configMap, deploy, deployment, mark, pair, put } from './manifests.ts';

describe('a change is one rollout', { concurrency: 4 }, () => {
  const kinds = ['Deployment', 'StatefulSet', 'DaemonSet'];
  const configKinds: readonly ConfigKind[] = ['ConfigMap', 'Secret'];
  for (const kind of kinds) {
    for (const configKind of configKinds) {
      test(`of a ${kind} that follows a ${configKind}`, async () => {
        await using cluster = await Cluster.start();
        const config = { kind: configKind, namespace: 'default', name: 'web' };
        put(cluster, config, 'one');
        const web = deploy(cluster, 'web', { kind, follows: { [configKind]: ['web'] } });
        await cluster.podsAreCurrent(web);
        const reloader = await cluster.reloader();
        put(cluster, config, 'two');
        await cluster.podsAreCurrent(web);
        await cluster.settled(reloader);
        assert.equal(cluster.rollouts(web), 1);
        assert.equal(cluster.patches().length, 1);
        const stamp = stampsOf(cluster, web)[`_RELOADER_${configKind.toUpperCase()}_WEB`];
        assert.match(stamp ?? '', /^[0-9a-f]{40}\.\d+$/);
        assert.equal(cluster.state()[`v1.${configKind}_web`], stamp);
        assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
      });
    }
  }

  test('however many objects changed how often within the window', async () => {
    await using cluster = await Cluster.start();
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) put(cluster, configMap(name), 'one');
    const web = deploy(cluster, 'web', { follows: { ConfigMap: names } });
    await cluster.podsAreCurrent(web);
    const reloader = await cluster.reloader({ periodMs: 500 });
    for (let i = 0; i < 20; i += 1) put(cluster, configMap(names[i % 4] ?? ''), `burst ${i}`);
    await cluster.podsAreCurrent(web);
    await cluster.settled(reloader);
    assert.equal(cluster.patches().length, 1);
    assert.equal(Object.keys(stampsOf(cluster, web)).length, 4);
    assert.ok(reloader.says(/Deployment\/web rolled: 4 sources/));
  });

  test('of every workload that follows the object, in both of two namespaces', async () => {
    await using cluster = await Cluster.start({ namespaces: ['default', 'one', 'two', 'three'] });
    const refs = await Promise.all(
      ['one', 'two', 'three'].map((namespace) => pair(cluster, 'web', namespace)),
    );
    const [one, two, three] = refs;
    assert.ok(one && two && three);
    const reloader = await cluster.reloader({ flags: ['--namespace', 'one,two'] });
    assert.ok(reloader.says(/watches namespaces one, two \(--namespace\)/));
    for (const { namespace } of refs) put(cluster, configMap('web', namespace), 'two');
    await cluster.podsAreCurrent(one, two);
    await cluster.settled(reloader);
    assert.deepEqual(
      refs.map((ref) => cluster.rollouts(ref)),
      [1, 1, 0],
    );
    assert.deepEqual(Object.keys(cluster.state()).sort(), ['one_v1.ConfigMap_web', 'two_v1.ConfigMap_web']);
    assert.ok(!cluster.audits.some(({ namespace }) => namespace === 'three'));
  });

  test('in all namespaces, with the state where it was asked to be', async () => {
    await using cluster = await Cluster.start({ namespaces: ['default', 'one', 'two'] });
    const refs = await Promise.all(['one', 'two'].map((namespace) => pair(cluster, 'web', namespace)));
    const reloader = await cluster.reloader({
      flags: ['-A', '--state-namespace', 'two', '--configmap', 'memory'],
    });
    for (const { namespace } of refs) put(cluster, configMap('web', namespace), 'two');
    await cluster.podsAreCurrent(...refs);
    await cluster.settled(reloader);
    assert.deepEqual(
      refs.map((ref) => cluster.rollouts(ref)),
      [1, 1],
    );
    const state = cluster.sandbox.get('configmaps', 'two', 'memory')?.['data'] ?? {};
    assert.deepEqual(Object.keys(state).sort(), ['one_v1.ConfigMap_web', 'v1.ConfigMap_web']);
    assert.deepEqual(cluster.state(), {});
  });

  test('for names in alternative annotations too', async () => {
    await using cluster = await Cluster.start();
    const annotations = { ConfigMap: 'example.com/maps', Secret: 'example.com/secrets' };
    const secret = { kind: 'Secret', namespace: 'default', name: 's' } as const;
    put(cluster, secret, 'one');
    put(cluster, configMap('m'), 'one');
    const web = deploy(cluster, 'web', { annotations, follows: { ConfigMap: ['m'], Secret: ['s'] } });
    await cluster.podsAreCurrent(web);
    const flags = Object.entries(annotations).flatMap(([kind, key]) => [
      `--alternative-${kind.toLowerCase()}-annotation`,
      `example.com/other,${key}`,
    ]);
    const reloader = await cluster.reloader({ flags });
    put(cluster, secret, 'two');
    put(cluster, configMap('m'), 'two');
    await cluster.podsAreCurrent(web);
    await cluster.settled(reloader);
    assert.equal(cluster.rollouts(web), 1);
  });

  test('also of what changed while no reloader ran', async () => {
    await using cluster = await Cluster.start();
    const web = await pair(cluster, 'web');
    await (await cluster.reloader()).stop();
    put(cluster, configMap('web'), 'two');
    const next = await cluster.reloader();
    await cluster.podsAreCurrent(web);
    await cluster.settled(next);
    assert.equal(cluster.rollouts(web), 1);
  });
});

describe('nothing is rolled', { concurrency: 4 }, () => {
  test('at the first start, at a restart, or for a workload that comes or opts in', async () => {
    await using cluster = await Cluster.start();
    await pair(cluster, 'marker');
    const old = await pair(cluster, 'old');
    const silent = deploy(cluster, 'silent', { follows: {} });
    const first = await cluster.reloader();
    await first.hasSaid(/Deployment\/old follows ConfigMap\/old \(baseline [0-9a-f]{4}…; nothing rolled\)/);
    await mark(cluster);
    await first.stop();
    await cluster.reloader();
    const young = await pair(cluster, 'young');
    const annotations = { 'reloader.k8s.collaborne.com/configmap': 'old' };
    cluster.sandbox.patch(resourceOf(silent.kind), 'default', 'silent', { metadata: { annotations } });
    await mark(cluster);
    assert.deepEqual(
      [old, young, silent].map((ref) => cluster.rollouts(ref)),
      [0, 0, 0],
    );
  });

  test('for what changed back within the window', async () => {
    await using cluster = await Cluster.start();
    await pair(cluster, 'marker');
    const web = await pair(cluster, 'web');
    const reloader = await cluster.reloader({ periodMs: 400 });
    // In one turn: each is told by itself, however busy the machine is.
    put(cluster, configMap('web'), 'two');
    put(cluster, configMap('web'), 'one');
    await reloader.hasSaid(/ConfigMap\/web changed: Deployment\/web in/);
    await reloader.hasSaid(/ConfigMap\/web changed back: nothing left to roll for Deployment\/web/);
    await mark(cluster);
    assert.equal(cluster.rollouts(web), 0);
  });

  test('for metadata, for an object nobody follows, for a deletion and the return of the same content', async () => {
    await using cluster = await Cluster.start();
    await pair(cluster, 'marker');
    const web = await pair(cluster, 'web');
    await cluster.reloader();
    cluster.sandbox.patch('configmaps', 'default', 'web', { metadata: { labels: { a: 'b' } } });
    put(cluster, configMap('nobody'), 'one');
    put(cluster, configMap('nobody'), 'two');
    await mark(cluster);
    cluster.sandbox.remove('configmaps', 'default', 'web');
    await mark(cluster);
    put(cluster, configMap('web'), 'one');
    await mark(cluster);
    assert.equal(cluster.rollouts(web), 0);
    assert.equal(cluster.rollouts(deployment('marker')), 3);
  });
});
