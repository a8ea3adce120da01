/** The commands on a real API server: as a person who may view or edit a namespace, and as one who may do nothing. */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { WorkloadExplanation } from '../../lib/commands/explain/explanation.ts';
import type { Plan } from '../../lib/commands/manifests/plan-answer.ts';
import { type ConfigRef, describe as titleOf } from '../../lib/model/object-ref.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import { type Ended, run } from '../tour/tour.ts';
import { Stage } from './stage.ts';
import { web } from './workloads.ts';

const cluster = await startCluster();

const APP = web('app', { follows: { ConfigMap: ['web'], Secret: ['tls'] } });
const SECRET = 'hush-hush';

let stage: Stage;
/** By person, the path of a kubeconfig. */
const kubeconfigs: Record<string, string> = {};

before(async () => {
  stage = await Stage.open(cluster);
  await stage.put('web', 'A');
  await stage.put('tls', SECRET, 'Secret');
  await stage.create(APP);
  const reloader = await stage.reloader();
  await stage.put('web', 'B');
  await stage.settled(reloader);
  await reloader.stop();
  await stage.put('web', 'C');
  for (const [person, role] of Object.entries({
    view: 'view',
    edit: 'edit',
    nobody: undefined,
  })) {
    await stage.kubectl(['create', 'serviceaccount', person]);
    const account = `--serviceaccount=${stage.namespace}:${person}`;
    if (role !== undefined)
      await stage.kubectl(['create', 'rolebinding', person, `--clusterrole=${role}`, account]);
    const token = await cluster.serviceAccountToken(stage.namespace, person);
    kubeconfigs[person] = await cluster.kubeconfig({ token, namespace: stage.namespace });
  }
});
after(async () => {
  await stage[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

function as(person: string, line: string, input = ''): Promise<Ended> {
  return run(line, kubeconfigs[person] ?? '', input);
}

async function answered<T>(person: string, line: string, expected = 0): Promise<T> {
  const { code, stdout, stderr } = await as(person, `${line} -o json`);
  assert.equal(code, expected, stderr);
  return JSON.parse(stdout) as T;
}

describe('explain', () => {
  test('answers all of it to a person who may edit', async () => {
    const { follows, causes, unknown } = await answered<WorkloadExplanation>(
      'edit',
      'reloader explain deploy/app --reloader none',
    );
    assert.deepEqual(
      follows.map(({ object, pods }) => [titleOf(object), pods]),
      [
        ['ConfigMap/web', 'out of date'],
        ['Secret/tls', 'no change to roll'],
      ],
    );
    assert.ok(causes.some(({ rule }) => rule === 'needs-rollout'));
    assert.deepEqual(unknown, []);
  });

  test('says to a person who may view what is not known without Secrets, and answers the rest', async () => {
    const line = 'reloader explain deploy/app --reloader none';
    const explained = await answered<WorkloadExplanation>('view', line, 3);
    assert.deepEqual(
      explained.follows.map(({ object, asks, pods }) => [titleOf(object), asks, pods]),
      [
        ['ConfigMap/web', true, 'unknown'],
        ['Secret/tls', true, 'unknown'],
      ],
    );
    assert.match(explained.unknown.join(), /you may not read Secret\/reloader-state-key/);
    assert.match(explained.unknown.join(), /not read: Secret /);
  });

  test('says to a person without rights that there are none', async () => {
    const { code, stderr } = await as('nobody', 'reloader explain deploy/app');
    assert.equal(code, 3);
    assert.match(stderr, /Deployment\/app in namespace \S+ may not be read with your rights/);
  });
});

test('plan says what a changed manifest rolls, and nothing if what is applied is what is there', async () => {
  const live = (await stage.kubectl(['get', 'deploy/app', 'configmap/web', '-o', 'yaml'])).stdout;
  const same = await as('edit', 'reloader plan -f - --reloader none', live);
  assert.equal(same.code, 0, same.stdout + same.stderr);
  const manifest = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'tls', annotations: { 'reloader.k8s.collaborne.com/stages': '1,50%' } },
    stringData: { key: 'B' },
  });
  const { namespace } = stage;
  const tls = { kind: 'Secret', namespace, name: 'tls' };
  const { code, stdout, stderr } = await as('edit', 'reloader plan -f - --reloader none -o json', manifest);
  assert.equal(code, 2, stderr);
  assert.deepEqual(
    (JSON.parse(stdout) as Plan).rollouts.map(({ workload, objects, when }) => [
      workload,
      objects,
      / (in stage .*?\))/.exec(when)?.[1],
    ]),
    [[{ kind: 'Deployment', namespace, name: 'app' }, [{ ...tls, keys: ['key'] }], 'in stage 1 of 1 (1)']],
  );
  assert.ok(!stdout.includes(SECRET));
  const seen = await as('view', 'reloader plan -f -', manifest);
  assert.equal(seen.code, 3);
  assert.match(seen.stdout, /\nunknown, because Secret in \S+: you may not list it\n$/);
  const unseen = await as('nobody', 'reloader plan -f -', manifest);
  assert.equal(unseen.code, 3);
  assert.match(unseen.stdout, /\nunknown, because .*Secret in \S+: you may not list it.*\n$/);
});

test('plan has an answer about one object of every kind that the API server serves', async () => {
  const { stdout: table } = await stage.kubectl(['api-resources', '--no-headers', '--verbs=list']);
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/).slice(-3));
  const objects = rows.map(([apiVersion, , kind]) => ({ apiVersion, kind, metadata: { name: 'one' } }));
  assert.ok(objects.length > 40, table);
  const input = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  const { code, stdout, stderr } = await as('edit', 'reloader plan -f - --reloader none', input);
  assert.equal(code, 0, stdout + stderr);
  assert.match(
    stdout,
    /created ConfigMap\/one in .*\n[\s\S]*No workload is rolled for a changed object, if the API server accepts the manifests\.\n$/,
  );
});

/** By what is wrong, what is written in place of a part of the kubeconfig, and what the command says. */
const CONNECTIONS: Readonly<Record<string, readonly [part: RegExp, instead: string, says: RegExp]>> = {
  'a token that is no good': [
    /"token":"[^"]+"/,
    '"token":"none"',
    /^reloader graph: the API server answers with an error: Unauthorized: .*, or log in again\n$/,
  ],
  'http in place of https': [
    /https:/,
    'http:',
    /^reloader graph: the API server answers with an error: .*: write https in its address\n$/,
  ],
  'no authority': [
    /"certificate-authority-data":"[^"]+"/,
    '"tls-server-name":"localhost"',
    /^reloader graph: the API server does not answer: .*certificate.*: set its certificate-authority\n$/,
  ],
};

describe('a kubeconfig that does not work: one line says what to do about', () => {
  for (const [name, [part, instead, says]] of Object.entries(CONNECTIONS))
    test(name, async () => {
      const file = await cluster.kubeconfig();
      const text = await readFile(file, 'utf8');
      assert.ok(part.test(text));
      await writeFile(file, text.replace(part, instead));
      const { code, stdout, stderr } = await run('reloader graph', file);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, says);
    });
});

test('explain says that a kind is not served', async () => {
  const { code, stderr } = await run(
    'reloader explain rollout/app --reloader none',
    await cluster.kubeconfig(),
  );
  assert.equal(code, 1);
  assert.match(stderr, /explain: the cluster does not serve rollouts\.argoproj\.io$/m);
});

test('graph has the edges of the namespace', async () => {
  const { edges } = await answered<{ edges: { object: ConfigRef; pods: string }[] }>(
    'edit',
    'reloader graph --reloader none',
  );
  assert.deepEqual(
    edges.map(({ object, pods }) => [titleOf(object), pods]),
    [
      ['ConfigMap/web', 'out of date'],
      ['Secret/tls', 'no change to roll'],
    ],
  );
});

test('no command has written anything', async () => {
  const accounts = ['view', 'edit', 'nobody'].map(
    (name) => `system:serviceaccount:${stage.namespace}:${name}`,
  );
  if (!('audit' in cluster)) return;
  const requests = await (
    cluster as { audit: () => Promise<{ user: string; verb: string; resource: string }[]> }
  ).audit();
  const writes = requests.filter(
    ({ user, verb, resource }) =>
      accounts.includes(user) &&
      !['get', 'list', 'watch'].includes(verb) &&
      !resource.startsWith('selfsubject'),
  );
  assert.deepEqual(writes, []);
});
