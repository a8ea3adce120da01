/** Workloads that are rolled for the keys that their pods read, on a real control plane with the rights of `k8s/base`. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { digestIn } from '../integration/reloader-process.ts';
import type { JsonObject } from '../sandbox/json.ts';
import { isAt, restsAt } from './endings.ts';
import { Stage } from './stage.ts';
import { manifestOf, type WorkloadParts, web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

type Data = Readonly<Record<string, string>>;

const AUTO = { 'reloader.k8s.collaborne.com/auto': 'true' };
const KEY_SCOPED = { flags: ['--key-scoped'] };
const BEGIN: Data = { a: '1', b: '1', c: '1' };

/** How a container reads the key `a` of `cfg`, and no other. */
const READINGS: Readonly<
  Record<string, { readonly container: JsonObject; readonly volumes?: JsonObject[] }>
> = {
  env: {
    container: { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'cfg', key: 'a' } } }] },
  },
  items: {
    container: { volumeMounts: [{ name: 'v', mountPath: '/etc/v' }] },
    volumes: [{ name: 'v', configMap: { name: 'cfg', items: [{ key: 'a', path: 'x' }] } }],
  },
  part: {
    container: { volumeMounts: [{ name: 'v', mountPath: '/etc/a', subPath: 'a' }] },
    volumes: [{ name: 'v', configMap: { name: 'cfg' } }],
  },
};

/** Creates a Deployment that reads so; resolves when its pods run. */
async function create(stage: Stage, name: string, annotations: Data = AUTO): Promise<WorkloadParts> {
  const parts = web(name, { follows: {}, annotations });
  const { container = {}, volumes = [] } = READINGS[name] ?? {};
  const manifest = JSON.parse(JSON.stringify(manifestOf(parts)), (key, value) => {
    if (key === 'containers') return [{ ...value[0], ...container }];
    return key === 'template' ? { ...value, spec: { ...value.spec, volumes } } : value;
  }) as JsonObject;
  await stage.expect('POST', 'deployments', manifest);
  await stage.rolledOut(parts);
  return parts;
}

async function put(stage: Stage, data: Data): Promise<void> {
  const body = { metadata: { name: 'cfg' }, data };
  const there = await cluster.ask('GET', stage.path('configmaps/cfg'));
  if (there.status === 404) await stage.expect('POST', 'configmaps', body);
  else await stage.expect('PUT', 'configmaps/cfg', body);
}

async function open(): Promise<Stage> {
  const stage = await Stage.open(cluster);
  await stage.createMarker();
  await put(stage, BEGIN);
  return stage;
}

describe('workloads that are rolled for keys', { concurrency: 2 }, () => {
  test('are rolled once for their own key, and not for another, however they read it', async () => {
    await using stage = await open();
    const workloads = [];
    for (const name of Object.keys(READINGS)) workloads.push(await create(stage, name));
    const whole = await create(stage, 'env-of-all', { 'reloader.k8s.collaborne.com/configmap': 'cfg' });
    const reloader = await stage.reloaderWithRights(KEY_SCOPED);
    await put(stage, { ...BEGIN, b: '2' });
    for (const workload of workloads) await restsAt(stage, reloader, workload, 1);
    await isAt(stage, whole, 2);
    await put(stage, { ...BEGIN, b: '2', a: '2' });
    for (const workload of workloads) await stage.stampedAfter(workload, {});
    for (const workload of workloads) {
      const stamps = await restsAt(stage, reloader, workload, 2);
      assert.deepEqual(Object.keys(stamps), ['_RELOADER_CONFIGMAP_CFG']);
      assert.equal(await stage.entryOf('cfg_a'), digestIn(stamps['_RELOADER_CONFIGMAP_CFG']));
    }
    const { a: _, ...others } = BEGIN;
    await reloader.kill();
    await put(stage, { ...others, a: '2', c: '3' });
    const next = await stage.reloaderWithRights(KEY_SCOPED);
    for (const workload of workloads) await restsAt(stage, next, workload, 2);
  });
});
