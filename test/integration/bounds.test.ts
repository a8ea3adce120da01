/** A tenant whose annotations are as large as the API server allows, or whose writes are slow: everybody else is served as before. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkloadRef } from '../../lib/model/object-ref.ts';
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

const SLOW_MS = 5_000;

/** A namespace whose admission webhook takes five seconds for each write of its Deployments, which follow one ConfigMap. */
async function slowTenant(cluster: Cluster, namespace: string, count = 12): Promise<readonly WorkloadRef[]> {
  put(cluster, configMap('shared', namespace), 'one');
  const parts = { namespace, follows: { ConfigMap: ['shared'] } };
  const refs = Array.from({ length: count }, (_, index) => deploy(cluster, `slow-${index}`, parts));
  await cluster.podsAreCurrent(...refs);
  const match = { verb: 'patch', resource: 'deployments', namespace } as const;
  cluster.sandbox.addFault({ match, times: 'always', effect: { kind: 'latency', ms: SLOW_MS } });
  return refs;
}

/** How many patches of Deployments have arrived from a namespace. */
function patchesIn({ arrived }: Cluster, namespace: string): number {
  return arrived.filter((call) => call.startsWith(`PATCH /apis/apps/v1/namespaces/${namespace}/`)).length;
}

/** Changes what a workload follows; answers in how many ms it is rolled. */
async function rollMs(cluster: Cluster, ref: WorkloadRef): Promise<number> {
  put(cluster, configMap(ref.name, ref.namespace), 'two');
  const startedAt = performance.now();
  await cluster.until('the calm one is rolled', () => cluster.rollouts(ref) === 1);
  return performance.now() - startedAt;
}

test('two tenants whose writes are slow stop no one, and leave workers idle for others', async () => {
  await using cluster = await Cluster.start({ namespaces: ['calm', 'one', 'two'] });
  const calm = await pair(cluster, 'calm', 'calm');
  const slow = [...(await slowTenant(cluster, 'one')), ...(await slowTenant(cluster, 'two'))];
  const flags = ['--namespace=calm,one,two', '--state-namespace=calm', '--max-concurrent-patches=8'];
  const reloader = await cluster.reloader({ flags });
  put(cluster, configMap('shared', 'one'), 'two');
  await cluster.until('half of the workers are taken', () => patchesIn(cluster, 'one') === 4);
  put(cluster, configMap('shared', 'two'), 'two');
  await cluster.until('half of the others are taken', () => patchesIn(cluster, 'two') === 2);
  const ms = await rollMs(cluster, calm);
  assert.ok(ms < SLOW_MS / 2, `${ms} ms`);
  assert.deepEqual([patchesIn(cluster, 'one'), patchesIn(cluster, 'two')], [4, 2]);
  cluster.sandbox.clearFaults();
  await cluster.settled(reloader);
  for (const ref of slow) assert.equal(cluster.rollouts(ref), 1);
});

test('with more workers than there are usually requests, slow writes leave requests to others', async () => {
  await using cluster = await Cluster.start({ namespaces: ['calm', 'one'] });
  const calm = await pair(cluster, 'calm', 'calm');
  await slowTenant(cluster, 'one', 140);
  const flags = ['--namespace=calm,one', '--state-namespace=calm', '--max-concurrent-patches=400'];
  await cluster.reloader({ flags });
  put(cluster, configMap('shared', 'one'), 'two');
  await cluster.until('as many as usual are under way', () => patchesIn(cluster, 'one') >= 128);
  const ms = await rollMs(cluster, calm);
  assert.ok(ms < SLOW_MS / 2, `${ms} ms`);
});

test('a namespace that is watched alone takes all workers', async () => {
  await using cluster = await Cluster.start({ namespaces: ['one'] });
  await slowTenant(cluster, 'one');
  await cluster.reloader({ flags: ['--namespace=one', '--max-concurrent-patches=8'] });
  put(cluster, configMap('shared', 'one'), 'two');
  await cluster.until('all workers are taken', () => patchesIn(cluster, 'one') === 8);
});
