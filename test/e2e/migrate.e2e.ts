/** Every command that `migrate` prints is run: then the other reloader is gone, and this one has its settings and enough rights. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WorkloadExplanation } from '../../lib/commands/explain/explanation.ts';
import type { Migration } from '../../lib/commands/migrate/migration.ts';
import { helmOf } from '../control-plane/assets.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { skipWithoutHelm } from '../install/chart.ts';
import { installedBy } from '../install/installation.ts';
import { type JsonObject, objectsOf, pick } from '../sandbox/json.ts';
import { run } from '../tour/tour.ts';
import { accountIn, startAs } from './account.ts';
import { Shell } from './guide.ts';
import { Stage } from './stage.ts';
import { AUTO } from './stakater-rules.ts';
import { web } from './workloads.ts';

/** One installation of another reloader. */
interface Way {
  /** @default stakater */
  readonly from?: string;
  /** The commands that install it. */
  readonly before: string;
  /** Where this one is afterwards. */
  readonly is: readonly [namespace: string, name: string];
  /** Some of its arguments. */
  readonly args: readonly string[];
  /** The annotations of a workload. @default none */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly skip?: string | false;
}

const helm = helmOf(4);
const CHART =
  'kubernetes-reloader/test/e2e/stakater-chart --namespace tools --set reloader.reloadOnCreate=true';
const URL = 'http://127.0.0.1:9/hush-hush';
const STAKATER = 'ghcr.io/stakater/reloader:v1.4.21';

/** Applies the Deployment of another reloader. */
function applied(namespace: string, name: string, container: JsonObject): string {
  const labels = { service: 'reloader' };
  const spec = { serviceAccountName: name, containers: [{ name: 'reloader', ...container }] };
  const template = { metadata: { labels }, spec };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  };
  return `kubectl create serviceaccount ${name} -n ${namespace}
kubectl apply -f - <<'end'\n${JSON.stringify(deployment)}\nend\n`;
}

const WAYS: Readonly<Record<string, Way>> = {
  'a release of the chart of Stakater': {
    before: `helm install rel ${CHART} --create-namespace`,
    is: ['tools', 'rel-reloader'],
    args: ['--reload-on-create'],
    annotations: AUTO,
    skip: skipWithoutHelm(),
  },
  'what the chart of Stakater renders': {
    before: `kubectl create namespace tools
helm template rel ${CHART} --set reloader.namespaceSelector=kubernetes.io/metadata.name=shop | kubectl apply -f -`,
    is: ['tools', 'rel-reloader'],
    args: ['--reload-on-create=true'],
    annotations: AUTO,
    skip: skipWithoutHelm(),
  },
  'the manifests of Stakater, with an alert': {
    before: `kubectl create secret generic alerts --from-literal=url=${URL}
${applied('default', 'reloader-reloader', {
  image: STAKATER,
  args: ['--auto-reload-all=true'],
  env: [
    { name: 'ALERT_ON_RELOAD', value: 'true' },
    { name: 'ALERT_WEBHOOK_URL', valueFrom: { secretKeyRef: { name: 'alerts', key: 'url' } } },
  ],
})}`,
    is: ['default', 'reloader-reloader'],
    args: ['--auto-reload-all=true'],
  },
  'the manifests of Stakater for two namespaces, with the address of an alert': {
    before: `kubectl create namespace reloader; ${applied('reloader', 'reloader', {
      image: STAKATER,
      args: ['--namespaces=shop,default', '--resources-to-ignore=secrets'],
      env: [{ name: 'ALERT_WEBHOOK_URL', value: URL }],
    })}`,
    is: ['reloader', 'reloader'],
    args: ['--namespaces=shop,default'],
    annotations: AUTO,
  },
  "Collaborne's manifests": {
    from: 'collaborne',
    before: applied('shop', 'reloader', {
      image: 'collaborne/kubernetes-reloader:1',
      args: ['--namespace=shop', '--configmap=hashes'],
    }),
    is: ['shop', 'reloader'],
    args: ['--configmap=hashes'],
    annotations: { 'reloader.k8s.collaborne.com/configmap': 'web' },
  },
};

/** All objects of a kind. */
async function listOf(plane: ControlPlane, kind: string, path: string): Promise<readonly JsonObject[]> {
  return objectsOf((await plane.expect('GET', path))['items']).map((object) => ({ ...object, kind }));
}

describe('the commands that migrate prints move a cluster with', { concurrency: 1 }, () => {
  for (const [way, { from = 'stakater', before, is, args, ...parts }] of Object.entries(WAYS))
    test(way, { skip: parts.skip ?? false }, async () => {
      await using plane = await ControlPlane.start();
      await using stage = await Stage.open(plane, 'shop');
      const programs = { kubectl: plane.access.kubectl, ...(helm === undefined ? {} : { helm }) };
      await using shell = await Shell.open(plane, programs);
      const app = web('app', { follows: { ConfigMap: ['web'] }, annotations: parts.annotations ?? {} });
      await stage.put('web', 'A');
      await stage.create(app);
      await shell.run(before);
      const kubeconfig = await stage.kubeconfig();
      const printed = await run(`reloader migrate --from ${from} -o json`, kubeconfig);
      const { steps, unknown } = JSON.parse(printed.stdout) as Migration;
      assert.deepEqual([unknown, printed.stdout.includes(URL)], [[], false]);
      // The pod of helm test needs a kubelet.
      for (const { run: command } of steps.filter(({ run: each }) => !each.startsWith('helm test')))
        await shell.run(command);
      const [namespace, name] = is;
      const deployments = await listOf(plane, 'Deployment', '/apis/apps/v1/deployments');
      const titles = deployments.map(
        ({ metadata }) => `${pick(metadata, 'namespace')}/${pick(metadata, 'name')}`,
      );
      assert.deepEqual(titles.sort(), [`${namespace}/${name}`, 'shop/app'].sort());
      const explained = await run('reloader explain deployment/app -o json', kubeconfig);
      const { reloader } = JSON.parse(explained.stdout) as WorkloadExplanation;
      assert.deepEqual([reloader.is, reloader.namespace, reloader.name], ['found', namespace, name]);
      const again = await run(`reloader migrate --from ${from}`, kubeconfig);
      assert.deepEqual([again.code, again.stdout.includes(': nothing to migrate')], [0, true], again.stdout);

      const own = deployments.filter(({ metadata }) => pick(metadata, 'name') === name);
      const secrets = await listOf(plane, 'Secret', `/api/v1/namespaces/${namespace}/secrets`);
      const installation = installedBy([...own, ...secrets]);
      for (const arg of args) assert.ok(installation.args.includes(arg), installation.args.join(' '));
      assert.equal(Object.values(installation.env).includes(URL), before.includes(URL));
      const process = await startAs(accountIn(installation), stage);
      assert.ok(!process.says(/forbidden|missing-right/), 'it has the rights for its arguments');
      await stage.changeAndRoll(app, 'B');
      await stage.settled(process);
      assert.equal(await stage.revision(app), 2);
    });
});
