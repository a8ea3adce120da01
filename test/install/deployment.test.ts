/** The Deployment fits the program: its arguments, ports, probes, image, end, and what it is allowed to be. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { LONGEST_END_MS } from '../../lib/app/reloader.ts';
import { RELOADER_LABEL } from '../../lib/commands/deployed-program.ts';
import { parseOptions } from '../../lib/options/parse-options.ts';
import { VERSION } from '../../lib/options/version.ts';
import { pagesServer } from '../../lib/telemetry/pages-server.ts';
import { type JsonObject, objectOf, objectsOf, pick, stringOf } from '../sandbox/json.ts';
import { type Installation, installationIn } from './installation.ts';
import { INSTALLATIONS, K8S } from './kustomization.ts';

/** The status of a page at the port for probes. */
async function statusOf(pathname: string): Promise<number> {
  const server = pagesServer(
    { stuck: () => [], waitingFor: () => [] },
    (error) => assert.fail(String(error)),
    { flag: '--health-port' },
  );
  const port = await server.start(0);
  try {
    return (await fetch(`http://127.0.0.1:${port}${pathname}`)).status;
  } finally {
    await server.stop();
  }
}

function templateOf({ deployment }: Installation): JsonObject {
  return objectOf(pick(deployment, 'spec', 'template', 'metadata'));
}

for (const folder of INSTALLATIONS) {
  describe(`the Deployment in k8s/${folder}`, () => {
    const installation = installationIn(folder);
    const { deployment, pod, container, env, service, options, notices } = installation;

    test('has arguments that the program understands without a word', () => {
      assert.deepEqual(notices, []);
      assert.equal(options.configmap, 'reloader-state');
      assert.equal(options.dryRun, false);
    });

    test('has the ports that the program listens on, everywhere the same', () => {
      assert.deepEqual(objectsOf(container['ports']), [
        { name: 'http', containerPort: options.port },
        { name: 'health', containerPort: options.healthPort },
      ]);
      assert.equal(options.healthPort, 8081);
      assert.equal(pick(templateOf(installation), 'annotations', 'prometheus.io/port'), String(options.port));
      assert.deepEqual(objectsOf(pick(service, 'spec', 'ports')), [
        { name: 'http', port: options.port, targetPort: 'http' },
      ]);
    });

    test('has probes of pages that exist, at the port for probes alone', async () => {
      const probes = [container['livenessProbe'], container['readinessProbe']].map((probe) =>
        objectOf(pick(probe, 'httpGet')),
      );
      assert.deepEqual(
        probes.map(({ port }) => port),
        ['health', 'health'],
      );
      const paths = probes.map(({ path: pathname }) => stringOf(pathname) ?? '');
      assert.deepEqual(paths, ['/healthz', '/readyz']);
      for (const pathname of paths) assert.equal(await statusOf(pathname), 200);
    });

    test('runs the image of this version and says so', () => {
      assert.equal(container['image'], `kubernetes-reloader:${VERSION}`);
      const metadata = [objectOf(deployment['metadata']), templateOf(installation)];
      for (const { labels } of metadata) {
        const { 'app.kubernetes.io/name': name, 'app.kubernetes.io/version': version } = objectOf(labels);
        assert.deepEqual({ name, version }, { name: 'kubernetes-reloader', version: VERSION });
      }
    });

    test('has the label by which the commands find it, and selects its pods as ever', () => {
      assert.equal(pick(deployment, 'metadata', 'labels', RELOADER_LABEL.key), RELOADER_LABEL.value);
      assert.deepEqual(pick(deployment, 'spec', 'selector', 'matchLabels'), { service: 'reloader' });
    });

    test('is one pod, which is given the time to end, and goes once the next one is ready', () => {
      assert.equal(pick(deployment, 'spec', 'replicas'), 1);
      assert.deepEqual(pick(deployment, 'spec', 'strategy'), {
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
      });
      assert.ok(options.leaderElection);
      assert.ok(Number(pod['terminationGracePeriodSeconds']) * 1000 >= LONGEST_END_MS + 5000);
    });

    test('knows under which name it holds the Lease', () => {
      const { POD_NAME, POD_UID } = env;
      assert.deepEqual({ POD_NAME, POD_UID }, { POD_NAME: 'reloader-0', POD_UID: 'uid-of-pod' });
    });

    test('with k8s/components/ha is two pods apart, of which one may be taken away', () => {
      const { objects, deployment: pair, pod: each } = installationIn(folder, ['ha']);
      assert.equal(pick(pair, 'spec', 'replicas'), 2);
      const budget = objects.find(({ kind }) => kind === 'PodDisruptionBudget');
      assert.equal(pick(budget, 'metadata', 'namespace'), pick(pair, 'metadata', 'namespace'));
      assert.equal(pick(budget, 'spec', 'minAvailable'), 1);
      const [spread] = objectsOf(each['topologySpreadConstraints']);
      const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
      const [apart] = objectsOf(pick(each, 'affinity', 'podAntiAffinity', preferred));
      const selector = pick(pair, 'spec', 'selector');
      const selectors = [
        pick(budget, 'spec', 'selector'),
        pick(spread, 'labelSelector'),
        pick(apart, 'podAffinityTerm', 'labelSelector'),
      ];
      assert.deepEqual(selectors, [selector, selector, selector]);
    });

    test('selects its pod, and so does the Service', () => {
      const selector = objectOf(pick(deployment, 'spec', 'selector', 'matchLabels'));
      assert.deepEqual(pick(service, 'spec', 'selector'), selector);
      const labels = objectOf(templateOf(installation)['labels']);
      for (const [key, value] of Object.entries(selector)) assert.equal(labels[key], value);
    });

    test('asks for little and is bounded', () => {
      const { requests, limits } = objectOf(container['resources']);
      assert.deepEqual(Object.keys(objectOf(requests)), ['cpu', 'memory']);
      assert.deepEqual(Object.keys(objectOf(limits)), ['cpu', 'memory']);
    });

    test('keeps the restricted pod security standard, and writes no file', () => {
      assert.deepEqual(container['securityContext'], {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const forbidden = ['hostNetwork', 'hostPID', 'hostIPC', 'volumes', 'initContainers'];
      assert.deepEqual(
        forbidden.filter((field) => pod[field] !== undefined),
        [],
      );
      assert.equal(objectsOf(pod['containers']).length, 1);
    });

    test('takes no setting from the Services around it, and gives none away', () => {
      assert.equal(pod['enableServiceLinks'], false);
      assert.doesNotMatch(stringOf(pick(service, 'metadata', 'name')) ?? '', /^reloader/);
    });
  });
}

test('the arguments that comments suggest are understood too', () => {
  const text = readFileSync(path.join(K8S, 'base/deployment.yaml'), 'utf8');
  const suggested = [...text.matchAll(/# - (--\S+)$/gm)].map(([, argument = '']) => argument);
  assert.equal(suggested.length, 1);
  const command = parseOptions(suggested, {});
  assert.ok(command.type === 'run', JSON.stringify(command));
  assert.deepEqual(command.notices, []);
});
