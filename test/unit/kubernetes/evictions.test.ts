/** Pods as a server lists them, and their evictions. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ApiResponse } from '../../../lib/kubernetes/transport.ts';
import { Evictions } from '../../../lib/kubernetes/workloads/evictions.ts';
import { customKind } from '../../../lib/model/kinds/custom-kind.ts';
import type { Pod, PodsReading } from '../../../lib/model/outcome.ts';
import { addWorkloadKind } from '../../../lib/model/workload-kind.ts';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';

const NAMESPACE = 'default';

interface Stage {
  readonly sandbox: Sandbox;
  readonly evictions: Evictions;
  readonly pass: (ms: number) => void;
}

function stageOf(t: TestContext): Stage {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
  const sandbox = createSandbox();
  t.after(() => sandbox.close());
  const pass = (ms: number): void => {
    for (let left = ms; left > 0; left -= 10) t.mock.timers.tick(10);
  };
  return { sandbox, evictions: new Evictions((request) => sandbox.handle(request)), pass };
}

/** A workload with two pods that run; answers its uid. */
function create({ sandbox, pass }: Stage, resource: string, name: string, more: object = {}): string {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } };
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  const made = sandbox.create(resource, { metadata: { namespace: NAMESPACE, name, ...more }, spec });
  pass(1000);
  return made.metadata.uid;
}

async function podsOf(
  { evictions }: Stage,
  kind: string,
  name: string,
  uid: string,
): Promise<readonly Pod[]> {
  const reading = await evictions.podsOf({ kind, namespace: NAMESPACE, name }, uid);
  assert.ok(reading.kind === 'listed');
  assert.equal(reading.desired, 2);
  return reading.pods;
}

for (const [kind, resource] of [
  ['Deployment', 'deployments'],
  ['StatefulSet', 'statefulsets'],
  ['DaemonSet', 'daemonsets'],
] as const) {
  test(`the pods of a ${kind} are its own, although others have their labels`, async (t) => {
    const stage = stageOf(t);
    const uid = create(stage, resource, 'web');
    create(stage, 'deployments', 'other');
    const pods = await podsOf(stage, kind, 'web', uid);
    assert.equal(pods.length, 2);
    assert.ok(pods.every(({ name, isReady, isLeaving }) => /^web-/.test(name) && isReady && !isLeaving));
    assert.ok(pods.every(({ createdAt }) => createdAt !== undefined && createdAt >= 1000));
  });
}

test('another workload of the name has no pods for it', async (t) => {
  const stage = stageOf(t);
  create(stage, 'statefulsets', 'web');
  const ref = { kind: 'StatefulSet', namespace: NAMESPACE, name: 'web' };
  assert.deepEqual(await stage.evictions.podsOf(ref, 'former'), { kind: 'gone' });
  assert.deepEqual(await stage.evictions.podsOf({ ...ref, name: 'db' }, 'any'), { kind: 'gone' });
});

test('an eviction hits that very pod, and a budget may not allow it', async (t) => {
  const stage = stageOf(t);
  const uid = create(stage, 'statefulsets', 'web');
  const ref = { kind: 'StatefulSet', namespace: NAMESPACE, name: 'web' };
  const [pod] = await podsOf(stage, 'StatefulSet', 'web', uid);
  assert.ok(pod);
  stage.sandbox.setBudget(ref, 2);
  assert.equal((await stage.evictions.evict(NAMESPACE, pod)).kind, 'throttled');
  stage.sandbox.setBudget(ref, 1);
  assert.equal((await stage.evictions.evict(NAMESPACE, pod)).kind, 'accepted');
  assert.equal((await stage.evictions.evict(NAMESPACE, pod)).kind, 'gone');
  stage.pass(1000);
  assert.equal((await stage.evictions.evict(NAMESPACE, pod)).kind, 'conflict', 'it is a newer one');
  assert.equal((await podsOf(stage, 'StatefulSet', 'web', uid)).length, 2);
});

/** An answer of a server. */
function answering(object: object): ApiResponse {
  const body = (async function* () {
    yield await Promise.resolve(JSON.stringify(object));
  })();
  return { status: 200, headers: {}, body };
}

/** A server with this workload, these pods, and these objects in each other list, in two pages; answers the paths that were asked for. */
function serverWith(
  raw: object,
  pods: readonly object[] = [],
  between: readonly object[] = [],
): { evictions: Evictions; asked: string[] } {
  const asked: string[] = [];
  const evictions = new Evictions((request) => {
    asked.push(decodeURIComponent(request.path));
    const items = request.path.includes('/pods?') ? pods : between;
    if (request.path.includes('continue=')) return Promise.resolve(answering({ items: items.slice(1) }));
    const metadata = { continue: 'next' };
    const isList = request.path.includes('limit=');
    return Promise.resolve(answering(isList ? { items: items.slice(0, 1), metadata } : raw));
  });
  return { evictions, asked };
}

test('the labels of a selector are sent, without its expressions', async () => {
  const selector = {
    matchLabels: { app: 'web' },
    matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['a', 'b'] }],
  };
  const { evictions, asked } = serverWith({ metadata: { uid: 'u' }, spec: { selector } });
  await evictions.podsOf({ kind: 'StatefulSet', namespace: 'ns', name: 'web' }, 'u');
  assert.match(asked[1] ?? '', /labelSelector=app=web&/);
});

function ownedPod(name: string, kind: string, uid: string): object {
  const metadata = { name, uid: name, ownerReferences: [{ kind, uid, controller: true }] };
  return { metadata, status: { conditions: [{ type: 'Ready', status: 'True' }] } };
}

test('the pods of a DeploymentConfig are those of its ReplicationControllers; its selector is a map', async () => {
  const raw = { metadata: { uid: 'u' }, spec: { selector: { app: 'web' }, replicas: 2 } };
  const pods = [
    ownedPod('web-2', 'ReplicationController', 'other'),
    ownedPod('web-1', 'ReplicationController', 'web-v1'),
  ];
  const versions = [ownedPod('other', 'App', 'other'), ownedPod('web-v1', 'DeploymentConfig', 'u')];
  const { evictions, asked } = serverWith(raw, pods, versions);
  const reading = await evictions.podsOf({ kind: 'DeploymentConfig', namespace: 'ns', name: 'web' }, 'u');
  assert.ok(reading.kind === 'listed');
  assert.deepEqual([reading.pods.map(({ name }) => name), reading.desired], [['web-1'], 2]);
  assert.match(asked[1] ?? '', /\/pods\?labelSelector=app=web&limit=500$/);
});

const APP = customKind({
  group: 'acme.example',
  version: 'v1',
  resource: 'apps',
  templatePath: ['template'],
});
addWorkloadKind(APP);

const APP_REF = { kind: APP.kind, namespace: NAMESPACE, name: 'web' };
const OF_APP = { apiVersion: 'acme.example/v1', kind: 'App', name: 'web', uid: 'app', controller: true };

/** The pods of an `App`, whose selector is a word of its operator. */
async function podsOfApp({ sandbox }: Stage, replicas?: unknown): Promise<PodsReading> {
  const app = { metadata: { name: 'web', uid: 'app' }, spec: { selector: 'blue', replicas } };
  const evictions = new Evictions((request) => {
    if (!request.path.startsWith('/apis/acme.example/')) return sandbox.handle(request);
    return Promise.resolve(answering(app));
  });
  return await evictions.podsOf(APP_REF, 'app');
}

for (const resource of ['deployments', 'statefulsets', 'daemonsets'])
  test(`the pods of a kind of an operator's are those of its ${resource}`, async (t) => {
    const stage = stageOf(t);
    create(stage, 'deployments', 'other');
    create(stage, resource, 'web', { ownerReferences: [OF_APP] });
    const reading = await podsOfApp(stage, { min: 2 });
    assert.ok(reading.kind === 'listed' && reading.desired === undefined);
    assert.ok(reading.pods.length === 2 && reading.pods.every(({ name }) => /^web-/.test(name)));
  });

test('that no pod of an operator is reached is told, unless it wants none', async (t) => {
  const stage = stageOf(t);
  create(stage, 'deployments', 'other');
  const reading = await podsOfApp(stage);
  assert.ok(reading.kind === 'failed' && reading.isUnreached === true);
  assert.match(reading.message, /no pod in the namespace is controlled by it/);
  assert.deepEqual(await podsOfApp(stage, 0), { kind: 'listed', pods: [], desired: 0 });
});

test('a pod fails whose container waits for a reason that does not pass by itself', async () => {
  const waiting = (reason?: string): object => ({
    name: 'app',
    state: reason ? { waiting: { reason } } : {},
  });
  const cases: Readonly<Record<string, [status: object, failure: string | undefined]>> = {
    crash: [
      { containerStatuses: [waiting(), waiting('CrashLoopBackOff')] },
      'container app: CrashLoopBackOff',
    ],
    image: [{ containerStatuses: [waiting('ImagePullBackOff')] }, 'container app: ImagePullBackOff'],
    name: [{ containerStatuses: [waiting('InvalidImageName')] }, 'container app: InvalidImageName'],
    config: [
      { containerStatuses: [waiting('CreateContainerConfigError')] },
      'container app: CreateContainerConfigError',
    ],
    create: [{ containerStatuses: [waiting('CreateContainerError')] }, 'container app: CreateContainerError'],
    run: [{ containerStatuses: [waiting('RunContainerError')] }, 'container app: RunContainerError'],
    init: [{ initContainerStatuses: [waiting('CrashLoopBackOff')] }, 'container app: CrashLoopBackOff'],
    starts: [{ containerStatuses: [waiting('ContainerCreating')] }, undefined],
    runs: [{ containerStatuses: [waiting()] }, undefined],
    new: [{}, undefined],
  };
  const items = Object.entries(cases).map(([name, [status]]) => ({
    ...ownedPod(name, 'StatefulSet', 'u'),
    status,
  }));
  const { evictions } = serverWith({ metadata: { uid: 'u' }, spec: { selector: {} } }, items);
  const reading = await evictions.podsOf({ kind: 'StatefulSet', namespace: 'ns', name: 'web' }, 'u');
  assert.ok(reading.kind === 'listed');
  assert.deepEqual(
    Object.fromEntries(reading.pods.map(({ name, failure }) => [name, failure])),
    Object.fromEntries(Object.entries(cases).map(([name, [, failure]]) => [name, failure])),
  );
});

test('a right that is missing is said to be missing', async (t) => {
  const stage = stageOf(t);
  const uid = create(stage, 'statefulsets', 'web');
  const match = { verb: 'list', resource: 'pods' } as const;
  stage.sandbox.addFault({ match, times: 'always', effect: { kind: 'status', code: 403 } });
  const reading = await stage.evictions.podsOf(
    { kind: 'StatefulSet', namespace: NAMESPACE, name: 'web' },
    uid,
  );
  assert.ok(reading.kind === 'failed' && reading.isForbidden === true);
});
