/** A state that is too large for one ConfigMap, at its real size. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkloadRef } from '../../lib/model/object-ref.ts';
import { Cluster } from './harness.ts';
import { configMap, deployment, put } from './manifests.ts';

const SHARDS_ANNOTATION = 'reloader.k8s.collaborne.com/state-shards';
const LIMIT = 256 * 1024;
const WORKLOADS = 10;
const FOLLOWED = 100;

/** Objects whose names are so long that 900 entries fill a ConfigMap. */
function nameOf(workload: number, index: number): string {
  return `${'long-'.repeat(46)}${workload}.${index}`;
}

function fill({ sandbox }: Cluster): void {
  for (let workload = 0; workload < WORKLOADS; workload += 1) {
    const names = Array.from({ length: FOLLOWED }, (_, index) => nameOf(workload, index));
    for (const name of names) sandbox.create('configmaps', { metadata: { name }, data: { value: 'one' } });
    const labels = { app: `w${workload}` };
    sandbox.create('deployments', {
      metadata: {
        name: `w${workload}`,
        annotations: { 'reloader.k8s.collaborne.com/configmap': names.join(',') },
      },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } },
      },
    });
  }
}

function workloadOf(name: string): WorkloadRef {
  return deployment(`w${/(\d+)\.\d+$/.exec(name)?.[1]}`);
}

/** The data of each ConfigMap of the state, by its number. */
function shardsOf({ sandbox }: Cluster): Record<string, string>[] {
  const names = ['reloader-state', 'reloader-state-1', 'reloader-state-2'];
  return names
    .map((name) => sandbox.get('configmaps', 'default', name))
    .filter((object) => object !== undefined)
    .map((object) => (object['data'] ?? {}) as Record<string, string>);
}

const keysOf = (cluster: Cluster): string[] => shardsOf(cluster).flatMap((data) => Object.keys(data));

test('a state over 256 KiB continues in a second ConfigMap, and neither a kill nor its deletion loses anything', async () => {
  await using cluster = await Cluster.start();
  fill(cluster);
  const reloader = await cluster.reloader();
  const [first = {}, second = {}, ...more] = shardsOf(cluster);
  assert.deepEqual(more, []);
  assert.equal(new Set(keysOf(cluster)).size, WORKLOADS * FOLLOWED);
  assert.equal(keysOf(cluster).length, WORKLOADS * FOLLOWED, 'no key is in both');
  const bytes = Object.entries(first).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  assert.ok(bytes <= LIMIT && bytes > LIMIT - 400, `${bytes} bytes`);
  const state = cluster.sandbox.get('configmaps', 'default', 'reloader-state');
  assert.equal(state?.metadata.annotations?.[SHARDS_ANNOTATION], '2');
  assert.match(await reloader.freshText('/metrics'), /^reloader_state_config_maps 2$/m);

  await reloader.kill();
  const [inFirst = '', inSecond = ''] = [first, second].map((data) => Object.keys(data)[0]?.split('_')[1]);
  const [early, late] = [workloadOf(inFirst), workloadOf(inSecond)];
  put(cluster, configMap(inSecond), 'two');
  const next = await cluster.reloader();
  await cluster.until('the change is rolled', () => cluster.rollouts(late) === 1);
  await cluster.settled(next);

  cluster.sandbox.remove('configmaps', 'default', 'reloader-state-1');
  await next.hasSaid(/"warn".*reloader-state-1: A state ConfigMap was deleted or emptied/);
  await cluster.until('it is written again', () => keysOf(cluster).length === WORKLOADS * FOLLOWED);
  await next.kill();
  put(cluster, configMap(inSecond), 'three');
  put(cluster, configMap(inFirst), 'two');
  await cluster.settled(await cluster.reloader());
  assert.deepEqual(
    [early, late].map((ref) => cluster.rollouts(ref)),
    [1, 2],
  );
  assert.equal(cluster.patches().length, 3, 'nobody else was rolled');
});
