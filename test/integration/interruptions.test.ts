/** SIGTERM at every moment: what is under way is finished, and the rest is left to the next process. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Cluster, stampsOf } from './harness.ts';
import { configMap, mark, pair, put } from './manifests.ts';
import { digestIn } from './reloader-process.ts';

const PATCH = { verb: 'patch', resource: 'deployments' } as const;
const SILENCE = { match: {}, times: 'always', effect: { kind: 'hang', effect: false } } as const;
/** What a pod is given to end. */
const GRACE_MS = 30_000;
const STATE_PATCH = /^PATCH .*\/configmaps\/reloader-state/;

describe('SIGTERM', { concurrency: 4 }, () => {
  test('while a patch is under way: the patch and its commit are finished, then it ends with 0', async () => {
    await using cluster = await Cluster.start();
    await pair(cluster, 'marker');
    const web = await pair(cluster, 'web');
    const reloader = await cluster.reloader();
    cluster.sandbox.addFault({ match: PATCH, effect: { kind: 'latency', ms: 1000 } });
    put(cluster, configMap('web'), 'two');
    const isUnderWay = (): boolean => cluster.arrived.some((line) => /^PATCH .*deployments\/web/.test(line));
    await cluster.until('the patch is under way', isUnderWay);
    assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
    assert.equal(cluster.rollouts(web), 1);
    const stamp = stampsOf(cluster, web)['_RELOADER_CONFIGMAP_WEB'];
    assert.equal(digestIn(cluster.state()['v1.ConfigMap_web']), digestIn(stamp));
    assert.ok(reloader.says(/"stopped"/));
    await cluster.reloader();
    await mark(cluster);
    assert.equal(cluster.rollouts(web), 1);
  });

  test('while a commit is under way: the commit is finished', async () => {
    await using cluster = await Cluster.start();
    const web = await pair(cluster, 'web');
    const reloader = await cluster.reloader();
    const commits = (): number => cluster.arrived.filter((line) => STATE_PATCH.test(line)).length;
    const before = commits();
    const match = { verb: 'patch', resource: 'configmaps' } as const;
    cluster.sandbox.addFault({ match, effect: { kind: 'latency', ms: 1000 } });
    put(cluster, configMap('web'), 'two');
    // The first write is that of the mark.
    await cluster.until('the commit is under way', () => commits() > before + 1);
    assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
    const stamp = stampsOf(cluster, web)['_RELOADER_CONFIGMAP_WEB'];
    assert.equal(digestIn(cluster.state()['v1.ConfigMap_web']), digestIn(stamp));
    assert.equal(commits(), before + 2);
  });

  test('while a window is open: it ends at once with 0 and nothing patched, and the next one patches', async () => {
    await using cluster = await Cluster.start();
    const web = await pair(cluster, 'web');
    const reloader = await cluster.reloader({ periodMs: 60_000 });
    put(cluster, configMap('web'), 'two');
    await reloader.hasSaid(/ConfigMap\/web changed: Deployment\/web in 60 s/);
    assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
    assert.equal(cluster.patches().length, 0);
    const next = await cluster.reloader();
    await cluster.podsAreCurrent(web);
    await cluster.settled(next);
    assert.equal(cluster.rollouts(web), 1);
  });

  test('before anything is known, or while nobody answers: it ends with 0', async () => {
    await using cluster = await Cluster.unreachable();
    const reloader = cluster.spawn();
    await reloader.hasSaid(/cannot read the state/);
    assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
    await cluster.appear();
    cluster.sandbox.addFault({
      match: { verb: 'list' },
      times: 'always',
      effect: { kind: 'hang', effect: false },
    });
    const next = cluster.spawn();
    const hasAsked = (): boolean => cluster.arrived.some((line) => /configmaps\?limit/.test(line));
    await cluster.until('it asked for a list', hasAsked);
    assert.deepEqual(await next.stop(), { code: 0, signal: null });
  });

  test('while nothing is answered any more: it ends with 0 in time, and has asked for nothing after its last word', async () => {
    await using cluster = await Cluster.start();
    await pair(cluster, 'web');
    const reloader = await cluster.reloader();
    cluster.sandbox.addFault(SILENCE);
    put(cluster, configMap('web'), 'two');
    const before = cluster.arrived.length;
    const isUnderWay = (): boolean => cluster.arrived.slice(before).some((line) => STATE_PATCH.test(line));
    await cluster.until('the write of the mark is under way', isUnderWay);
    const toldAt = Date.now();
    reloader.terminate();
    await cluster.until('it says that it stops', () => reloader.says(/"stopped"/), GRACE_MS);
    const asked = cluster.arrived.length;
    assert.deepEqual(await reloader.ended, { code: 0, signal: null });
    assert.ok(Date.now() - toldAt < GRACE_MS);
    assert.equal(cluster.arrived.length, asked);
  });
});
