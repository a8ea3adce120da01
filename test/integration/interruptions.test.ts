/** Ends at every moment, and two at once: work is repeated or handed on, never lost and never done twice. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Cluster, stampsOf } from './harness.ts';
import { configMap, deploy, deployment, mark, pair, put } from './manifests.ts';

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
    assert.equal(cluster.state()['v1.ConfigMap_web'], stampsOf(cluster, web)['_RELOADER_CONFIGMAP_WEB']);
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
    await cluster.until('the commit is under way', () => commits() > before);
    assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
    assert.equal(cluster.state()['v1.ConfigMap_web'], stampsOf(cluster, web)['_RELOADER_CONFIGMAP_WEB']);
    assert.equal(commits(), before + 1);
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
    await reloader.hasSaid(/the state cannot be read/);
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

  test('while the state is read and nobody answers: it ends at once with 0', async () => {
    await using cluster = await Cluster.start();
    cluster.sandbox.addFault(SILENCE);
    const reloader = cluster.spawn();
    const hasAsked = (): boolean => cluster.arrived.some((line) => /configmaps\/reloader-state/.test(line));
    await cluster.until('it asked for the state', hasAsked);
    assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
    assert.ok(!reloader.says(/the API server does not answer/), 'it did not wait for it');
  });

  test('while nothing is answered any more: it ends with 0 in time, and has asked for nothing after its last word', async () => {
    await using cluster = await Cluster.start();
    await pair(cluster, 'web');
    const reloader = await cluster.reloader();
    cluster.sandbox.addFault(SILENCE);
    put(cluster, configMap('web'), 'two');
    const isUnderWay = (): boolean => cluster.arrived.some((line) => /^PATCH .*deployments\/web/.test(line));
    await cluster.until('the patch is under way', isUnderWay);
    const toldAt = Date.now();
    reloader.terminate();
    await cluster.until('it says that it stops', () => reloader.says(/"stopped"/), GRACE_MS);
    const asked = cluster.arrived.length;
    assert.deepEqual(await reloader.ended, { code: 0, signal: null });
    assert.ok(Date.now() - toldAt < GRACE_MS);
    assert.equal(cluster.arrived.length, asked);
  });

  test('during a fan-out: what was begun is finished, the rest is left to the next one', async () => {
    await using cluster = await Cluster.start();
    put(cluster, configMap('web'), 'one');
    const refs = Array.from({ length: 8 }, (_, i) =>
      deploy(cluster, `web-${i}`, { follows: { ConfigMap: ['web'] } }),
    );
    await cluster.podsAreCurrent(...refs);
    const reloader = await cluster.reloader({ flags: ['--max-concurrent-patches', '2'] });
    cluster.sandbox.addFault({ match: PATCH, times: 'always', effect: { kind: 'latency', ms: 400 } });
    put(cluster, configMap('web'), 'two');
    await cluster.until('two are patched', () => cluster.patches().length >= 2);
    assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
    const done = refs.filter((ref) => cluster.rollouts(ref) === 1).length;
    assert.ok(done >= 2 && done < 8, `${done}`);
    cluster.sandbox.clearFaults();
    const next = await cluster.reloader();
    await cluster.podsAreCurrent(...refs);
    await cluster.settled(next);
    assert.deepEqual(
      refs.map((ref) => cluster.rollouts(ref)),
      refs.map(() => 1),
    );
  });
});

describe('nothing is lost', { concurrency: 2 }, () => {
  const seeds = [1, 2];
  for (const seed of seeds) {
    test(`by ten kills at random moments while objects change, seed ${seed}`, async () => {
      await using cluster = await Cluster.start();
      const random = randomOf(seed);
      const names = ['a', 'b', 'c'];
      for (const name of names) put(cluster, configMap(name), 'zero');
      const refs = [
        deploy(cluster, 'x', { follows: { ConfigMap: ['a', 'b'] } }),
        deploy(cluster, 'y', { kind: 'StatefulSet', follows: { ConfigMap: ['b', 'c'] } }),
        deploy(cluster, 'z', { kind: 'DaemonSet', follows: { ConfigMap: ['c'] } }),
      ];
      await cluster.podsAreCurrent(...refs);
      await (await cluster.reloader()).kill();
      let changes = 0;
      const ticker = setInterval(() => {
        changes += 1;
        put(cluster, configMap(names[Math.floor(random() * 3)] ?? ''), `change ${changes}`);
      }, 90);
      for (let kill = 0; kill < 10; kill += 1) {
        const reloader = cluster.spawn({ periodMs: 50 });
        // The moment is the point of this test: how long is left to chance, and it need not be long enough for anything.
        await new Promise((resolve) => setTimeout(resolve, 100 + random() * 900));
        await reloader.kill();
      }
      clearInterval(ticker);
      const last = await cluster.reloader();
      await cluster.podsAreCurrent(...refs);
      await cluster.settled(last);
      for (const ref of refs)
        assert.ok(cluster.rollouts(ref) <= changes, `${cluster.rollouts(ref)} of ${changes}`);
    });
  }
});

describe('two reloaders at once', { concurrency: 2 }, () => {
  test('agree on one rollout per change', async () => {
    await using cluster = await Cluster.start();
    const web = await pair(cluster, 'web');
    await pair(cluster, 'marker');
    const first = await cluster.reloader();
    const second = await cluster.reloader();
    for (let change = 1; change <= 4; change += 1) {
      put(cluster, configMap('web'), `change ${change}`);
      await cluster.podsAreCurrent(web);
      await cluster.settled(first);
      await cluster.settled(second);
      assert.equal(cluster.rollouts(web), change);
    }
    await mark(cluster);
    await cluster.settled(first);
    await cluster.settled(second);
    assert.deepEqual([cluster.rollouts(web), cluster.rollouts(deployment('marker'))], [4, 1]);
    assert.equal(cluster.state()['v1.ConfigMap_web'], stampsOf(cluster, web)['_RELOADER_CONFIGMAP_WEB']);
  });

  test('hand over when one of them ends, as in a rolling update', async () => {
    await using cluster = await Cluster.start();
    const web = await pair(cluster, 'web');
    const first = await cluster.reloader({ periodMs: 500 });
    put(cluster, configMap('web'), 'two');
    const second = cluster.spawn({ periodMs: 500 });
    await cluster.until('the second is ready', () => second.isReady());
    await first.stop();
    await cluster.podsAreCurrent(web);
    await cluster.settled(second);
    assert.equal(cluster.rollouts(web), 1);
  });
});

/** Numbers in [0, 1), always the same ones for a seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
