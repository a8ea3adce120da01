/**
 * Facts that the program is built on and that take kubectl, controllers or rights to see. What takes only requests is
 * in the rules of the API. Each holds on a real cluster and on the sandbox, as far as that has such things.
 */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { until } from '../integration/reloader-process.ts';
import {
  configMap,
  deployment,
  envPatch,
  metadataOf,
  RuleClient,
  variablesOf,
} from '../sandbox/api-rules.ts';
import { type JsonObject, objectOf, pick } from '../sandbox/json.ts';
import { PLACES, type Place } from './places.ts';
import { hasWritten } from './programs.ts';
import { defineRollers, patchRoller, ROLLER, rollerIn } from './rollers.ts';
import { Stage } from './stage.ts';
import { KINDS, manifestOf, type WorkloadName } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const STAMP = { name: 'STAMP', value: '1' };
const OPT_IN = 'reloader.k8s.collaborne.com/configmap';

/** The manifest of the Deployment `web`, as its owner keeps it. */
function webWith(env: readonly JsonObject[], container = 'app'): string {
  const variables = env.length === 0 ? {} : { env };
  return JSON.stringify(
    deployment('web', { containers: [{ name: container, image: 'app:1', ...variables }] }),
  );
}

function own(value: string): JsonObject {
  return { name: 'OWN', value };
}

/** Somebody else adds a variable to the template. */
async function stamp({ api }: Place): Promise<void> {
  const path = 'deployments/web?fieldManager=reloader';
  assert.equal((await api.patch(path, 'strategic-merge-patch', envPatch('app', STAMP))).status, 200);
}

async function variables({ api }: Place, container = 'app'): Promise<object> {
  return variablesOf((await api.get('deployments/web')).body, container);
}

/** What kubectl does to a variable of somebody else. */
const OWNERS: Readonly<Record<string, (place: Place) => Promise<void>>> = {
  'kubectl apply keeps a variable that it does not know': async (place) => {
    await place.kubectl(['apply', '-f', '-'], webWith([own('1')]));
    await stamp(place);
    await place.kubectl(['apply', '-f', '-'], webWith([own('2')]));
    assert.deepEqual(await variables(place), { OWN: '2', STAMP: '1' });
  },
  'kubectl apply that has no variables any more drops all of them': async (place) => {
    await place.kubectl(['apply', '-f', '-'], webWith([own('1')]));
    await stamp(place);
    await place.kubectl(['apply', '-f', '-'], webWith([]));
    assert.deepEqual(await variables(place), {});
  },
  'kubectl apply that renames the container drops its variables': async (place) => {
    await place.kubectl(['apply', '-f', '-'], webWith([own('1')]));
    await stamp(place);
    await place.kubectl(['apply', '-f', '-'], webWith([own('1')], 'main'));
    assert.deepEqual([await variables(place, 'main'), await variables(place)], [{ OWN: '1' }, {}]);
  },
  'kubectl apply --server-side keeps a variable of somebody else, also when it has none any more itself':
    async (place) => {
      await place.kubectl(['apply', '--server-side', '-f', '-'], webWith([own('1')]));
      await stamp(place);
      await place.kubectl(['apply', '--server-side', '-f', '-'], webWith([own('2')]));
      assert.deepEqual(await variables(place), { OWN: '2', STAMP: '1' });
      await place.kubectl(['apply', '--server-side', '-f', '-'], webWith([]));
      assert.deepEqual(await variables(place), { STAMP: '1' });
    },
  'kubectl replace drops a variable that it does not name': async (place) => {
    await place.kubectl(['create', '-f', '-'], webWith([own('1')]));
    await stamp(place);
    await place.until('it is replaced', () =>
      hasWritten(() => place.kubectl(['replace', '-f', '-'], webWith([own('1')]))),
    );
    assert.deepEqual(await variables(place), { OWN: '1' });
  },
};

/** The plural and the name, as the client of the rules wants them. */
function below({ kind, name }: WorkloadName): string {
  return `${kind.toLowerCase()}s/${name}`;
}

async function untilSeen(place: Place, workload: WorkloadName): Promise<void> {
  await place.until(`the controller has seen ${workload.name}`, async () => {
    const { body } = await place.api.get(below(workload));
    return pick(body, 'status', 'observedGeneration') === metadataOf(body, 'generation');
  });
}

/** A workload that has had two templates, and was opted in between them; then the second is undone. */
async function undone(place: Place, workload: WorkloadName): Promise<JsonObject> {
  const edit = async (annotations: JsonObject, value: string): Promise<void> => {
    const template = { spec: { template: { metadata: { annotations: { version: value } } } } };
    const patch = { metadata: { annotations }, ...template };
    assert.equal((await place.api.patch(below(workload), 'merge-patch', patch)).status, 200);
    await untilSeen(place, workload);
  };
  const whole = manifestOf({ ...workload, follows: {}, replicas: 1 });
  await place.api.created(`${workload.kind.toLowerCase()}s`, whole);
  await untilSeen(place, workload);
  await edit({ note: 'old' }, '1');
  await edit({ note: 'new', [OPT_IN]: 'web' }, '2');
  await place.undo(workload);
  await untilSeen(place, workload);
  const { body } = await place.api.get(below(workload));
  const annotations = Object.fromEntries(
    Object.entries(objectOf(metadataOf(body, 'annotations'))).filter(([key]) => !COUNTERS.includes(key)),
  );
  const version = pick(body, 'spec', 'template', 'metadata', 'annotations', 'version');
  return { annotations, version: version ?? '' };
}

/** Annotations in which a server or a controller counts templates. */
const COUNTERS = ['deployment.kubernetes.io/revision', 'deprecated.daemonset.template.generation'];

for (const [name, placeIn] of Object.entries(PLACES)) {
  describe(`in ${name}`, { concurrency: 3 }, () => {
    for (const [words, run] of Object.entries(OWNERS)) {
      test(words, async () => {
        await using place = await placeIn(cluster);
        await run(place);
      });
    }

    for (const kind of KINDS) {
      const isDeployment = kind === 'Deployment';
      test(`an undo of a ${kind} ${isDeployment ? 'restores' : 'leaves'} its annotations`, async () => {
        await using place = await placeIn(cluster);
        const annotations = isDeployment ? { note: 'old' } : { note: 'new', [OPT_IN]: 'web' };
        assert.deepEqual(await undone(place, { kind, name: 'web' }), { annotations, version: '1' });
      });
    }
  });
}

/** The sandbox has neither rights nor kinds that somebody else defines. */
describe('in a real cluster only', { concurrency: 3 }, () => {
  test('a right to create that names an object is one to apply it, and none to post it', async () => {
    await using stage = await Stage.open(cluster);
    const verbs = ['create', 'patch', 'get'];
    const api = await clientWith(stage, {
      apiGroups: [''],
      resources: ['configmaps'],
      resourceNames: ['ours'],
      verbs,
    });
    await until('the right is known', async () => (await api.get('configmaps/ours')).status === 404);
    const apply = async (name: string): Promise<number> =>
      (await api.patch(`configmaps/${name}?fieldManager=us`, 'apply-patch', configMap(name))).status;
    assert.equal((await api.create('configmaps', configMap('ours'))).status, 403);
    assert.equal(await apply('others'), 403);
    assert.equal(await apply('ours'), 201);
  });

  test('a custom resource takes no strategic merge patch; a JSON patch is fenced by a test', async () => {
    await using stage = await Stage.open(cluster);
    await defineRollers(stage);
    await stage.kubectl(['create', '-f', '-'], { input: JSON.stringify(ROLLER) });
    const value = metadataOf(await cluster.expect('GET', rollerIn(stage)), 'resourceVersion') ?? '';
    const fenced = [
      { op: 'test', path: '/metadata/resourceVersion', value },
      { op: 'add', path: '/spec/template/metadata', value: { annotations: { stamp: '1' } } },
    ];
    assert.equal(await patchRoller(stage, 'strategic-merge-patch', { spec: {} }), 415);
    assert.equal(await patchRoller(stage, 'json-patch', fenced), 200);
    assert.equal(await patchRoller(stage, 'json-patch', fenced), 422);
  });

  test('kubectl apply drops a variable of somebody else from a custom resource, and keeps an annotation', async () => {
    await using stage = await Stage.open(cluster);
    await defineRollers(stage);
    const input = JSON.stringify(ROLLER);
    await stage.kubectl(['apply', '-f', '-'], { input });
    const stamped = { name: 'app', image: 'app:1', env: [own('1'), STAMP] };
    const template = { metadata: { annotations: { stamp: '1' } }, spec: { containers: [stamped] } };
    await cluster.expect('PATCH', rollerIn(stage), { spec: { template } });
    await stage.kubectl(['apply', '-f', '-'], { input });
    const live = await cluster.expect('GET', rollerIn(stage));
    assert.deepEqual(variablesOf(live), { OWN: '1' });
    assert.deepEqual(pick(live, 'spec', 'template', 'metadata', 'annotations'), { stamp: '1' });
  });
});

/** A client of a ServiceAccount that has one right in the namespace. */
async function clientWith(stage: Stage, rule: JsonObject): Promise<RuleClient> {
  const { namespace } = stage;
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const metadata = { name: 'writer' };
  await stage.expect('POST', 'serviceaccounts', { metadata });
  await cluster.expect('POST', `${rbac}/roles`, { metadata, rules: [rule] });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'writer' };
  const subjects = [{ kind: 'ServiceAccount', name: 'writer', namespace }];
  await cluster.expect('POST', `${rbac}/rolebindings`, { metadata, roleRef, subjects });
  return new RuleClient(cluster.sendAs(await cluster.serviceAccountToken(namespace, 'writer')), namespace);
}
