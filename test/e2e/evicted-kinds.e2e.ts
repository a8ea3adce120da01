/** Kinds whose pods are only evicted, on a real API server, with the rights that they need and no others. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import { installRights } from '../faults/rights.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { type JsonObject, objectsOf, pick } from '../sandbox/json.ts';
import { Stage } from './stage.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const skip = !cluster.access.hasAccounts && 'service accounts are needed';

const GROUP = 'operators-e2e.example';
const FIELD = 'reloader.k8s.collaborne.com';
const FOLLOWS = { [`${FIELD}/configmap`]: 'web' };
const EVICT = { [`${FIELD}/reload-strategy`]: 'evict' };
const FLAGS = ['--workload-kinds=replicasets,replicationcontrollers,pods'];
const READ = ['get', 'list', 'watch'];
const RULES = [
  { apiGroups: ['apps'], resources: ['replicasets'], verbs: READ },
  { apiGroups: [''], resources: ['replicationcontrollers', 'pods'], verbs: READ },
  { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
];
/** Longer than the second by which the ages of pods are told apart. */
const PERIOD_MS = 3000;

/** The spec of a pod that reads `web`. */
function podSpec(): JsonObject {
  const envFrom = [{ configMapRef: { name: 'web' } }];
  return { containers: [{ name: 'app', image: 'registry.k8s.io/pause:3.10', envFrom }] };
}

function controllerOfPods(kind: string, name: string, selector: JsonObject): JsonObject {
  const template = { metadata: { labels: { app: name } }, spec: podSpec() };
  const apiVersion = kind === 'ReplicaSet' ? 'apps/v1' : 'v1';
  const metadata = { name, annotations: FOLLOWS };
  return { apiVersion, kind, metadata, spec: { replicas: 2, selector, template } };
}

/** An operator with a kind of its own, which creates each of its Pods again that is gone. */
class Operator {
  readonly #stage: Stage;
  readonly #owner: JsonObject;
  readonly #names = ['app-0', 'app-1', 'app-2'];
  isHalted = false;
  /** How many of its Pods were not ready at once, once all had been. */
  mostAway = 0;

  constructor(stage: Stage, uid: string) {
    this.#stage = stage;
    this.#owner = { apiVersion: `${GROUP}/v1`, kind: 'App', name: 'app', uid, controller: true };
  }

  /** Acts until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#act();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #act(): Promise<void> {
    const pods = await podsOf(this.#stage, 'app');
    const isReady = (pod: JsonObject): boolean =>
      pick(pod, 'metadata', 'deletionTimestamp') === undefined &&
      objectsOf(pick(pod, 'status', 'conditions')).some(
        ({ type, status }) => type === 'Ready' && status === 'True',
      );
    this.mostAway = Math.max(this.mostAway, this.#names.length - pods.filter(isReady).length);
    if (this.isHalted) return;
    const there = new Set(pods.map((pod) => pick(pod, 'metadata', 'name')));
    for (const name of this.#names.filter((each) => !there.has(each))) await this.#create(name);
  }

  async #create(name: string): Promise<void> {
    const labels = { app: 'app', ...EVICT };
    const metadata = { name, labels, annotations: FOLLOWS, ownerReferences: [this.#owner] };
    await this.#stage.expect('POST', 'pods', { metadata, spec: podSpec() });
  }
}

async function podsOf(stage: Stage, app: string): Promise<readonly JsonObject[]> {
  return await stage.list(`pods?labelSelector=app%3D${app}`);
}

const APPS = ['set', 'controller', 'app'];

/** The uids of all pods that run and stay, by their workload. */
async function uidsOf(stage: Stage, apps: readonly string[] = APPS): Promise<readonly string[]> {
  const pods = (await Promise.all(apps.map((app) => podsOf(stage, app)))).flat();
  const staying = pods.filter(
    (pod) =>
      pick(pod, 'metadata', 'deletionTimestamp') === undefined && pick(pod, 'status', 'phase') === 'Running',
  );
  return staying.map((pod) => String(pick(pod, 'metadata', 'uid'))).toSorted();
}

async function define(): Promise<void> {
  const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: any };
  await cluster.expect('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `apps.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'apps', singular: 'app', kind: 'App' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
}

/** The custom resource; its uid. */
async function createApp(stage: Stage): Promise<string> {
  const path = `/apis/${GROUP}/v1/namespaces/${stage.namespace}/apps`;
  const body = { apiVersion: `${GROUP}/v1`, kind: 'App', metadata: { name: 'app' }, spec: {} };
  let uid = '';
  await stage.until('an App may be created', async () => {
    const { status, body: made } = await cluster.ask('POST', path, body);
    if (status === 201) uid = String(pick(made as JsonObject, 'metadata', 'uid'));
    return status === 201;
  });
  return uid;
}

/** A namespace with the rights to evict pods, and with the content `A`. */
async function open(): Promise<Stage> {
  const stage = await Stage.open(cluster);
  await installRights(cluster, stage.namespace);
  const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/${stage.namespace}/roles/reloader`;
  const { rules } = await cluster.expect('GET', role);
  await cluster.expect('PATCH', role, { rules: [...objectsOf(rules), ...RULES] });
  await stage.createMarker();
  await stage.put('web', 'A');
  return stage;
}

/** Creates a workload of each kind; resolves when their pods run. */
async function createAll(stage: Stage, operator: Operator): Promise<void> {
  const set = controllerOfPods('ReplicaSet', 'set', { matchLabels: { app: 'set' } });
  await stage.expect('POST', 'replicasets', set);
  await stage.expect(
    'POST',
    'replicationcontrollers',
    controllerOfPods('ReplicationController', 'controller', { app: 'controller' }),
  );
  await stage.until('all pods run', async () => (await uidsOf(stage)).length === 7);
  operator.mostAway = 0;
  await stage.beYounger();
}

/** Resolves when none of these pods is left, and as many others run. */
async function areReplaced(stage: Stage, before: readonly string[]): Promise<void> {
  await stage.until('the older pods are gone', async () => {
    const now = await uidsOf(stage);
    return now.length === before.length && !now.some((uid) => before.includes(uid));
  });
}

/** The answers to all evictions in the namespace so far; undefined where no audit log is. */
async function evictions({ namespace }: Stage): Promise<readonly number[] | undefined> {
  if (!(cluster instanceof ControlPlane)) return undefined;
  const requests = await cluster.audit();
  return requests
    .filter(({ resource, namespace: where }) => resource === 'pods/eviction' && where === namespace)
    .map(({ code }) => code);
}

/** After all that was due, these are still the pods, and none was evicted but the older ones. */
async function isOver(stage: Stage, reloader: ReloaderProcess, count: number): Promise<void> {
  const now = await uidsOf(stage);
  await stage.mark(reloader);
  assert.deepEqual(await uidsOf(stage), now);
  const answers = await evictions(stage);
  if (answers !== undefined) assert.equal(answers.filter((code) => code === 201).length, count);
}

const start = (stage: Stage): Promise<ReloaderProcess> =>
  stage.reloaderWithRights({ flags: FLAGS, periodMs: PERIOD_MS });

describe('pods that no template reaches are evicted', { skip }, () => {
  test('each once, and go on being so after a kill and after a while without a reloader', async () => {
    await define();
    await using stage = await open();
    const operator = new Operator(stage, await createApp(stage));
    const end = new AbortController();
    const running = operator.run(end.signal);
    await createAll(stage, operator);
    const before = await uidsOf(stage);
    const first = await start(stage);
    await stage.put('web', 'B');
    await stage.until('a Pod of the operator is evicted', () => operator.mostAway > 0);
    await first.kill();
    // A start takes the Pods that it finds for all: while one is away it may evict a second one.
    await stage.until(
      'the operator has all its Pods',
      async () => (await uidsOf(stage, ['app'])).length === 3,
    );
    const second = await start(stage);
    await areReplaced(stage, before);
    await isOver(stage, second, before.length);
    await second.hasSaid(/ReplicaSet\/set rolled: .*evicted/);
    await second.hasSaid(/Pod\/app-\d rolled: .*1 pod evicted/);

    await second.kill();
    const between = await uidsOf(stage);
    await stage.put('web', 'C');
    await stage.beYounger();
    const third = await start(stage);
    await areReplaced(stage, between);
    await isOver(stage, third, 2 * before.length);
    assert.equal(operator.mostAway, 1, 'one Pod of the operator at a time');

    await stage.put('web', 'D');
    operator.isHalted = true;
    const held = await uidsOf(stage, ['app']);
    await stage.until('one Pod is evicted', async () => (await uidsOf(stage, ['app'])).length === 2);
    await stage.put('web', 'C');
    await third.hasSaid(/ConfigMap\/web changed back: nothing left to roll for Pod\/app/);
    operator.isHalted = false;
    await stage.until('all its Pods run', async () => (await uidsOf(stage, ['app'])).length === 3);
    await stage.mark(third);
    const now = await uidsOf(stage, ['app']);
    assert.equal(now.filter((uid) => held.includes(uid)).length, 2, 'those that had not gone stay');
    end.abort();
    await running;
  });

  test('but for a Pod that no controller creates again: an Event has the remedy', async () => {
    await using stage = await open();
    const metadata = { name: 'bare', labels: { app: 'bare', ...EVICT }, annotations: FOLLOWS };
    await stage.expect('POST', 'pods', { metadata, spec: podSpec() });
    const reloader = await start(stage);
    await stage.until('the Event is there', async () =>
      (await stage.list('events')).some(
        (event) =>
          event['reason'] === 'AnnotationNotServed' &&
          pick(event, 'involvedObject', 'kind') === 'Pod' &&
          /never evicted; let a controller/.test(String(event['message'])),
      ),
    );
    await stage.until('it runs', async () => (await uidsOf(stage, ['bare'])).length === 1);
    const before = await uidsOf(stage, ['bare']);
    await stage.put('web', 'B');
    await stage.mark(reloader);
    assert.deepEqual(await uidsOf(stage, ['bare']), before);
  });
});
