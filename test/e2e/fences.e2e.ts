/** The policies that fence the reloader's account: its own writes pass, every other one is refused, whatever RBAC grants. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Send } from '../../lib/kubernetes/transport.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import { OWN_WRITES } from '../install/own-writes.ts';
import { type JsonObject, objectsOf, pick } from '../sandbox/json.ts';
import { type Account, accountOf, isDenied, requestsOf, startAs } from './account.ts';
import {
  CASES,
  cronJob,
  FOLLOWS,
  IN_FORCE,
  job,
  OF_OTHERS,
  ownedBy,
  pathOf,
  pausedByPerson,
  type Request,
  subject,
} from './fenced.ts';
import { CUSTOM, DEFINITIONS, FURTHER_CASES, FURTHER_SUBJECTS, KINDS_DEFINED } from './fenced-kinds.ts';
import { Stage } from './stage.ts';
import { KINDS, type WorkloadParts, web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const skip = !(cluster instanceof ControlPlane) && 'the audit log of a control plane of its own is needed';

const COMPONENTS = ['cron-jobs', 'fences', 'jobs'];
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
const STRATEGY = 'reloader.k8s.collaborne.com/reload-strategy';
const FOLLOWING = { [FOLLOWS]: 'all' };

const PAUSING = web('pausing', {
  annotations: { ...FOLLOWING, 'deployment.reloader.stakater.com/pause-period': '3s' },
});
/** Each kind, each strategy and each vocabulary. */
const WORKLOADS: readonly WorkloadParts[] = [
  PAUSING,
  ...KINDS.map((kind) => web(`variable-${kind.toLowerCase()}`, { kind, annotations: FOLLOWING })),
  ...KINDS.map((kind) =>
    web(`annotation-${kind.toLowerCase()}`, {
      kind,
      annotations: { ...FOLLOWING, [STRATEGY]: 'annotations' },
    }),
  ),
  web('stakater', { annotations: { 'configmap.reloader.stakater.com/reload': 'all' } }),
  web('sap', {
    annotations: {
      'pod-reloader.cs.sap.com/configmaps': 'all',
      'pod-reloader.cs.sap.com/config-hash': 'x',
    },
  }),
  web('wave', {
    follows: { ConfigMap: ['all'] },
    annotations: { 'wave.pusher.com/update-on-config-change': 'true' },
  }),
].map((workload) => ({ ...workload, follows: { ConfigMap: ['all'] } }));

/** Applies the manifests. */
async function install({ installation }: Account, stage: Stage): Promise<void> {
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: installation.objects });
  const { stderr } = await stage.kubectl(['apply', '--validate=strict', '-f', '-'], { input });
  assert.equal(stderr, '');
}

/** Sends; the answer is empty if it was let through, else what refused it. */
async function refusalOf(send: Send, [method, path, body]: Request): Promise<string> {
  const type = Array.isArray(body) ? 'application/json-patch+json' : 'application/merge-patch+json';
  const headers = method === 'PATCH' ? { 'content-type': type } : {};
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await send({ method, path, headers, ...text });
  let answer = '';
  for await (const piece of response.body) answer += piece;
  if (response.status < 300) return '';
  return `${response.status} ${String(pick(JSON.parse(answer) as JsonObject, 'message'))}`;
}

describe('the account of the reloader, though RBAC allows it everything,', { skip }, () => {
  const account = accountOf('base', COMPONENTS);
  let send: Send;

  before(async () => {
    const stage = await Stage.open(cluster, account.namespace);
    await install(account, stage);
    await cluster.expect('POST', BINDINGS, {
      metadata: { name: 'all' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', namespace: account.namespace, name: account.name }],
    });
    send = cluster.sendAs(await cluster.serviceAccountToken(account.namespace, account.name));
    for (const kind of KINDS) await stage.expect('POST', `${kind.toLowerCase()}s`, subject(kind, 'subject'));
    const { metadata } = await stage.expect('POST', 'cronjobs', cronJob('subject'));
    await stage.expect('POST', 'jobs', job('subject', {}));
    await stage.expect('POST', 'jobs', job('run', ownedBy(String(pick(metadata, 'uid')))));
    await stage.expect('POST', 'deployments', pausedByPerson());
    for (const name of ['reloader-state', 'other']) await stage.put(name, 'x');
    for (const definition of KINDS_DEFINED) await cluster.expect('POST', DEFINITIONS, definition);
    for (const [path, body] of [...FURTHER_SUBJECTS, [CUSTOM.path, CUSTOM.body] as const])
      await stage.until(
        `${path} is served`,
        async () => (await cluster.ask('POST', path, body)).status === 201,
      );
    for (const probe of IN_FORCE)
      await stage.until('the policies are in force', async () =>
        (await refusalOf(send, probe)).includes('ValidatingAdmissionPolicy'),
      );
  });
  after(async () => {
    for (const kind of [...KINDS, 'CronJob']) {
      const path = pathOf(kind, 'subject');
      await cluster.expect('PATCH', path, { metadata: { finalizers: null } });
      await cluster.expect('DELETE', path);
    }
    await cluster.expect('DELETE', `${BINDINGS}/all`);
  });

  for (const { name, request, refused } of [...CASES, ...FURTHER_CASES])
    test(`may ${refused === undefined ? '' : 'not '}${name}`, async () => {
      const refusal = await refusalOf(send, request);
      if (refused === undefined) assert.equal(refusal, '');
      else assert.match(refusal, refused);
    });

  test('may write a kind that the settings name once the policy names it too', async () => {
    assert.match(await refusalOf(send, CUSTOM.change), /^403 .*has to be named in furtherKinds/);
    const policy = `${POLICIES}/kubernetes-reloader-writes`;
    const variables = objectsOf(pick(await cluster.expect('GET', policy), 'spec', 'variables'));
    const named = { name: 'furtherKinds', expression: '["apps.example.com/clonesets"]' };
    const others = variables.filter(({ name }) => name !== named.name);
    await cluster.expect('PATCH', policy, { spec: { variables: [...others, named] } });
    const stage = await Stage.open(cluster, account.namespace);
    await stage.until('the kind is named', async () => (await refusalOf(send, CUSTOM.change)) === '');
  });

  test('is the only one that is fenced', async () => {
    assert.equal(await refusalOf(cluster.send, OF_OTHERS), '');
  });

  test('is fenced by policies whose expressions the API server’s schemas know', async () => {
    const stage = await Stage.open(cluster, account.namespace);
    let policies: readonly JsonObject[] = [];
    await stage.until('the policies have been checked', async () => {
      policies = objectsOf((await cluster.expect('GET', POLICIES))['items']);
      return policies.every(({ status }) => pick(status, 'observedGeneration') !== undefined);
    });
    assert.equal(policies.length, 3);
    const warnings = policies.flatMap(({ status }) =>
      objectsOf(pick(status, 'typeChecking', 'expressionWarnings')),
    );
    assert.deepEqual(warnings, []);
  });
});

describe('the reloader with its fences', { skip }, () => {
  test('does all that it does', async () => {
    assert.ok(cluster instanceof ControlPlane);
    const account = accountOf('base', COMPONENTS);
    await using stage = await Stage.open(cluster, account.namespace);
    await install(account, stage);
    await stage.put('all', 'A');
    for (const workload of WORKLOADS) await stage.create(workload);
    await stage.expect('POST', 'cronjobs', cronJob('all'));
    await stage.expect('POST', 'jobs', job('all', { annotations: FOLLOWING }));
    const uid = pick(await stage.expect('GET', 'jobs/all'), 'metadata', 'uid');

    const earlier = (await requestsOf(account, cluster)).length;
    const reloader = await startAs(account, stage, ['--dialects=collaborne,stakater,sap,wave']);
    const before = await Promise.all(WORKLOADS.map((each) => stage.revision(each)));
    await stage.put('all', 'B');
    await stage.until('the pause is over', async () => {
      const live = await stage.live(PAUSING);
      return pick(live, 'spec', 'paused') !== true && !JSON.stringify(live).includes(OWN_WRITES.pausedAt);
    });
    await stage.until('the CronJob runs', async () =>
      (await stage.list('jobs')).some((each) => JSON.stringify(each).includes('"manual"')),
    );
    await stage.until('the Job is another one', async () => {
      const { status, body } = await cluster.ask('GET', stage.path('jobs/all'));
      const copies = (await stage.list('jobs')).filter(
        ({ metadata }) => pick(metadata, 'name') === 'all-reload',
      );
      return status === 200 && pick(body, 'metadata', 'uid') !== uid && copies.length === 0;
    });
    await stage.settled(reloader);
    for (const [index, workload] of WORKLOADS.entries()) {
      await stage.rolledOut(workload);
      assert.equal(await stage.revision(workload), Number(before[index]) + 1, workload.name);
    }
    assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
    assert.deepEqual((await requestsOf(account, cluster)).slice(earlier).filter(isDenied), []);
  });
});
