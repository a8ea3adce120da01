/** Programs that fill ConfigMaps and Secrets from elsewhere: as many rollouts as the table says, counted by the controllers. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { type JsonObject, objectsOf, pick } from '../sandbox/json.ts';
import { BUNDLE, STORES } from './external-stores.ts';
import { Stage } from './stage.ts';
import { apply, SECRET, update } from './store-writers.ts';
import { manifestOf, web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

/** Long enough for two writes, one after the other, on a busy machine. */
const PERIOD_MS = 2000;

describe('rollouts for', { concurrency: 4 }, () => {
  for (const { tool, scene, rollouts, isByTool, workload, begin, act } of STORES) {
    test(`${tool}, ${scene}: ${rollouts}`, async () => {
      await using stage = await Stage.open(cluster);
      await stage.createMarker();
      await begin(stage);
      const parts = web('web', { follows: { Secret: [SECRET] }, ...workload });
      await stage.create(parts);
      const reloader = await stage.reloader({ periodMs: PERIOD_MS });
      await act(stage);
      await stage.mark(reloader);
      await stage.rolledOut(parts);
      assert.equal((await stage.revision(parts)) - 1, rollouts);
      const stamps = await stage.stamps(parts);
      assert.equal(Object.keys(stamps).length, rollouts > 0 && isByTool !== true ? 1 : 0);
      if (rollouts > 0) return;
      // It was followed all the while: new data is rolled out.
      await update(stage, { key: 'Z' });
      await stage.stampedAfter(parts, stamps);
    });
  }
});

/** The label of the namespaces that the bundle goes to. */
const TRUST = { name: 'trust', value: 'yes' };

/** Applies the bundle in each namespace, one after the other. */
async function applyBundle(namespaces: readonly string[], certificates: string): Promise<void> {
  for (const namespace of namespaces) {
    const path = (below: string): string => `/api/v1/namespaces/${namespace}/${below}`;
    const hash = { 'trust-manager.io/hash': `hash of ${certificates}` };
    const metadata = { name: 'bundle', annotations: hash, labels: { 'trust-manager.io/bundle': 'bundle' } };
    const data = { 'ca-certificates.crt': certificates };
    await apply({ cluster, path }, 'trust-manager', 'configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
      data,
    });
  }
}

/** Creates a namespace with workloads without pods, which read the bundle. */
async function createNamespace(name: string): Promise<void> {
  const metadata = { name, labels: { [TRUST.name]: TRUST.value } };
  await cluster.expect('POST', '/api/v1/namespaces', { metadata });
  for (let index = 0; index < BUNDLE.workloadsEach; index += 1) {
    const parts = web(`web-${index}`, { follows: { ConfigMap: ['bundle'] }, replicas: 0 });
    await cluster.expect('POST', `/apis/apps/v1/namespaces/${name}/deployments`, manifestOf(parts));
  }
}

/** The Deployments in these namespaces; each has had as many templates as its generation says. */
async function deploymentsIn(namespaces: readonly string[]): Promise<JsonObject[]> {
  const { items } = await cluster.expect('GET', '/apis/apps/v1/deployments');
  const all = new Set(namespaces);
  return objectsOf(items).filter((each) => all.has(String(pick(each, 'metadata', 'namespace'))));
}

function generationsOf(deployments: readonly JsonObject[]): Set<number> {
  return new Set(deployments.map((each) => Number(pick(each, 'metadata', 'generation'))));
}

test(`${BUNDLE.tool}, ${BUNDLE.scene}: ${BUNDLE.rollouts}`, async () => {
  await using home = await Stage.open(cluster);
  const namespaces = Array.from({ length: BUNDLE.namespaces }, (_, index) => `${home.namespace}-${index}`);
  await Promise.all(namespaces.map((each) => createNamespace(each)));
  await applyBundle(namespaces, 'A');
  await home.until('the controller has seen all', async () => {
    const deployments = await deploymentsIn(namespaces);
    return deployments.every((each) => pick(each, 'status', 'observedGeneration') === 1);
  });
  const kubeconfig = await cluster.kubeconfig({ namespace: home.namespace });
  const place = ['--kubeconfig', kubeconfig, '--all-namespaces', '--state-namespace', home.namespace];
  const selector = `--namespace-selector=${TRUST.name}=${TRUST.value}`;
  const reloader = home.start([...place, selector, '--coalesce-period', `${PERIOD_MS}ms`]);
  await home.ready(reloader);
  await applyBundle(namespaces, 'B');
  await home.until('each is rolled', async () => !generationsOf(await deploymentsIn(namespaces)).has(1));
  await home.settled(reloader);
  const deployments = await deploymentsIn(namespaces);
  assert.equal(deployments.length, BUNDLE.namespaces * BUNDLE.workloadsEach);
  assert.deepEqual(generationsOf(deployments), new Set([2]));
});
