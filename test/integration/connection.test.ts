/** Servers that are away, credentials that change, rights that are missing. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { Cluster } from './harness.ts';
import { configMap, mark, pair, put } from './manifests.ts';

const OURS = { userAgent: 'kubernetes-reloader' };

describe('the way to the API server', { concurrency: 3 }, () => {
  describe('a server', { concurrency: 3 }, () => {
    test('that is not there yet is waited for: alive, not ready, and at work once it appears', async () => {
      await using cluster = await Cluster.unreachable();
      const web = await pair(cluster, 'web');
      const reloader = cluster.spawn();
      await reloader.hasSaid(/cannot read the state; nothing is rolled until it is read.*ECONNREFUSED/);
      assert.ok(reloader.says(/cannot read the state.*"server":"https?:\/\/127\.0\.0\.1:\d+"/));
      assert.deepEqual(await reloader.page('/readyz'), {
        status: 503,
        type: 'text/plain; charset=utf-8',
        text: 'waiting for: the state\n',
      });
      assert.equal((await reloader.page('/healthz')).status, 200);
      assert.equal((await reloader.status()).isReady, false);
      await cluster.appear();
      await cluster.until('the reloader is ready', () => reloader.isReady());
      await cluster.settled(reloader);
      put(cluster, configMap('web'), 'two');
      await cluster.podsAreCurrent(web);
      assert.equal(cluster.rollouts(web), 1);
    });

    test('that goes away and returns: what changed meanwhile is rolled once', async () => {
      await using cluster = await Cluster.start();
      await pair(cluster, 'marker');
      const web = await pair(cluster, 'web');
      const reloader = await cluster.reloader();
      await cluster.disappear();
      await reloader.hasSaid(/watch of ConfigMap failed, retrying/);
      put(cluster, configMap('web'), 'two');
      assert.equal((await reloader.page('/healthz')).status, 200);
      await cluster.appear();
      await cluster.podsAreCurrent(web);
      await mark(cluster);
      await cluster.settled(reloader);
      assert.equal(cluster.rollouts(web), 1);
    });
  });

  describe('credentials that are replaced are used without a restart', { concurrency: 3 }, () => {
    const places: Record<
      string,
      { flags: string[]; write: (cluster: Cluster, token: string) => Promise<void> }
    > = {
      'from --token-file': {
        flags: ['--token-file', 'token'],
        write: (cluster, token) => writeFile(cluster.file('token'), `${token}\n`),
      },
      'from the kubeconfig': {
        flags: [],
        write: (cluster, token) => cluster.writeKubeconfig(token),
      },
    };
    for (const [place, { flags, write }] of Object.entries(places)) {
      test(place, async () => {
        const tokens = new Set(['token-of-yesterday']);
        await using cluster = await Cluster.start({ tokens });
        await pair(cluster, 'marker');
        const web = await pair(cluster, 'web');
        await write(cluster, 'token-of-yesterday');
        const at = flags.map((flag) => (flag === 'token' ? cluster.file('token') : flag));
        const reloader = await cluster.reloader({ flags: at });
        tokens.add('token-of-today');
        await write(cluster, 'token-of-today');
        tokens.delete('token-of-yesterday');
        cluster.sandbox.disturbWatches({}, { kind: 'cut', how: 'throw' });
        put(cluster, configMap('web'), 'two');
        await cluster.podsAreCurrent(web);
        tokens.clear();
        cluster.sandbox.disturbWatches({}, { kind: 'cut', how: 'throw' });
        await reloader.hasSaid(/Unauthorized/);
        tokens.add('token-of-tomorrow');
        await write(cluster, 'token-of-tomorrow');
        await mark(cluster);
        assert.equal(cluster.rollouts(web), 1);
        assert.ok(!/token-of/.test(reloader.log));
      });
    }
  });

  describe('a right that is missing', { concurrency: 3 }, () => {
    test('and essential: after half a minute the verb, the resource and the rule are said, and it ends with 1', async () => {
      await using cluster = await Cluster.start();
      const web = await pair(cluster, 'web');
      cluster.sandbox.denied.push({ verb: 'patch', resource: 'configmaps' });
      const match = { ...OURS, resource: 'configmaps' };
      for (const verb of ['apply', 'patch'] as const)
        cluster.sandbox.addFault({
          match: { ...match, verb },
          times: 'always',
          effect: { kind: 'status', code: 403 },
        });
      const reloader = cluster.spawn();
      // After half a minute the right counts as missing; the last write of the state is then tried for 20 s.
      await cluster.until('it has ended', () => reloader.exit !== undefined, 80_000);
      assert.deepEqual(reloader.exit, { code: 1, signal: null });
      const error = reloader.lines.find(({ level }) => level === 'error')?.message ?? '';
      assert.match(error, /may not patch configmaps reloader-state in namespace default/);
      assert.match(error, /resourceNames: \[reloader-state, reloader-state-1,/);
      assert.match(error, /verbs: \[get, create, patch\]/);
      assert.equal(cluster.rollouts(web), 0);
    });
  });
});
