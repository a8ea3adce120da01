/** Jobs: left alone as long as nobody asks; created anew and never lost where somebody does. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type JsonObject, objectsOf, pick } from '../sandbox/json.ts';
import type { StoredObject } from '../sandbox/stored-object.ts';
import { Cluster } from './harness.ts';
import { configMap, mark, pair, put } from './manifests.ts';
import { digestIn } from './reloader-process.ts';

const RECREATE = ['--job-reload=recreate'];
const ANNOTATIONS = { 'reloader.k8s.collaborne.com/configmap': 'work' };

/** The ConfigMap `work`, and the marker. */
async function setUp(cluster: Cluster): Promise<void> {
  put(cluster, configMap('work'), 'one');
  await pair(cluster, 'marker');
}

function createJob({ sandbox }: Cluster, metadata: JsonObject = {}, spec: JsonObject = {}): StoredObject {
  const containers = [{ name: 'app', image: 'app:1', envFrom: [{ configMapRef: { name: 'work' } }] }];
  const own = { namespace: 'default', name: 'work', labels: { team: 'a' }, annotations: ANNOTATIONS };
  const template = { spec: { restartPolicy: 'Never', containers } };
  return sandbox.create('jobs', { metadata: { ...own, ...metadata }, spec: { template, ...spec } });
}

function jobs({ sandbox }: Cluster): string[] {
  return sandbox.list('jobs').map(({ metadata }) => metadata.name);
}

function work({ sandbox }: Cluster): StoredObject | undefined {
  return sandbox.get('jobs', 'default', 'work');
}

function stampOf(job: StoredObject | undefined): unknown {
  const [container] = objectsOf(pick(job, 'spec', 'template', 'spec', 'containers'));
  return objectsOf(container?.['env'])[0]?.['value'];
}

describe('with --job-reload=recreate', { concurrency: 2 }, () => {
  test('each change creates the Job anew under its name, with its labels, and a restart none', async () => {
    await using cluster = await Cluster.start();
    await setUp(cluster);
    const old = createJob(cluster);
    const first = await cluster.reloader({ flags: RECREATE });
    put(cluster, configMap('work'), 'two');
    await first.hasSaid(/Job\/work recreated: 1 source, 1 change/);
    await cluster.settled(first);
    const made = work(cluster);
    assert.notEqual(made?.metadata.uid, old.metadata.uid);
    assert.deepEqual(made?.metadata.labels, { team: 'a' });
    assert.deepEqual(made?.metadata.annotations, ANNOTATIONS);
    const committed = (): unknown => cluster.state()['v1.ConfigMap_work'];
    await cluster.until('the state has the stamp', () => digestIn(stampOf(made)) === digestIn(committed()));
    assert.deepEqual(jobs(cluster), ['work']);
    await first.stop();
    const second = await cluster.reloader({ flags: RECREATE });
    await mark(cluster);
    await cluster.settled(second);
    assert.equal(work(cluster)?.metadata.uid, made?.metadata.uid);
    put(cluster, configMap('work'), 'one');
    await cluster.until('it is created anew', () => work(cluster)?.metadata.uid !== made?.metadata.uid);
    await cluster.settled(second);
    await mark(cluster);
    assert.equal(cluster.audits.filter(({ verb, name }) => verb === 'delete' && name === 'work').length, 2);
  });

  test('a forged copy of a Job that asks for nothing costs it nothing, before the start and after, and an Event says so', async () => {
    await using cluster = await Cluster.start();
    await setUp(cluster);
    const { uid, resourceVersion } = createJob(cluster, { annotations: {} }).metadata;
    const replaces = JSON.stringify({ name: 'work', uid, resourceVersion });
    const annotations = { 'reloader.k8s.collaborne.com/replaces': replaces };
    const forge = (): void =>
      void createJob(cluster, { name: 'work-reload', annotations }, { suspend: true });
    const told = (): number =>
      cluster.sandbox
        .list('events')
        .filter((event) => event['reason'] === 'ReloadRefused')
        .filter((event) => pick(event, 'involvedObject', 'name') === 'work-reload').length;
    forge();
    const first = await cluster.reloader({ flags: RECREATE });
    await cluster.until('the Event is there', () => told() === 1);
    await first.stop();
    cluster.sandbox.remove('jobs', 'default', 'work-reload');
    const second = await cluster.reloader({ flags: RECREATE });
    forge();
    await cluster.until('the Event of the other one is there', () => told() === 2);
    await second.hasSaid(/Job\/work-reload: .*neither is touched/);
    put(cluster, configMap('work'), 'two');
    await mark(cluster);
    assert.equal(work(cluster)?.metadata.uid, uid);
    assert.deepEqual(jobs(cluster), ['work', 'work-reload']);
  });
});

test('without it nothing is asked of Jobs', async () => {
  await using cluster = await Cluster.start();
  await setUp(cluster);
  const old = createJob(cluster);
  const reloader = await cluster.reloader();
  put(cluster, configMap('work'), 'two');
  await mark(cluster);
  await cluster.settled(reloader);
  assert.equal(work(cluster)?.metadata.uid, old.metadata.uid);
  assert.ok(cluster.arrived.every((path) => !path.includes('/jobs')));
});
