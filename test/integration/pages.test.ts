/** The pages on the port, and what must never be on them or in the log. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { METRICS } from '../../lib/telemetry/metric-table.ts';
import { objectOf } from '../sandbox/json.ts';
import { Cluster } from './harness.ts';
import { configMap, deploy, pair, put } from './manifests.ts';

describe('the pages', { concurrency: 4 }, () => {
  test('/metrics is the text format of Prometheus, with every metric and its zeros from the start', async () => {
    await using cluster = await Cluster.start();
    const reloader = await cluster.reloader();
    const { status, type, text } = await reloader.page('/metrics');
    assert.equal(status, 200);
    assert.match(type, /^text\/plain; version=0\.0\.4/);
    const sample = /^[a-z0-9_]+(\{([a-z_]+="[^"]*",?)+\})? -?[\d.e+-]+(Inf)?$/;
    const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    assert.deepEqual(
      samples.filter((line) => !sample.test(line)),
      [],
    );
    const onRequest = 'reloader_reload_executed_total_by_namespace';
    assert.ok(!text.includes(onRequest));
    for (const { name, type: kind } of METRICS.filter((row) => row.name !== onRequest)) {
      assert.ok(text.includes(`# TYPE ${name} ${kind}\n`), name);
      assert.ok(
        samples.some((line) => line.startsWith(name)),
        name,
      );
    }
    assert.ok(text.includes('reloader_rollouts_total{kind="StatefulSet",outcome="refused"} 0\n'));
    assert.ok(text.includes('reloader_changes_total{kind="Secret",type="updated"} 0\n'));
    assert.ok(text.includes('process_resident_memory_bytes'));
  });

  test('/metrics counts what happened', async () => {
    await using cluster = await Cluster.start();
    const web = await pair(cluster, 'web');
    const reloader = await cluster.reloader({ env: { METRICS_COUNT_BY_NAMESPACE: 'enabled' } });
    put(cluster, configMap('web'), 'two');
    await cluster.podsAreCurrent(web);
    await cluster.settled(reloader);
    const want: Record<string, number> = {
      'reloader_reload_executed_total{success="true"}': 1,
      'reloader_reload_executed_total{success="false"}': 0,
      'reloader_reload_executed_total_by_namespace{success="true",namespace="default"}': 1,
      'reloader_rollouts_total{kind="Deployment",outcome="rolled"}': 1,
      'reloader_changes_total{kind="ConfigMap",type="updated"}': 1,
      'reloader_workloads{kind="Deployment"}': 1,
      'reloader_watch_up{kind="Secret"}': 1,
      'reloader_api_requests_total{verb="patch",resource="deployments",code="200"}': 1,
      reloader_edges: 1,
      reloader_outdated_edges: 0,
      reloader_oldest_outdated_edge_age_seconds: 0,
      reloader_state_entries: 1,
      reloader_changes_per_rollout_sum: 1,
      reloader_change_to_rollout_seconds_count: 1,
      reloader_patch_duration_seconds_count: 1,
    };
    const found = await Promise.all(
      Object.keys(want).map(async (series) => [series, await reloader.metric(series)]),
    );
    assert.deepEqual(Object.fromEntries(found), want);
    assert.ok(((await reloader.metric('reloader_commits_total{result="accepted"}')) ?? 0) >= 2);
    assert.ok(((await reloader.metric('reloader_change_to_rollout_seconds_sum')) ?? 0) >= 0.09);
  });

  test('show no value of a ConfigMap or Secret, and neither do the log, the state, Events and stamps', async () => {
    await using cluster = await Cluster.start();
    const secret = { kind: 'Secret', namespace: 'default', name: 'web' } as const;
    put(cluster, secret, 'hush-hush-1');
    put(cluster, configMap('web'), 'hush-hush-1');
    const web = deploy(cluster, 'web', { follows: { ConfigMap: ['web'], Secret: ['web'] } });
    await cluster.podsAreCurrent(web);
    put(cluster, { ...secret, name: 'release' }, 'hush-hush-1', 'helm.sh/release.v1');
    deploy(cluster, 'release', { follows: { Secret: ['release'] } });
    const reloader = await cluster.reloader();
    await reloader.hasSaid(/Secret\/release not found, or of a type that is not watched/);
    const match = { resource: 'deployments', userAgent: 'kubernetes-reloader' };
    cluster.sandbox.addFault({ match, effect: { kind: 'status', code: 500 }, times: 2 });
    cluster.sandbox.disturbWatches({ resource: 'secrets' }, { kind: 'garbage' });
    put(cluster, secret, 'hush-hush-2');
    put(cluster, configMap('web'), 'hush-hush-2');
    cluster.sandbox.disturbWatches({ resource: 'configmaps' }, { kind: 'truncated' });
    await cluster.podsAreCurrent(web);
    await cluster.settled(reloader);
    const pages = await Promise.all(
      ['/metrics', '/', '/status.json', '/readyz'].map((page) => reloader.page(page)),
    );
    await reloader.stop();
    const written = cluster.writes().map(({ body }) => body);
    const everything = JSON.stringify([reloader.log, pages, written, cluster.state()]);
    assert.match(everything, /Deployment\/web rolled: \d source/);
    const secretOfKeys = cluster.sandbox.get('secrets', 'default', 'reloader-state-key');
    const values = Object.values(objectOf(secretOfKeys?.['data'])).map(String);
    const keys = values.filter((value) => Buffer.from(value, 'base64').length === 32);
    assert.equal(keys.length, 1);
    const told = JSON.stringify([reloader.log, pages, cluster.state()]);
    for (const key of keys) assert.ok(!told.includes(key), 'a key of the digests');
    const encoded = [1, 2].map((i) => Buffer.from(`hush-hush-${i}`).toString('base64'));
    for (const value of ['hush', ...encoded]) assert.ok(!everything.includes(value), value);
  });
});
