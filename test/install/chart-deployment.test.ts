/** The Deployment that the chart makes of single values, as those of Stakater Reloader's chart mean it. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LONGEST_END_MS } from '../../lib/app/reloader.ts';
import { RELOADER_LABEL } from '../../lib/commands/deployed-program.ts';
import { VERSION } from '../../lib/options/version.ts';
import { type Json, type JsonObject, objectOf, objectsOf, pick } from '../sandbox/json.ts';
import { render, skipWithoutHelm, type Values } from './chart.ts';
import { type Installed, installationIn, installedBy } from './installation.ts';

const skip = skipWithoutHelm();

function installed(values: Values = {}): Installed {
  return installedBy(render(values));
}

function ofDeployment(deployment: JsonObject, reloader: JsonObject = {}): Installed {
  return installed({ reloader: { ...reloader, deployment } });
}

function securityOf({ container }: Installed): Json | undefined {
  return container['securityContext'];
}

const LOCKED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

describe('without values the Deployment of the chart', { skip }, () => {
  test('is that of k8s/base but for names, ports, times of probes and user settings', () => {
    const [chart, base] = [installed(), installationIn('base')];
    const same = ['enableServiceLinks', 'terminationGracePeriodSeconds', 'automountServiceAccountToken'];
    for (const field of [...same, 'securityContext'])
      assert.deepEqual(chart.pod[field], base.pod[field], field);
    for (const field of ['resources', 'securityContext', 'imagePullPolicy'])
      assert.deepEqual(chart.container[field], base.container[field], field);
    assert.deepEqual(pick(chart.deployment, 'spec', 'strategy'), pick(base.deployment, 'spec', 'strategy'));
    const { KUBERNETES_NAMESPACE: _, ...env } = base.env;
    assert.deepEqual(chart.env, env);
    assert.ok(Number(chart.pod['terminationGracePeriodSeconds']) * 1000 >= LONGEST_END_MS + 5000);
  });

  test('serves pages at the port of Stakater Reloader, and keeps its state in the namespace of the release', () => {
    const { options, place } = installed();
    const { port, healthPort, configmap, stateNamespace } = options;
    assert.deepEqual([port, healthPort], [9090, 8081]);
    assert.deepEqual([configmap, stateNamespace], ['reloader-state', 'tools']);
    assert.equal(place.namespaces, undefined);
  });

  test('has the label by which the commands find it, and selects its pods as ever', () => {
    const { deployment } = installed();
    assert.equal(pick(deployment, 'metadata', 'labels', RELOADER_LABEL.key), RELOADER_LABEL.value);
    const labels = { app: 'web-reloader', release: 'web' };
    assert.deepEqual(pick(deployment, 'spec', 'selector', 'matchLabels'), labels);
  });

  test('reloads Jobs and CronJobs, as Stakater Reloader does', () => {
    const { jobReload, cronjobReload } = installed().options;
    assert.deepEqual([jobReload, cronjobReload], ['recreate', 'run-now']);
  });
});

describe('the root file system is only read', { skip }, () => {
  const CASES: Readonly<Record<string, readonly [JsonObject, JsonObject]>> = {
    'with readOnlyRootFileSystem': [{ readOnlyRootFileSystem: true }, {}],
    'with it and a context that is null': [
      { readOnlyRootFileSystem: true },
      { containerSecurityContext: null },
    ],
    'with it and a context that says otherwise': [
      { readOnlyRootFileSystem: true },
      { containerSecurityContext: { readOnlyRootFilesystem: false } },
    ],
    'with a context that is null': [{}, { containerSecurityContext: null }],
    'with an empty context': [{}, { containerSecurityContext: {} }],
  };
  for (const [name, [reloader, deployment]] of Object.entries(CASES))
    test(name, () => assert.deepEqual(securityOf(ofDeployment(deployment, reloader)), LOCKED));
});

describe('a context of the container', { skip }, () => {
  test('wins over the rest, member by member', () => {
    const containerSecurityContext = { readOnlyRootFilesystem: false, runAsNonRoot: true };
    assert.deepEqual(securityOf(ofDeployment({ containerSecurityContext })), {
      ...LOCKED,
      ...containerSecurityContext,
    });
  });
});

describe('the image is', { skip }, () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  const CASES: Readonly<Record<string, readonly [image: string, values: Values]>> = {
    'that of this version': [`kubernetes-reloader:${VERSION}`, {}],
    'a repository and a tag': ['a.example.com/r:1', { image: { repository: 'a.example.com/r', tag: '1' } }],
    'a digest, which wins over a tag': [`kubernetes-reloader@${digest}`, { image: { digest, tag: '1' } }],
    'a name at a registry': [
      `m.example.com/team/r:${VERSION}`,
      { global: { imageRegistry: 'm.example.com' }, image: { name: 'team/r' } },
    ],
    'a name at a registry, without a digest': [
      'm.example.com/kubernetes-reloader:1',
      { global: { imageRegistry: 'm.example.com' }, image: { digest, repository: 'a', tag: '1' } },
    ],
  };
  for (const [name, [image, values]] of Object.entries(CASES))
    test(name, () => assert.equal(installed(values).container['image'], image));
});

describe('the pod', { skip }, () => {
  const FIELDS: Readonly<Record<string, readonly [given: JsonObject, expected: JsonObject]>> = {
    'has no field that is not given': [
      {},
      { hostUsers: undefined, dnsConfig: undefined, nodeSelector: undefined },
    ],
    'has hostUsers where it is a boolean': [{ hostUsers: false }, { hostUsers: false }],
    'has no hostUsers where it is null': [{ hostUsers: null }, { hostUsers: undefined }],
    'has dnsConfig': [
      { dnsConfig: { nameservers: ['10.0.0.1'] } },
      { dnsConfig: { nameservers: ['10.0.0.1'] } },
    ],
    'has its own token setting': [
      { automountServiceAccountToken: false },
      { automountServiceAccountToken: false },
    ],
    'has classes and a scheduler': [
      { priorityClassName: 'a', runtimeClassName: 'b', schedulerName: 'c' },
      { priorityClassName: 'a', runtimeClassName: 'b', schedulerName: 'c' },
    ],
  };
  for (const [name, [given, expected]] of Object.entries(FIELDS))
    test(name, () => {
      const { pod } = ofDeployment(given);
      for (const [field, value] of Object.entries(expected)) assert.deepEqual(pod[field], value);
    });

  test('has secrets for its image, given as names or as maps', () => {
    const { pod } = installed({ global: { imagePullSecrets: ['a', { name: 'b' }] } });
    assert.deepEqual(pod['imagePullSecrets'], [{ name: 'a' }, { name: 'b' }]);
  });

  test('has labels and annotations from templates', () => {
    const labels = { a: '{{ .Release.Name }}' };
    const { deployment } = ofDeployment({ labels, annotations: labels, pod: { annotations: labels } });
    const template = pick(deployment, 'spec', 'template');
    assert.equal(pick(template, 'metadata', 'labels', 'a'), 'web');
    assert.deepEqual(pick(template, 'metadata', 'annotations'), { a: 'web' });
    assert.deepEqual(pick(deployment, 'metadata', 'annotations'), { a: 'web' });
  });

  test('starts anew when a Secret of the chart changes', () => {
    const annotationsWith = (webhookUrl: string): Json | undefined =>
      pick(installed({ reloader: { webhookUrl } }).deployment, 'spec', 'template', 'metadata', 'annotations');
    assert.notDeepEqual(annotationsWith('http://a.example.com'), annotationsWith('http://b.example.com'));
  });

  test('is one unless a standby is asked for', () => {
    const replicasWith = (values: Values): Json | undefined =>
      pick(installed(values).deployment, 'spec', 'replicas');
    const three = { deployment: { replicas: 3 } };
    assert.equal(replicasWith({ reloader: three }), 1);
    assert.equal(replicasWith({ reloader: { ...three, enableHA: true } }), 3);
    assert.equal(replicasWith({ ha: { enabled: true } }), 2);
    assert.equal(replicasWith({ reloader: { deployment: { replicas: 0 } } }), 0);
    assert.equal(replicasWith({ reloader: { deployment: { replicas: null } } }), 1);
  });

  test('stands apart from its standby, unless values say where', () => {
    const affinity = { nodeAffinity: {} };
    assert.equal(installed().pod['affinity'], undefined);
    assert.ok(pick(installed({ reloader: { enableHA: true } }).pod['affinity'], 'podAntiAffinity'));
    assert.ok(objectsOf(installed({ ha: { enabled: true } }).pod['topologySpreadConstraints']).length === 1);
    assert.deepEqual(ofDeployment({ affinity }, { enableHA: true }).pod['affinity'], affinity);
  });
});

describe('digits alone', { skip }, () => {
  test('are text where they are a name', () => {
    const name = '770077';
    const objects = render({
      fullnameOverride: name,
      namespace: name,
      config: { configmap: name },
      global: { imagePullSecrets: [name, { name }] },
      reloader: { serviceAccount: { name }, service: { port: 80 }, podMonitor: { enabled: true } },
      admission: { enabled: true, certificate: 'cert-manager', secretName: name },
    });
    const text = JSON.stringify(objects);
    assert.deepEqual(text.match(new RegExp(`.{20}(":|[[,])${name}\\b`, 'g')), null);
    assert.match(text, new RegExp(`"namespace":"${name}"`));
  });

  test('are no exponents where they are a number of milliseconds', () => {
    const { options } = installed({ config: { coalesceMaxWait: 3_600_000 } });
    assert.equal(options.coalesceMaxWaitMs, 3_600_000);
  });
});

describe('the rights', { skip }, () => {
  test('are left to others where rbac is off', () => {
    const kinds = render({ reloader: { rbac: { enabled: false } } }).map(({ kind }) => kind);
    assert.deepEqual(kinds.sort(), ['Deployment', 'Service', 'ServiceAccount']);
  });
});

describe('variables', { skip }, () => {
  test('come from texts, Secrets and fields, each once from the last of these, and empty ones not at all', () => {
    const less = { C: 'c', F: 'f' };
    const { container, env } = ofDeployment({
      env: {
        open: { ...less, A: 1, B: '', G: null, H: 12_345_678, NODE_OPTIONS: '--max-old-space-size=100' },
        field: { C: 'metadata.uid' },
        secret: { ...less, D: 'kept', E: '', I: 12_345_678, ALERT_WEBHOOK_PROXY: 'http://p.example.com' },
        existing: { other: { C: 'c', F: 'key' } },
      },
    });
    const { A, B, C, D, E, G, H, I, NODE_OPTIONS, ALERT_WEBHOOK_PROXY } = env;
    assert.deepEqual([A, B, C, D, E, G], ['1', undefined, 'uid-of-pod', 'kept', undefined, undefined]);
    assert.deepEqual([H, I], ['12345678', '12345678']);
    assert.equal(NODE_OPTIONS, '--max-old-space-size=100');
    assert.equal(ALERT_WEBHOOK_PROXY, 'http://p.example.com');
    const all = objectsOf(container['env']);
    const [other] = all.filter(({ name }) => name === 'F');
    assert.deepEqual(pick(other, 'valueFrom', 'secretKeyRef'), { name: 'other', key: 'key' });
    assert.equal(new Set(all.map(({ name }) => name)).size, all.length);
  });

  test('hold what may be a password only by way of the Secret', () => {
    const secret = 'https://user:password@hooks.example.com/';
    const values = {
      reloader: { webhookUrl: secret },
      config: { alertOnReload: true, alertWebhookUrl: secret, alertWebhookProxy: secret },
    };
    const objects = render(values).filter(({ kind }) => kind !== 'Secret');
    assert.doesNotMatch(JSON.stringify(objects), /password/);
    const { options } = installedBy(render(values));
    const { url, proxy } = options.alerts ?? {};
    assert.deepEqual([options.webhookUrl, url, proxy], [secret, secret, secret]);
  });

  test('are none of the Go runtime, and probes have the times of Stakater Reloader', () => {
    const { env, container } = ofDeployment({
      gomaxprocsOverride: '0',
      livenessProbe: { periodSeconds: 30 },
    });
    assert.deepEqual(Object.keys(env).sort(), ['NODE_OPTIONS', 'POD_NAME', 'POD_UID']);
    const { httpGet: _, ...times } = objectOf(container['livenessProbe']);
    const usual = { failureThreshold: 5, initialDelaySeconds: 10, successThreshold: 1, timeoutSeconds: 5 };
    assert.deepEqual(times, { ...usual, periodSeconds: 30 });
  });
});
