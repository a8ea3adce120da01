/** With --namespace-selector: where workloads are rolled follows the labels of the namespaces, live and over restarts. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WorkloadRef } from '../../lib/model/object-ref.ts';
import type { WorkloadStatus } from '../../lib/model/status-report.ts';
import { Cluster, type ClusterOptions, stampsOf } from './harness.ts';
import { configMap, deployment, pair, put } from './manifests.ts';
import type { ReloaderProcess } from './reloader-process.ts';

const NAMESPACES: ClusterOptions = { namespaces: ['default', 'one', 'two'] };
const ONE = deployment('web', 'one');
const TWO = deployment('web', 'two');
const FLAGS = ['--all-namespaces', '--namespace-selector', 'team:a'];
const ENTRY = 'two_v1.ConfigMap_web';

/** One is selected for good. */
async function arrange(): Promise<Cluster> {
  const cluster = await Cluster.start(NAMESPACES);
  for (const namespace of ['one', 'two']) await pair(cluster, 'web', namespace);
  label(cluster, 'one', 'a');
  return cluster;
}

function label({ sandbox }: Cluster, namespace: string, team: string | null): void {
  sandbox.patch('namespaces', undefined, namespace, { metadata: { labels: { team } } });
}

async function start(cluster: Cluster): Promise<ReloaderProcess> {
  const reloader = cluster.spawn({ flags: FLAGS });
  await cluster.until('it is ready', () => reloader.isReady());
  await cluster.until('one has a baseline', () => cluster.state()['one_v1.ConfigMap_web'] !== undefined);
  return reloader;
}

/** Rolls the workload in the namespace that is selected for good: what was due before has happened. */
async function mark(cluster: Cluster, value: string): Promise<void> {
  const before = cluster.rollouts(ONE);
  put(cluster, configMap('web', 'one'), value);
  await cluster.until('the marker is rolled', () => cluster.rollouts(ONE) > before);
}

async function rolled(cluster: Cluster, ref: WorkloadRef, times: number): Promise<void> {
  await cluster.until(`${ref.namespace} is rolled ${times} times`, () => cluster.rollouts(ref) === times);
}

async function statusOf(reloader: ReloaderProcess, namespace: string): Promise<WorkloadStatus | undefined> {
  return (await reloader.status()).workloads.find((workload) => workload.namespace === namespace);
}

describe('a namespace', { concurrency: 2 }, () => {
  test('that never was selected rolls nothing, begins nothing, and is not rolled for being selected', async () => {
    await using cluster = await arrange();
    const reloader = await start(cluster);
    put(cluster, configMap('web', 'two'), 'two');
    await reloader.hasSaid(/ConfigMap\/web changed: nothing rolled .* its namespace is not selected/);
    await mark(cluster, 'two');
    assert.deepEqual(Object.keys(cluster.state()), ['one_v1.ConfigMap_web']);
    assert.deepEqual((await statusOf(reloader, 'two'))?.follows[0]?.policy, {
      asks: false,
      because: 'unselected',
    });
    label(cluster, 'two', 'a');
    await cluster.until('it has a baseline', () => cluster.state()[ENTRY] !== undefined);
    await mark(cluster, 'three');
    assert.equal(cluster.rollouts(TWO), 0);
    put(cluster, configMap('web', 'two'), 'three');
    await rolled(cluster, TWO, 1);
  });

  test('that is deselected forgets nothing: what changes there is rolled once it is selected again', async () => {
    await using cluster = await arrange();
    label(cluster, 'two', 'a');
    const reloader = await start(cluster);
    put(cluster, configMap('web', 'two'), 'two');
    await rolled(cluster, TWO, 1);
    label(cluster, 'two', 'b');
    await reloader.hasSaid(/namespace two is not selected any more/);
    put(cluster, configMap('web', 'two'), 'three');
    await reloader.hasSaid(/ConfigMap\/web changed: Deployment\/web not before the namespace is selected/);
    await mark(cluster, 'two');
    assert.equal(cluster.rollouts(TWO), 1);
    const { isOutdated, waitsFor } = (await statusOf(reloader, 'two')) ?? {};
    assert.deepEqual([isOutdated, waitsFor], [true, 'selection']);
    assert.match((await reloader.page('/')).text, /Its namespace is not selected/);
    label(cluster, 'two', 'a');
    await rolled(cluster, TWO, 2);
    await cluster.settled(reloader);
    assert.ok(reloader.says(/what was held back is rolled, its namespace being selected/));
  });

  test('is remembered over a restart while it is not selected', async () => {
    await using cluster = await arrange();
    label(cluster, 'two', 'a');
    const first = await start(cluster);
    await cluster.until('it has a baseline', () => cluster.state()[ENTRY] !== undefined);
    const baseline = cluster.state()[ENTRY];
    await first.stop();
    label(cluster, 'two', null);
    put(cluster, configMap('web', 'two'), 'two');
    const second = await start(cluster);
    await mark(cluster, 'two');
    await second.kill();
    assert.equal(cluster.rollouts(TWO), 0);
    assert.ok(baseline !== undefined && cluster.state()[ENTRY] !== undefined);
    const third = await start(cluster);
    await mark(cluster, 'three');
    assert.equal(cluster.rollouts(TWO), 0);
    label(cluster, 'two', 'a');
    await rolled(cluster, TWO, 1);
    await cluster.settled(third);
    assert.equal(Object.keys(stampsOf(cluster, TWO)).length, 1);
  });

  test('that comes later is served if it has the label', async () => {
    await using cluster = await arrange();
    const reloader = await start(cluster);
    cluster.sandbox.create('namespaces', { metadata: { name: 'late', labels: { team: 'a' } } });
    const late = await pair(cluster, 'web', 'late');
    await cluster.until('it has a baseline', () => cluster.state()['late_v1.ConfigMap_web'] !== undefined);
    put(cluster, configMap('web', 'late'), 'two');
    await rolled(cluster, late, 1);
    await reloader.hasSaid(/namespace late is selected from now on/);
  });
});

test('nothing is decided before the namespaces are listed, and what is missing for it is said', async () => {
  await using cluster = await arrange();
  await (await start(cluster)).stop();
  put(cluster, configMap('web', 'one'), 'two');
  const match = { verb: 'list', resource: 'namespaces' } as const;
  const open = cluster.sandbox.addFault({ match, times: 'always', effect: { kind: 'status', code: 403 } });
  const reloader = cluster.spawn({ flags: FLAGS });
  await cluster.until('all else is listed', async () => {
    const { waitingFor } = await reloader.status();
    return waitingFor.length === 1 && waitingFor[0] === 'the list of Namespace';
  });
  assert.equal((await reloader.page('/readyz')).status, 503);
  await cluster.until(
    'the change is known',
    async () => (await statusOf(reloader, 'one'))?.isOutdated === true,
  );
  assert.equal((await statusOf(reloader, 'one'))?.waitsFor, 'selection');
  assert.equal(cluster.rollouts(ONE), 0);
  open();
  await cluster.until('one is rolled', () => cluster.rollouts(ONE) === 1, 40_000);
});
