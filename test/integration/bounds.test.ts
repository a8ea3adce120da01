/** A tenant whose annotations are as large as the API server allows: everybody else is served as if they were not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from './harness.ts';
import { configMap, deploy, pair, put } from './manifests.ts';

/** As people run it. */
const INFO = ['--log-level', 'info'];
const NAMES = 20_000;

test('an annotation with 20,000 names stops no one: the log and the Events stay short, others are rolled', async () => {
  await using cluster = await Cluster.start();
  const other = await pair(cluster, 'other');
  const names = Array.from({ length: NAMES }, (_, index) => `cm-${String(index).padStart(5, '0')}`);
  const reloader = await cluster.reloader({ flags: INFO });
  deploy(cluster, 'greedy', { follows: {} });
  cluster.sandbox.patch('deployments', 'default', 'greedy', {
    metadata: { annotations: { 'reloader.k8s.collaborne.com/configmap': names.join() } },
  });
  put(cluster, configMap('cm-00000'), 'one');
  const events = (): readonly string[] =>
    cluster.sandbox
      .list('events')
      .filter(({ involvedObject }) => (involvedObject as { name?: string }).name === 'greedy')
      .map(({ reason }) => String(reason))
      .sort();
  const probes: number[] = [];
  let isOver = false;
  const probing = (async (): Promise<void> => {
    while (!isOver) probes.push((await reloader.page('/healthz')).status);
  })();
  for (const [round, value] of ['two', 'three', 'four'].entries()) {
    // Each makes all of its names be looked at again.
    cluster.sandbox.patch('deployments', 'default', 'greedy', {
      metadata: { annotations: { round: value } },
    });
    put(cluster, configMap('other'), value);
    await cluster.until('the other one is rolled', () => cluster.rollouts(other) === round + 1);
  }
  put(cluster, configMap('cm-00000'), 'two');
  const greedy = { kind: 'Deployment', namespace: 'default', name: 'greedy' };
  await cluster.until('it is rolled itself', () => cluster.rollouts(greedy) === 1);
  await cluster.until('all that was to be told of it is told', () => events().length === 3);
  await cluster.settled(reloader);
  isOver = true;
  await probing;
  assert.deepEqual([...new Set(probes)], [200]);
  assert.deepEqual(events(), ['MalformedAnnotation', 'ObjectMissing', 'Reloaded']);
  assert.ok(reloader.log.length < 100_000, `${reloader.log.length} bytes of log`);
  const status = await reloader.status();
  const row = status.workloads.find(({ workload }) => workload === 'Deployment/greedy');
  assert.equal(row?.follows.length, 1_000);
});
