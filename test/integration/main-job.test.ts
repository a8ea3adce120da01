/** The main job: what changed is rolled once, and nothing else is. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConfigKind } from '../../lib/model/object-ref.ts';
import { KEYED } from '../digests.ts';
import { objectOf } from '../sandbox/json.ts';
import { Cluster, entriesIn, resourceOf, stampsOf } from './harness.ts';
import { configMap, deploy, mark, pair, put } from './manifests.ts';
import { digestIn } from './reloader-process.ts';

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
        assert.match(stamp ?? '', new RegExp(`^${KEYED}\\.\\d+$`));
        assert.equal(digestIn(cluster.state()[`v1.${configKind}_web`]), digestIn(stamp));
        assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
      });
    }
  }

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
    assert.deepEqual(cluster.entries(), ['one_v1.ConfigMap_web', 'two_v1.ConfigMap_web']);
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
    assert.deepEqual(entriesIn(objectOf(state)), ['one_v1.ConfigMap_web', 'v1.ConfigMap_web']);
    assert.deepEqual(cluster.state(), {});
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
});
