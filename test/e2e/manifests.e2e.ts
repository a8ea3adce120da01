/** The manifests are applied, and a reloader that has their arguments and their rights, and no others, does its job. */

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import type { Right } from '../install/installation.ts';
import { K8S } from '../install/kustomization.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { objectsOf, pick } from '../sandbox/json.ts';
import { type Account, accountOf, isDenied, requestsOf, startAs, unusedOf } from './account.ts';
import { REFUSAL, refuseTemplates } from './refusal.ts';
import { Stage } from './stage.ts';
import { theirDigest, theirVariable } from './stakater-stand-in.ts';
import { KINDS, type WorkloadParts } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const skip = !(cluster instanceof ControlPlane) && 'the audit log of a control plane of its own is needed';

/** Which folder is applied, for the workloads of which namespaces. */
const CASES = [
  { folder: 'cluster', namespaces: ['shop'] },
  { folder: 'base', namespaces: ['default'] },
  { folder: 'namespaces', namespaces: ['web', 'api'] },
];

/** Each with the stamp of another reloader, which proves nothing here. */
const WORKLOADS: readonly WorkloadParts[] = KINDS.map((kind) => ({
  kind,
  name: kind.toLowerCase(),
  follows: { ConfigMap: ['shared'], Secret: ['shared'] },
  variables: { [theirVariable('shared')]: theirDigest('first') },
}));

/** Pod Security speaks of what is less than restricted. */
async function openStage(namespace: string): Promise<Stage> {
  const stage = await Stage.open(cluster, namespace);
  const labels = { 'pod-security.kubernetes.io/warn': 'restricted' };
  await cluster.expect('PATCH', `/api/v1/namespaces/${namespace}`, { metadata: { labels } });
  return stage;
}

async function putAll(stages: readonly Stage[], value: string): Promise<void> {
  for (const stage of stages) {
    await stage.put('shared', value);
    await stage.put('shared', value, 'Secret');
  }
}

/** A change of content reaches the pods of every kind, and is one rollout. */
async function changeRolls(
  stages: readonly Stage[],
  reloader: ReloaderProcess,
  value: string,
): Promise<void> {
  const before = await Promise.all(stages.map((stage) => stage.revisions(WORKLOADS)));
  const stamps = await Promise.all(
    stages.map((stage) => Promise.all(WORKLOADS.map((each) => stage.stamps(each)))),
  );
  await putAll(stages, value);
  for (const [index, stage] of stages.entries())
    for (const [which, workload] of WORKLOADS.entries()) {
      await stage.stampedAfter(workload, stamps[index]?.[which] ?? {});
      await stage.settled(reloader);
      await stage.rolledOut(workload);
    }
  const later = await Promise.all(stages.map((stage) => stage.revisions(WORKLOADS)));
  for (const [index, revisions] of later.entries())
    for (const [which, revision] of revisions.entries())
      assert.ok(revision > Number(before[index]?.[which]), `${WORKLOADS[which]?.kind} has rolled`);
}

/** Each kind is refused, told of, and rolled when it is allowed again. */
async function refusalIsTold(stages: readonly Stage[], reloader: ReloaderProcess): Promise<void> {
  const ends = await Promise.all(stages.map((stage) => refuseTemplates(stage, 'deployment')));
  await putAll(stages, 'refused');
  for (const stage of stages)
    await stage.until('every workload is refused', async () => {
      const { workloads } = await reloader.status();
      const refused = workloads.filter(({ waiting }) => waiting?.message.includes(REFUSAL));
      return refused.length === WORKLOADS.length * stages.length;
    });
  for (const end of ends) await end();
  for (const stage of stages) {
    await stage.settled(reloader);
    for (const { kind } of WORKLOADS) {
      await stage.until(`Events tell of ${kind}`, async () => {
        const events = await stage.list(`events?fieldSelector=involvedObject.kind%3D${kind}`);
        const reasons = events.map(({ reason }) => reason);
        return reasons.includes('Reloaded') && reasons.includes('ReloadRefused');
      });
    }
  }
}

/** The state is written again, and what changes then is rolled. */
async function lostStateComesBack(
  stages: readonly Stage[],
  account: Account,
  reloader: ReloaderProcess,
): Promise<void> {
  const state = `/api/v1/namespaces/${account.namespace}/configmaps/reloader-state`;
  const before = await cluster.expect('DELETE', state);
  await changeRolls(stages, reloader, 'after the loss of the state');
  const again = await cluster.expect('GET', state);
  assert.notEqual(pick(again, 'metadata', 'uid'), pick(before, 'metadata', 'uid'));
  assert.ok(reloader.says(/state-damaged/));
}

/** What changes while no reloader runs is rolled at the next start; answers that reloader. */
async function changeWhileDownRolls(
  stages: readonly Stage[],
  account: Account,
  reloader: ReloaderProcess,
): Promise<ReloaderProcess> {
  const [stage] = stages;
  assert.ok(stage);
  assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
  const state = `/api/v1/namespaces/${account.namespace}/configmaps/reloader-state`;
  await stage.until('the state was written seconds ago', async () => {
    const times = objectsOf(pick(await cluster.expect('GET', state), 'metadata', 'managedFields'));
    return Date.now() - Math.max(...times.map(({ time }) => Date.parse(String(time)))) > 3000;
  });
  const stamps = await Promise.all(
    stages.map((each) => Promise.all(WORKLOADS.map((workload) => each.stamps(workload)))),
  );
  await putAll(stages, 'while it was down');
  const next = await startAs(account, stage);
  for (const [index, each] of stages.entries())
    for (const [which, workload] of WORKLOADS.entries())
      await each.stampedAfter(workload, stamps[index]?.[which] ?? {});
  return next;
}

describe('what is applied from', { skip, concurrency: 1 }, () => {
  for (const { folder, namespaces } of CASES) {
    test(`k8s/${folder} is accepted, suffices, and is all used`, async () => {
      assert.ok(cluster instanceof ControlPlane);
      const account = accountOf(folder);
      const earlier = (await requestsOf(account, cluster)).length;
      await using stack = new AsyncDisposableStack();
      const stages = await Promise.all(namespaces.map(openStage));
      for (const each of stages) stack.use(each);
      const [stage] = stages;
      assert.ok(stage);
      const apply = ['apply', '--validate=strict', '--warnings-as-errors', '-k', path.join(K8S, folder)];
      const { stderr } = await stage.kubectl(apply);
      assert.equal(stderr, '');
      await stage.until('the pod of the Deployment is available', async () => {
        const pathname = `/apis/apps/v1/namespaces/${account.namespace}/deployments/reloader`;
        return pick(await cluster.expect('GET', pathname), 'status', 'availableReplicas') === 1;
      });

      await putAll(stages, 'first');
      for (const each of stages) for (const workload of WORKLOADS) await each.create(workload);
      const reloader = await startAs(account, stage);
      await changeRolls(stages, reloader, 'second');
      await refusalIsTold(stages, reloader);
      await lostStateComesBack(stages, account, reloader);
      const next = await changeWhileDownRolls(stages, account, reloader);
      assert.deepEqual(await next.stop(), { code: 0, signal: null });

      const requests = (await requestsOf(account, cluster)).slice(earlier);
      assert.deepEqual(requests.filter(isDenied), []);
      const unused = unusedOf(account, requests);
      assert.deepEqual(
        unused.filter((right) => !isForLargeStates(right) && !isForStandby(right)),
        [],
      );
      // The next one has an account of the same name, whose rights are its own alone.
      await stage.kubectl(['delete', '-k', path.join(K8S, folder)]);
    });
  }
});

/** Who leads has no need to watch the Lease. */
function isForStandby(right: Right): boolean {
  return /: (list|watch) coordination\.k8s\.io\/leases /.test(right);
}

/** A state of less than a MiB needs one ConfigMap only. */
function isForLargeStates(right: Right): boolean {
  return /: (create|patch|get) \/configmaps reloader-state-[1-9]$/.test(right);
}
