/** The manifests of the admission webhook fit the program, and cannot get in anybody's way. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ADMISSION_PATH } from '../../lib/admission/admission-server.ts';
import { OPTIONAL_KINDS, WORKLOAD_KINDS } from '../../lib/model/workload-kind.ts';
import { type JsonObject, objectOf, objectsOf, pick, stringOf } from '../sandbox/json.ts';
import { installationIn, WEBHOOK_SERVICE } from './installation.ts';
import { INSTALLATIONS } from './kustomization.ts';
import { titleOf } from './replacement.ts';

for (const folder of INSTALLATIONS) {
  describe(`k8s/${folder} with webhook`, () => {
    const { objects, options, container, pod, notices, deployment } = installationIn(folder, ['webhook']);
    const the = (title: string): JsonObject => {
      const found = objects.find((object) => titleOf(object) === title);
      assert.ok(found, title);
      return found;
    };
    const namespace = stringOf(pick(deployment, 'metadata', 'namespace')) ?? '';
    const service = the(WEBHOOK_SERVICE);
    const [webhook = {}, ...others] = objectsOf(
      the('MutatingWebhookConfiguration/kubernetes-reloader')['webhooks'],
    );

    test('asks the port that the program listens on', () => {
      assert.deepEqual(others, []);
      assert.deepEqual(pick(webhook, 'clientConfig', 'service'), {
        name: pick(service, 'metadata', 'name'),
        namespace,
        path: ADMISSION_PATH,
        port: 443,
      });
      assert.equal(pick(service, 'metadata', 'namespace'), namespace);
      assert.deepEqual(objectsOf(pick(service, 'spec', 'ports')), [
        { name: 'webhook', port: 443, targetPort: 'webhook' },
      ]);
      const ports = objectsOf(container['ports']).filter(({ name }) => name === 'webhook');
      assert.deepEqual(ports, [{ name: 'webhook', containerPort: options.webhookPort }]);
      assert.deepEqual(notices, []);
    });

    test('does not ask a reloader that has not listed everything', () => {
      assert.notEqual(pick(service, 'spec', 'publishNotReadyAddresses'), true);
      const labels = objectOf(pick(deployment, 'spec', 'template', 'metadata', 'labels'));
      for (const [key, value] of Object.entries(objectOf(pick(service, 'spec', 'selector'))))
        assert.equal(labels[key], value);
    });

    test('keeps nobody from writing: it waits two seconds, and lets through what is not answered', () => {
      const { failurePolicy, timeoutSeconds, sideEffects, reinvocationPolicy } = webhook;
      assert.deepEqual([failurePolicy, timeoutSeconds], ['Ignore', 2]);
      assert.deepEqual([sideEffects, reinvocationPolicy], ['None', 'IfNeeded']);
    });

    test('asks about whole workloads of the kinds that are stamped, and not about ours', () => {
      const kinds = [...WORKLOAD_KINDS, ...OPTIONAL_KINDS].filter(
        ({ rollout }) => rollout === 'replace-pods',
      );
      const groups = Map.groupBy(kinds, ({ group, version }) => `${group}/${version}`);
      const rules = [...groups].map(([each, rows]) => ({
        apiGroups: [each.replace(/\/.*/, '')],
        apiVersions: [each.replace(/.*\//, '')],
        operations: ['CREATE', 'UPDATE'],
        resources: rows.map(({ resource }) => resource),
        scope: 'Namespaced',
      }));
      assert.deepEqual(webhook['rules'], rules);
      const account = `system:serviceaccount:${namespace}:${stringOf(pod['serviceAccountName'])}`;
      const conditions = objectsOf(webhook['matchConditions']).map(({ expression }) => expression);
      assert.deepEqual(conditions.slice(1), [`request.userInfo.username != "${account}"`]);
    });

    test('has a certificate for the name that is asked, where the program looks for it', () => {
      const { secretName, dnsNames } = objectOf(the('Certificate/kubernetes-reloader-webhook')['spec']);
      assert.deepEqual(dnsNames, [`kubernetes-reloader-webhook.${namespace}.svc`]);
      assert.deepEqual(objectsOf(pod['volumes']), [{ name: 'tls', secret: { secretName, optional: true } }]);
      const [mount] = objectsOf(container['volumeMounts']);
      assert.deepEqual(mount, { name: 'tls', mountPath: options.webhookTlsDirectory, readOnly: true });
      const from = pick(
        the('MutatingWebhookConfiguration/kubernetes-reloader'),
        'metadata',
        'annotations',
        'cert-manager.io/inject-ca-from',
      );
      assert.equal(from, `${namespace}/kubernetes-reloader-webhook`);
    });
  });
}
