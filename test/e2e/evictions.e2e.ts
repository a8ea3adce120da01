/** The strategy `evict` on a real API server, with the rights that it needs and no others: whose pods a stamp does not replace. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { installRights } from '../faults/rights.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { type JsonObject, objectsOf, pick } from '../sandbox/json.ts';
import { Stage } from './stage.ts';
import { type WorkloadParts, web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const skip = !cluster.access.hasAccounts && 'service accounts are needed';

const EVICT = { metadata: { annotations: { 'reloader.k8s.collaborne.com/reload-strategy': 'evict' } } };
const RULES = [
  { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
  { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['list'] },
  { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
];

/** A namespace with the rights to evict, and a workload whose pods run the content `A`. */
async function open(workload: WorkloadParts, spec?: JsonObject): Promise<Stage> {
  const stage = await Stage.open(cluster);
  await installRights(cluster, stage.namespace);
  const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/${stage.namespace}/roles/reloader`;
  const { rules } = await cluster.expect('GET', role);
  await cluster.expect('PATCH', role, { rules: [...objectsOf(rules), ...RULES] });
  await stage.createPair(workload);
  if (spec !== undefined) await stage.patch(workload, { spec });
  await stage.beYounger();
  return stage;
}

async function uidsOf(stage: Stage): Promise<readonly string[]> {
  const pods = await stage.list('pods?labelSelector=app%3Dweb');
  return pods.map((pod) => String(pick(pod, 'metadata', 'uid'))).toSorted();
}

/** Resolves when none of these pods is left, as many others run, and nothing is owed; the template has no stamp. */
async function areReplaced(
  stage: Stage,
  reloader: ReloaderProcess,
  workload: WorkloadParts,
  before: readonly string[],
): Promise<void> {
  await stage.until('the older pods are gone', async () => {
    const now = await uidsOf(stage);
    return now.length === before.length && !now.some((uid) => before.includes(uid));
  });
  await stage.mark(reloader);
  await reloader.hasSaid(new RegExp(`${workload.kind}/web rolled.*${before.length} pods? evicted`));
  assert.deepEqual(await stage.stamps(workload), {});
}

function hasEvent(stage: Stage, reason: string, words: RegExp): Promise<void> {
  return stage.until(`the Event ${reason} is there`, async () =>
    (await stage.list('events')).some(
      (event) => event['reason'] === reason && words.test(String(event['message'])),
    ),
  );
}

/** Takes every stamp out of the template, as an operator that owns it does, until `signal`. */
async function takeStampsBack(stage: Stage, workload: WorkloadParts, signal: AbortSignal): Promise<void> {
  const containers = pick(await stage.live(workload), 'spec', 'template', 'spec', 'containers') ?? [];
  await stage.until('the operator ends', async () => {
    const isStamped = Object.keys(await stage.stamps(workload)).length > 0;
    if (isStamped) await stage.patch(workload, { spec: { template: { spec: { containers } } } });
    return signal.aborted;
  });
}

describe('pods are evicted', { skip, concurrency: 3 }, () => {
  test('of a DaemonSet that replaces none by itself', async () => {
    const agent = web('web', { kind: 'DaemonSet' });
    await using stage = await open(agent, { updateStrategy: { type: 'OnDelete' } });
    await stage.patch(agent, EVICT);
    const reloader = await stage.reloaderWithRights();
    const before = await uidsOf(stage);
    await stage.put('web', 'B');
    await areReplaced(stage, reloader, agent, before);
    await hasEvent(stage, 'Reloaded', /evicted/);
  });

  test('of a Deployment as soon as its PodDisruptionBudget allows it', async () => {
    await using stage = await open(web());
    await stage.patch(web(), EVICT);
    const budgets = `/apis/policy/v1/namespaces/${stage.namespace}/poddisruptionbudgets`;
    const selector = { matchLabels: { app: 'web' } };
    await cluster.expect('POST', budgets, { metadata: { name: 'web' }, spec: { minAvailable: 2, selector } });
    await stage.until('the budget counts', async () => {
      const { status } = await cluster.expect('GET', `${budgets}/web`);
      return pick(status, 'currentHealthy') === 2;
    });
    const reloader = await stage.reloaderWithRights();
    const before = await uidsOf(stage);
    await stage.put('web', 'B');
    await reloader.hasSaid(/0 of 2 older pods evicted: .*disruption budget/);
    assert.deepEqual(await uidsOf(stage), before);
    await cluster.expect('PATCH', `${budgets}/web`, { spec: { minAvailable: 1 } });
    await areReplaced(stage, reloader, web(), before);
    assert.equal(await stage.revision(web()), 1);
  });

  test('where an operator takes the stamps back, once the advice of the Event is taken', async () => {
    await using stage = await open(web(), { minReadySeconds: 500 });
    const reloader = await stage.reloaderWithRights();
    const end = new AbortController();
    const operator = takeStampsBack(stage, web(), end.signal);
    await stage.put('web', 'B');
    await hasEvent(stage, 'ReloadRefused', /reload-strategy: evict/);
    const before = await uidsOf(stage);
    await stage.patch(web(), EVICT);
    await stage.put('web', 'C');
    await stage.until('its pods are evicted', () => reloader.says(/Deployment\/web rolled.*evicted/));
    await stage.mark(reloader);
    const now = await uidsOf(stage);
    assert.ok(!now.some((uid) => before.includes(uid)));
    assert.deepEqual(await stage.stamps(web()), {});
    end.abort();
    await operator;
  });
});
