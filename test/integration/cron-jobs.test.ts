/** CronJobs: left alone as long as nobody asks; run once for each change where somebody does. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type JsonObject, objectsOf, pick } from '../sandbox/json.ts';
import type { StoredObject } from '../sandbox/stored-object.ts';
import { Cluster } from './harness.ts';
import { configMap, mark, pair, put } from './manifests.ts';
import { digestIn } from './reloader-process.ts';

const RUN_NOW = ['--cronjob-reload=run-now'];
const TEMPLATE = ['spec', 'jobTemplate', 'spec', 'template'] as const;
const STAMP = '_RELOADER_CONFIGMAP_REPORT';

/** A CronJob that reads the ConfigMap of its name, and the marker. */
async function setUp(cluster: Cluster): Promise<void> {
  put(cluster, configMap('report'), 'one');
  await pair(cluster, 'marker');
  const containers = [{ name: 'app', image: 'app:1', envFrom: [{ configMapRef: { name: 'report' } }] }];
  const jobTemplate = {
    metadata: { labels: { app: 'report' } },
    spec: { template: { spec: { restartPolicy: 'Never', containers } } },
  };
  cluster.sandbox.create('cronjobs', {
    metadata: {
      namespace: 'default',
      name: 'report',
      annotations: { 'reloader.k8s.collaborne.com/configmap': 'report' },
    },
    spec: { schedule: '0 3 * * *', jobTemplate },
  });
}

function jobs({ sandbox }: Cluster): readonly StoredObject[] {
  return sandbox.list('jobs');
}

/** The stamp that a template carries. */
function stampIn(object: JsonObject | undefined, place: readonly string[]): unknown {
  const [container] = objectsOf(pick(object, ...place, 'spec', 'containers'));
  return objectsOf(container?.['env']).find(({ name }) => name === STAMP)?.['value'];
}

async function runs(cluster: Cluster, count: number): Promise<void> {
  await cluster.until(`there are ${count} runs`, () => jobs(cluster).length === count);
}

describe('with --cronjob-reload=run-now', { concurrency: 2 }, () => {
  test('each change starts one run, like the schedule would, and a restart none', async () => {
    await using cluster = await Cluster.start();
    await setUp(cluster);
    const first = await cluster.reloader({ flags: RUN_NOW });
    assert.equal(jobs(cluster).length, 0, 'the first start runs nothing');
    put(cluster, configMap('report'), 'two');
    await runs(cluster, 1);
    await cluster.settled(first);
    const [run] = jobs(cluster);
    assert.deepEqual(run?.metadata.labels, { app: 'report' });
    assert.equal(run?.metadata.annotations?.['cronjob.kubernetes.io/instantiate'], 'manual');
    const [owner] = run?.metadata.ownerReferences ?? [];
    assert.deepEqual([owner?.['kind'], owner?.['name'], owner?.['controller']], ['CronJob', 'report', true]);
    const digest = digestIn(cluster.state()['v1.ConfigMap_report']);
    const cronJob = cluster.sandbox.get('cronjobs', 'default', 'report');
    for (const stamp of [stampIn(cronJob, TEMPLATE), stampIn(run, ['spec', 'template'])])
      assert.equal(digestIn(stamp), digest);
    await first.hasSaid(/CronJob\/report run: 1 source, 1 change/);
    await first.stop();
    const second = await cluster.reloader({ flags: RUN_NOW });
    assert.equal(jobs(cluster).length, 1);
    for (const [index, content] of ['one', 'two', 'one'].entries()) {
      put(cluster, configMap('report'), content);
      await runs(cluster, 2 + index);
      await cluster.settled(second);
    }
  });

  test('a dry run starts nothing', async () => {
    await using cluster = await Cluster.start();
    await setUp(cluster);
    const reloader = await cluster.reloader({ flags: [...RUN_NOW, '--dry-run'] });
    put(cluster, configMap('report'), 'two');
    await reloader.hasSaid(/CronJob\/report would be run: 1 source/);
    assert.equal(cluster.writes().length, 0);
  });
});

test('without it nothing is asked of CronJobs and Jobs, nor of kinds that are ignored', async () => {
  await using cluster = await Cluster.start();
  await setUp(cluster);
  const reloader = await cluster.reloader({ flags: ['--ignored-workload-types=daemonsets'] });
  put(cluster, configMap('report'), 'two');
  await mark(cluster);
  await cluster.settled(reloader);
  assert.equal(jobs(cluster).length, 0);
  assert.ok(cluster.arrived.some((path) => path.includes('deployments')));
  assert.deepEqual(
    cluster.arrived.filter((path) => /batch|daemonsets/.test(path)),
    [],
  );
  assert.doesNotMatch(await reloader.freshText('/metrics'), /CronJob|cronjobs/);
});
