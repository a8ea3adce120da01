/** What of the scope is watched: namespaces that are left out, objects that are chosen by their labels. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WorkloadRef } from '../../lib/model/object-ref.ts';
import { Cluster, type ClusterOptions } from './harness.ts';
import { configMap, deployment, mark, pair, put } from './manifests.ts';
import type { ReloaderProcess } from './reloader-process.ts';

const NAMESPACES: ClusterOptions = { namespaces: ['default', 'one', 'two'] };
const FORBIDDEN = { kind: 'status', code: 403 } as const;
const ONE = deployment('web', 'one');
const TWO = deployment('web', 'two');
const WEB = deployment('web');

/** Gives labels to an object of the namespace `default`; null takes one away. */
function label({ sandbox }: Cluster, name: string, labels: Readonly<Record<string, string | null>>): void {
  sandbox.patch('configmaps', 'default', name, { metadata: { labels } });
}

async function change(cluster: Cluster, ref: WorkloadRef, value: string): Promise<void> {
  const before = cluster.rollouts(ref);
  put(cluster, configMap(ref.name, ref.namespace), value);
  await cluster.until(`${ref.namespace}/${ref.name} is rolled`, () => cluster.rollouts(ref) > before);
}

describe('with --namespaces-to-ignore', { concurrency: 2 }, () => {
  const flags = ['--all-namespaces', '--namespaces-to-ignore', 'two'];

  test('nothing of such a namespace is listed, watched or rolled, and without it all is', async () => {
    await using cluster = await Cluster.start(NAMESPACES);
    for (const namespace of ['one', 'two']) await pair(cluster, 'web', namespace);
    const reloader = await cluster.reloader({ flags });
    assert.ok(reloader.says(/watches all namespaces except two \(--all-namespaces\)/));
    put(cluster, configMap('web', 'two'), 'two');
    await change(cluster, ONE, 'two');
    await cluster.settled(reloader);
    assert.equal(cluster.rollouts(TWO), 0);
    assert.deepEqual(Object.keys(cluster.state()), ['one_v1.ConfigMap_web']);
    const streams = cluster.arrived.filter((request) => /allowWatchBookmarks|limit=500/.test(request));
    assert.ok(streams.length >= 10);
    for (const request of streams) assert.match(decodeURIComponent(request), /metadata\.namespace!=two/);
    await reloader.stop();
    await cluster.reloader({ flags: ['--all-namespaces'] });
    await change(cluster, TWO, 'three');
  });

  test('what is owed there is remembered', async () => {
    await using cluster = await Cluster.start(NAMESPACES);
    for (const namespace of ['one', 'two']) await pair(cluster, 'web', namespace);
    const first = await cluster.reloader({ flags: ['--all-namespaces'] });
    const match = { verb: 'patch', resource: 'deployments', namespace: 'two' } as const;
    const allow = cluster.sandbox.addFault({ match, times: 'always', effect: FORBIDDEN });
    put(cluster, configMap('web', 'two'), 'two');
    const key = 'two_ran.Deployment_web';
    await cluster.until('it is recorded as owed', () => cluster.state()[key] !== undefined);
    await first.stop();
    allow();
    const second = await cluster.reloader({ flags });
    await change(cluster, ONE, 'two');
    await cluster.settled(second);
    await second.stop();
    assert.ok(cluster.state()[key] !== undefined);
    assert.equal(cluster.rollouts(TWO), 0);
    const third = await cluster.reloader({ flags: ['--all-namespaces'] });
    await cluster.settled(third);
    assert.equal(cluster.rollouts(TWO), 1);
  });
});

describe('with --resource-label-selector', { concurrency: 2 }, () => {
  const start = async (cluster: Cluster): Promise<ReloaderProcess> => {
    for (const name of ['web', 'marker']) await pair(cluster, name);
    for (const name of ['web', 'marker']) label(cluster, name, { team: 'a' });
    return await cluster.reloader({ flags: ['--namespace=default', '--resource-label-selector=team:a'] });
  };
  const findingsOf = async (reloader: ReloaderProcess): Promise<string> => {
    const { workloads } = await reloader.status();
    return JSON.stringify(workloads.find(({ workload }) => workload === 'Deployment/web')?.findings);
  };

  test('what loses its label rolls nothing, and is compared when it is back', async () => {
    await using cluster = await Cluster.start();
    const reloader = await start(cluster);
    await change(cluster, WEB, 'two');
    await cluster.settled(reloader);
    label(cluster, 'web', { team: null });
    await reloader.hasSaid(/ConfigMap\/web is gone, or its labels are not those that are watched/);
    put(cluster, configMap('web'), 'three');
    await mark(cluster);
    assert.equal(cluster.rollouts(WEB), 1);
    await cluster.until('it is told why', async () =>
      (await findingsOf(reloader)).includes('unselected-object'),
    );
    assert.doesNotMatch(await findingsOf(reloader), /does not exist/);
    label(cluster, 'web', { team: 'a' });
    await cluster.until('it is rolled', () => cluster.rollouts(WEB) === 2);
    await cluster.settled(reloader);
    assert.equal(await findingsOf(reloader), '[]');
    label(cluster, 'web', { team: null });
    label(cluster, 'web', { team: 'a' });
    await mark(cluster);
    assert.equal(cluster.rollouts(WEB), 2, 'the content is the same');
  });

  test('a change of content while the label was away is owed over a restart', async () => {
    await using cluster = await Cluster.start();
    const first = await start(cluster);
    label(cluster, 'web', { team: 'b' });
    put(cluster, configMap('web'), 'two');
    await first.stop();
    const flags = ['--namespace=default', '--resource-label-selector=team=a'];
    await cluster.reloader({ flags });
    await mark(cluster);
    assert.equal(cluster.rollouts(WEB), 0);
    label(cluster, 'web', { team: 'a' });
    await cluster.until('it is rolled', () => cluster.rollouts(WEB) === 1);
  });

  test('the state is no worse for not being watched', async () => {
    await using cluster = await Cluster.start();
    const reloader = await start(cluster);
    await mark(cluster);
    await cluster.settled(reloader);
    const before = cluster.state();
    const listed = (): number =>
      cluster.arrived.filter((request) => /\/configmaps\?limit=500/.test(request)).length;
    const lists = listed();
    const expired = { kind: 'error', code: 410 } as const;
    assert.equal(cluster.sandbox.disturbWatches({ resource: 'configmaps' }, expired), 1);
    await cluster.until('it has listed again', () => listed() > lists);
    await mark(cluster);
    await cluster.settled(reloader);
    assert.deepEqual(Object.keys(cluster.state()), Object.keys(before));
    assert.doesNotMatch(reloader.stderr, /state-(damaged|missing|foreign)/);
    cluster.sandbox.remove('configmaps', 'default', 'reloader-state');
    await mark(cluster);
    await cluster.until('it is written again', () => Object.keys(cluster.state()).length === 2);
    await reloader.hasSaid(/state-damaged/);
  });
});
