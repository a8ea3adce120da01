/** The Helm chart on a real API server: what it renders is accepted, and what it installs does its job with its rights. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { freePort } from '../control-plane/free-port.ts';
import type { HelmVersion } from '../control-plane/recipe.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import { CHART, render, skipWithoutHelm } from '../install/chart.ts';
import { VALUE_SETS } from '../install/chart-values.ts';
import { type JsonObject, objectOf, objectsOf } from '../sandbox/json.ts';
import { isDenied, requestsOf, startAs } from './account.ts';
import { restsAt } from './endings.ts';
import { helm, Release } from './release.ts';
import { Stage } from './stage.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const skip =
  cluster instanceof ControlPlane
    ? skipWithoutHelm()
    : 'the audit log of a control plane of its own is needed';

/** Kinds of operators, by group and version; they take any field here. */
const CUSTOM: Readonly<Record<string, readonly string[]>> = {
  'monitoring.coreos.com/v1': ['PodMonitor', 'ServiceMonitor', 'PrometheusRule'],
  'autoscaling.k8s.io/v1': ['VerticalPodAutoscaler'],
  'cert-manager.io/v1': ['Certificate', 'Issuer'],
};
/** The namespaces that the values name, and the release's. */
const NAMESPACES = ['tools', 'web', 'api', 'elsewhere', 'state', 'locks', 'monitoring'];

/** What this control plane does not have, by set of values. */
const ABSENT: Readonly<Record<string, string>> = {
  'a service of two families': 'its Services have addresses of one family',
};

/** The sets whose reloader is run. */
const RUN = [
  'the defaults',
  'one namespace',
  'namespaces by their labels',
  'no Secrets',
  'neither Jobs nor CronJobs',
  'other annotations',
  'the strategy annotations',
  'alerts as they had them',
  'another state',
  'another Lease',
  'no leader',
  'their HA',
  'an account of its own',
  'another full name',
  'further labels of the selectors',
  'the admission webhook',
  'fences',
];

async function createCustomKinds(): Promise<void> {
  for (const [apiVersion, kinds] of Object.entries(CUSTOM)) {
    const [group = '', version = ''] = apiVersion.split('/');
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    for (const kind of kinds) {
      const plural = `${kind.toLowerCase()}s`;
      await cluster.expect('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        metadata: { name: `${plural}.${group}`, annotations: { 'api-approved.kubernetes.io': 'unapproved' } },
        spec: {
          group,
          names: { kind, plural },
          scope: 'Namespaced',
          versions: [{ name: version, served: true, storage: true, schema }],
        },
      });
    }
  }
}

/** A namespace in which Pod Security speaks of what is less than restricted. */
async function open(name?: string): Promise<Stage> {
  const stage = await Stage.open(cluster, name);
  const labels = { 'pod-security.kubernetes.io/warn': 'restricted', team: 'web' };
  await cluster.expect('PATCH', `/api/v1/namespaces/${stage.namespace}`, { metadata: { labels } });
  return stage;
}

if (skip === false) {
  await createCustomKinds();
  const [stage] = await Promise.all(NAMESPACES.map((name) => open(name)));
  await stage?.kubectl(['wait', '--for=condition=Established', 'crd', '--all']);
}

/** A pod as one of the account that is there: what a dry run creates is not. */
function withAccount(object: JsonObject): JsonObject {
  if (object['kind'] !== 'Pod') return object;
  return { ...object, spec: { ...objectOf(object['spec']), serviceAccountName: 'default' } };
}

describe('the API server accepts, without a warning, the chart with', { skip, concurrency: 1 }, () => {
  const create = ['create', '--dry-run=server', '--validate=strict', '--warnings-as-errors', '-f', '-'];
  for (const { name, values, ...rendering } of VALUE_SETS) {
    test(name, { skip: ABSENT[name] ?? false }, async () => {
      const objects = render(values, { release: 'web', namespace: 'tools', ...rendering });
      const stage = await Stage.open(cluster, 'tools');
      const items = objects.map(withAccount);
      await stage.kubectl(create, { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) });
    });
  }

  test('no field that does not exist', async () => {
    const stage = await Stage.open(cluster, 'tools');
    const items = render().map((object) => ({ ...object, specs: {} }));
    await assert.rejects(
      stage.kubectl(create, { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) }),
      /unknown field "specs"/,
    );
  });
});

describe('a release, with its arguments, variables and rights, does its job with', {
  skip,
  concurrency: 1,
}, () => {
  for (const [index, set] of RUN.entries()) {
    test(set, async () => {
      assert.ok(cluster instanceof ControlPlane);
      const { values } = VALUE_SETS.find(({ name }) => name === set) ?? assert.fail();
      await using stage = await open();
      const workload = await stage.createPair();
      const release = new Release(stage, index % 2 === 0 ? 3 : 4, `run-${index}`);
      await release.bring(CHART, values);
      const account = await release.account();
      const flags = account.installation.options.webhookPort ? [`--webhook-port=${await freePort()}`] : [];
      const reloader = await startAs(account, stage, flags);
      await stage.changeAndRoll(workload, 'B');
      await restsAt(stage, reloader, workload, 2);
      assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
      assert.deepEqual((await requestsOf(account, cluster)).filter(isDenied), []);
      await release.uninstall();
    });
  }
});

/** Runs what the pod of `helm test` runs, as its ServiceAccount; answers its exit code and what it wrote. */
async function runCanary(stage: Stage, pod: string): Promise<{ code: number; said: string }> {
  await stage.until('Helm has made the pod', async () => {
    const { status } = await cluster.ask('GET', stage.path(`pods/${pod}`));
    return status === 200;
  });
  const spec = objectOf((await stage.expect('GET', `pods/${pod}`))['spec']);
  const token = path.join(cluster.access.folder, `token-${pod}`);
  const authority = path.join(cluster.access.folder, `authority-${pod}`);
  await writeFile(
    token,
    await cluster.serviceAccountToken(stage.namespace, String(spec['serviceAccountName'])),
  );
  await writeFile(authority, cluster.access.ca);
  const [container] = objectsOf(spec['containers']);
  const [, ...words] = [container?.['command'], container?.['args']].flat() as string[];
  const env = Object.fromEntries(
    objectsOf(container?.['env']).map(({ name, value }) => [String(name), String(value)]),
  );
  const here = { API_SERVER: cluster.access.url, TOKEN_FILE: token, NODE_EXTRA_CA_CERTS: authority };
  const child = spawn(process.execPath, words, {
    env: { ...env, ...here },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await once(child, 'close')) as [number];
  return { code, said: (await texts).join('') };
}

/** `helm test`, whose pod runs as a process, and ends as that does. */
async function testRelease(version: HelmVersion): Promise<void> {
  await using stage = await open();
  await stage.createMarker();
  const release = new Release(stage, version, 'tried');
  await release.bring(CHART, {});
  await startAs(await release.account(), stage);
  const tested = helm(stage, version, ['test', 'tried']);
  const pod = 'tried-reloader-canary';
  const { code, said } = await runCanary(stage, pod);
  await stage.expect('PATCH', `pods/${pod}/status`, {
    status: { phase: code === 0 ? 'Succeeded' : 'Failed' },
  });
  assert.equal(code, 0, said);
  assert.match((await tested).stdout, /Phase:\s+Succeeded/);
  for (const resource of ['pods', 'serviceaccounts', 'configmaps', 'deployments'])
    assert.equal((await cluster.ask('GET', stage.path(`${resource}/${pod}`))).status, 404, resource);
  await release.uninstall();
}

describe('helm test, whose pod is run as a process,', { skip, concurrency: 1 }, () => {
  for (const version of [3, 4] as const)
    test(`succeeds with Helm ${version}, and leaves nothing`, { skip: skipWithoutHelm(version) }, () =>
      testRelease(version),
    );
});
