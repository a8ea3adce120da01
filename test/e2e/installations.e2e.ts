/**
 * Each command beside each way of installation, as people with different rights: an answer is that of the administrator, or it is
 * unknown. Nobody is told that all is well for lack of a right, or because the reloader was not found.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { render as renderChart, skipWithoutHelm } from '../install/chart.ts';
import { installedBy } from '../install/installation.ts';
import { K8S, render } from '../install/kustomization.ts';
import { type JsonObject, objectsOf, pick } from '../sandbox/json.ts';
import { parseManifests } from '../sandbox/manifest-files.ts';
import { type Ended, run } from '../tour/tour.ts';
import { accountIn, startAs } from './account.ts';
import { Stage } from './stage.ts';
import { annotationsFor, web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const skip = !cluster.access.hasAccounts && 'the rights of people are needed';

/** One way to install it: the objects, and a namespace that it watches. */
interface Way {
  readonly objects: () => readonly JsonObject[];
  readonly namespace: string;
  readonly skip: string | false;
}

const ONE_FILE = path.join(K8S, 'reloader-cluster.yaml');
const WAYS: Readonly<Record<string, Way>> = {
  'one file': {
    objects: () => parseManifests(readFileSync(ONE_FILE, 'utf8'), ONE_FILE),
    namespace: 'shop',
    skip,
  },
  'k8s/base': { objects: () => render('base'), namespace: 'default', skip },
  'k8s/namespaces': { objects: () => render('namespaces'), namespace: 'web', skip },
  'the chart': {
    objects: () =>
      renderChart({}, { release: 'rel', namespace: 'tools' }).filter(
        (object) => pick(object, 'metadata', 'annotations', 'helm.sh/hook') === undefined,
      ),
    namespace: 'shop',
    skip: skip || skipWithoutHelm(),
  },
};

const FOLLOWS = { ConfigMap: ['web'], Secret: ['tls'] };
const APP = web('app', {
  follows: FOLLOWS,
  annotations: { ...annotationsFor(FOLLOWS), 'reloader.k8s.collaborne.com/hold': 'true' },
});
const CHANGED = JSON.stringify({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'web' },
  data: { key: 'C' },
});

/** Each command, the exit code of the administrator, and what the answer has. */
const COMMANDS: readonly (readonly [line: string, code: number, says: RegExp])[] = [
  [
    'reloader explain deployment/app',
    0,
    /is held[\s\S]*ConfigMap\/web: out of date[\s\S]*No change to roll: Secret\/tls/,
  ],
  ['reloader explain configmap/web', 0, /Rolled when it changes\n {2}Deployment\/app: out of date/],
  ['reloader graph', 0, /ConfigMap\/web in \S+\n {2}Deployment\/app in \S+: out of date/],
  ['reloader plan -f -', 2, /1 rollout by the reloader/],
  ['reloader migrate --from stakater', 0, /is there: nothing to migrate [\s\S]*, 0 not known/],
];
/** What may not be said if something is unknown; what one reloader has recorded may, beside what others do. */
const CLAIMS =
  /^(?![\s\S]*whether another reloader)[\s\S]*[Nn]o change to roll|No workload (is rolled|is out|follows)|none: the defaults|nothing (is left|to migrate)/;

/** By person, the ClusterRole that a RoleBinding gives; the administrator has all rights. */
const PEOPLE: Readonly<Record<string, string | undefined>> = {
  edit: 'edit',
  view: 'view',
  nobody: undefined,
};

/** The kubeconfig of a person. */
async function kubeconfigOf(stage: Stage, person: string, role: string | undefined): Promise<string> {
  const { namespace } = stage;
  await stage.kubectl(['create', 'serviceaccount', person]);
  const account = `--serviceaccount=${namespace}:${person}`;
  if (role !== undefined)
    await stage.kubectl(['create', 'rolebinding', person, `--clusterrole=${role}`, account]);
  const token = await cluster.serviceAccountToken(namespace, person);
  return await cluster.kubeconfig({ token, namespace });
}

/** Applies the objects; a reloader with their arguments and rights records what is there, and then something changes. */
async function install(stage: Stage, objects: readonly JsonObject[]): Promise<void> {
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  await stage.kubectl(['apply', '-f', '-'], { input });
  const account = accountIn(installedBy(objects));
  const { namespace } = account;
  const name = String(pick(account.installation.deployment, 'metadata', 'name'));
  await stage.until('the pod of the reloader is ready', async () => {
    const pathname = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;
    return pick(await cluster.expect('GET', pathname), 'status', 'readyReplicas') === 1;
  });
  await stage.put('web', 'A');
  await stage.put('tls', 'A', 'Secret');
  await stage.create(APP);
  const reloader = await startAs(account, stage);
  await reloader.stop();
  // As if its pod held the Lease for as long as the test runs.
  const pods = objectsOf(pick(await cluster.expect('GET', `/api/v1/namespaces/${namespace}/pods`), 'items'));
  const pod = pods.find((each) => String(pick(each, 'metadata', 'name')).startsWith(`${name}-`));
  const identity = [pick(pod, 'metadata', 'name'), pick(pod, 'metadata', 'uid'), '0a'].join('_');
  const spec = { holderIdentity: identity, renewTime: '2999-01-31T12:00:00.000000Z' };
  const lease = ['patch', 'lease', 'reloader-state', '-n', namespace, '--type=merge', '-p'];
  await stage.kubectl([...lease, JSON.stringify({ spec })]);
  await stage.put('web', 'B');
}

/** By command, what the administrator is told. */
async function answersOfAdmin(kubeconfig: string): Promise<ReadonlyMap<string, Ended>> {
  const truths = new Map<string, Ended>();
  for (const [line, code, says] of COMMANDS) {
    const truth = await run(line, kubeconfig, CHANGED);
    assert.match(truth.stdout, says, truth.stderr);
    // Once the state marks the workload, the leader would have to be asked: no process runs in its pod.
    const isUnasked = truth.code === 3 && /alone knows whether pods/.test(truth.stdout);
    assert.ok(truth.code === code || isUnasked, `${truth.code}: ${truth.stdout}${truth.stderr}`);
    truths.set(line, truth);
  }
  return truths;
}

function assertKnownOrUnknown({ code, stdout, stderr }: Ended, known: Ended, what: string): void {
  const text = `${what}: ${code}\n${stdout}${stderr}`;
  if (code !== 3) assert.deepEqual([code, stdout], [known.code, known.stdout], text);
  else assert.ok(/unknown|not known|may not be read/i.test(stdout + stderr) && !CLAIMS.test(stdout), text);
}

describe('each command answers the truth, or that it is unknown, beside', { concurrency: 1 }, () => {
  for (const [name, { objects, namespace, skip: without }] of Object.entries(WAYS))
    test(name, { skip: without }, async () => {
      const all = objects();
      const home = String(pick(installedBy(all).deployment, 'metadata', 'namespace'));
      for (const each of new Set(['api', home])) await Stage.open(cluster, each);
      await using stage = await Stage.open(cluster, namespace);
      await install(stage, all);
      const truths = await answersOfAdmin(await stage.kubeconfig());
      for (const [person, role] of Object.entries(PEOPLE)) {
        const kubeconfig = await kubeconfigOf(stage, person, role);
        for (const [line, truth] of truths)
          assertKnownOrUnknown(await run(line, kubeconfig, CHANGED), truth, `${line} as ${person}`);
      }
      await stage.kubectl(['delete', 'lease', 'reloader-state', '-n', home]);
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: all });
      await stage.kubectl(['delete', '--wait=false', '-f', '-'], { input });
    });
});
