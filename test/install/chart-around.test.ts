/** What the chart makes beside the Deployment: policies, budgets, monitors, the admission webhook. */

import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { WORKLOAD_KINDS } from '../../lib/model/workload-kind.ts';
import { type Json, type JsonObject, objectOf, objectsOf, pick } from '../sandbox/json.ts';
import { CHART, type Rendering, render, skipWithoutHelm, type Values } from './chart.ts';
import { installationIn } from './installation.ts';

const skip = skipWithoutHelm();
const OPERATORS = { apiVersions: ['monitoring.coreos.com/v1', 'autoscaling.k8s.io/v1'] };
const SELECTOR = { app: 'web-reloader', release: 'web' };

function specOf(kind: string, values: Values, rendering: Rendering = {}): JsonObject | undefined {
  const object = render(values, rendering).find((one) => one['kind'] === kind);
  return object === undefined ? undefined : objectOf(object['spec']);
}

describe('the network policy', { skip }, () => {
  const PEER = [{ podSelector: {} }];
  const DNS = {
    ports: [
      { port: 53, protocol: 'UDP' },
      { port: 53, protocol: 'TCP' },
    ],
  };
  const usual = { ports: [{ port: 443 }, { port: 6443 }] };

  test('lets the pages, probes, the API server and DNS through', () => {
    assert.deepEqual(specOf('NetworkPolicy', { networkPolicy: { enabled: true } }), {
      podSelector: { matchLabels: SELECTOR },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ ports: [{ port: 'http' }] }, { ports: [{ port: 'health' }] }],
      egress: [usual, DNS],
    });
  });

  test('lets the peers of Stakater Reloader’s values through, and DNS', () => {
    const netpol = { enabled: true, from: PEER, to: PEER };
    const { ingress, egress } = specOf('NetworkPolicy', { reloader: { netpol } }) ?? {};
    assert.deepEqual(objectsOf(ingress)[0], { ports: [{ port: 'http' }], from: PEER });
    assert.deepEqual(egress, [{ ...usual, to: PEER }, DNS]);
  });

  test('lets the admission webhook through, and what values add', () => {
    const rules = [{ ports: [{ port: 9000 }] }];
    const { ingress, egress } =
      specOf('NetworkPolicy', {
        admission: { enabled: true },
        networkPolicy: { enabled: true, ingress: rules, egress: rules, apiServerPorts: [8443], dns: PEER },
      }) ?? {};
    assert.deepEqual(objectsOf(ingress).slice(1), [
      { ports: [{ port: 'health' }, { port: 'webhook' }] },
      ...rules,
    ]);
    assert.deepEqual(egress, [{ ports: [{ port: 8443 }] }, { ...DNS, to: PEER }, ...rules]);
  });
});

describe('the disruption budget', { skip }, () => {
  const selector = { matchLabels: SELECTOR };
  const CASES: Readonly<Record<string, readonly [reloader: JsonObject, spec: JsonObject | undefined]>> = {
    'is not there for one pod': [{ podDisruptionBudget: { enabled: true } }, undefined],
    'keeps one pod of two': [
      { enableHA: true, deployment: { replicas: 2 }, podDisruptionBudget: { enabled: true } },
      { minAvailable: 1, selector },
    ],
    'keeps as many as values say': [
      {
        enableHA: true,
        deployment: { replicas: 3 },
        podDisruptionBudget: { enabled: true, minAvailable: 2 },
      },
      { minAvailable: 2, selector },
    ],
    'lacks as many as values say, which wins': [
      {
        enableHA: true,
        deployment: { replicas: 3 },
        podDisruptionBudget: { enabled: true, minAvailable: 2, maxUnavailable: 0 },
      },
      { maxUnavailable: 0, selector },
    ],
  };
  for (const [name, [reloader, spec]] of Object.entries(CASES))
    test(name, () => assert.deepEqual(specOf('PodDisruptionBudget', { reloader }), spec));

  test('comes with ha', () => {
    assert.deepEqual(specOf('PodDisruptionBudget', { ha: { enabled: true } }), { minAvailable: 1, selector });
  });
});

describe('monitors', { skip }, () => {
  const GIVEN = { enabled: true, interval: '10s', timeout: '5s', tlsConfig: { insecureSkipVerify: true } };
  const ENDPOINT = {
    port: 'http',
    path: '/metrics',
    honorLabels: false,
    interval: '10s',
    scrapeTimeout: '5s',
    tlsConfig: { insecureSkipVerify: true },
    metricRelabelings: [{ action: 'keep', regex: 'web' }],
  };

  for (const [kind, key, endpoints] of [
    ['PodMonitor', 'podMonitor', 'podMetricsEndpoints'],
    ['ServiceMonitor', 'serviceMonitor', 'endpoints'],
  ] as const)
    for (const tree of ['reloader', 'monitoring'])
      test(`${kind} has the settings of ${tree}.${key}`, () => {
        const metricRelabelings = [{ action: 'keep', regex: '{{ .Release.Name }}' }];
        const monitor = { ...GIVEN, honorLabels: false, metricRelabelings };
        assert.deepEqual(specOf(kind, { namespace: 'else', [tree]: { [key]: monitor } }, OPERATORS), {
          jobLabel: 'web-reloader',
          namespaceSelector: { matchNames: ['else'] },
          selector: { matchLabels: SELECTOR },
          [endpoints]: [ENDPOINT],
        });
      });

  test('of our values need no word of the cluster, and add to the others', () => {
    const values = {
      monitoring: { serviceMonitor: { enabled: true, interval: '1m' } },
      reloader: { serviceMonitor: { enabled: false, interval: '5m', scheme: 'http' } },
    };
    const [endpoint] = objectsOf(specOf('ServiceMonitor', values)?.['endpoints']);
    assert.deepEqual([endpoint?.['interval'], endpoint?.['scheme']], ['1m', 'http']);
  });

  test('scrape pages that are for some over TLS, with the credentials of values', () => {
    const authorization = { credentials: { name: 'scrape', key: 'token' } };
    const monitoring = { podMonitor: { enabled: true, authorization }, serviceMonitor: { enabled: true } };
    const values: Values = { config: { secureMetrics: true, metricsTlsDirectory: '/tls' }, monitoring };
    const secure = { port: 'http', path: '/metrics', honorLabels: true, scheme: 'https' };
    const tlsConfig = { insecureSkipVerify: true };
    assert.deepEqual(specOf('PodMonitor', values)?.['podMetricsEndpoints'], [
      { ...secure, tlsConfig, authorization },
    ]);
    const own = { ca: { secret: { name: 'ca', key: 'ca.crt' } } };
    const verified = { ...values, monitoring: { serviceMonitor: { enabled: true, tlsConfig: own } } };
    assert.deepEqual(specOf('ServiceMonitor', verified)?.['endpoints'], [{ ...secure, tlsConfig: own }]);
  });

  test('of Stakater Reloader’s values are not there for Services where the cluster has no operator', () => {
    const reloader = { serviceMonitor: { enabled: true }, podMonitor: { enabled: true } };
    assert.equal(specOf('ServiceMonitor', { reloader }), undefined);
    assert.ok(specOf('PodMonitor', { reloader }));
  });

  test('have rules and a dashboard beside them', () => {
    const monitoring = { prometheusRule: { enabled: true }, dashboard: { enabled: true } };
    const file = (name: string): string => readFileSync(path.join(CHART, 'files', name), 'utf8');
    const rules = file('rules.yaml');
    assert.deepEqual(specOf('PrometheusRule', { monitoring }), parse(rules));
    const own = { clusterLabel: 'k8s', runbookBaseUrl: 'https://example.com/books/' };
    const withOwn = { ...monitoring, prometheusRule: { ...monitoring.prometheusRule, ...own } };
    const expected = rules
      .replaceAll('(cluster,', '(k8s,')
      .replaceAll('runbook: docs/runbooks/', 'runbook_url: https://example.com/books/');
    assert.deepEqual(specOf('PrometheusRule', { monitoring: withOwn }), parse(expected));
    const dashboard = render({ monitoring }).find(({ kind }) => kind === 'ConfigMap');
    assert.deepEqual(
      JSON.parse(String(pick(dashboard, 'data', 'reloader.json'))),
      JSON.parse(file('dashboard.json')),
    );
    assert.equal(pick(dashboard, 'metadata', 'labels', 'grafana_dashboard'), '1');
  });

  test('stand beside an autoscaler where the cluster has one', () => {
    const verticalPodAutoscaler = {
      enabled: true,
      maxAllowed: { memory: '1Gi' },
      controlledValues: 'RequestsOnly',
    };
    const values = { reloader: { verticalPodAutoscaler } };
    assert.equal(specOf('VerticalPodAutoscaler', values), undefined);
    const spec = specOf('VerticalPodAutoscaler', values, OPERATORS);
    assert.deepEqual(pick(spec, 'targetRef', 'name'), 'web-reloader');
    assert.deepEqual(spec?.['updatePolicy'], { updateMode: 'Auto' });
    assert.deepEqual(pick(spec, 'resourcePolicy', 'containerPolicies'), [
      { containerName: 'web-reloader', controlledValues: 'RequestsOnly', maxAllowed: { memory: '1Gi' } },
    ]);
  });
});

describe('the admission webhook', { skip }, () => {
  function webhookWith(values: Values, rendering: Rendering = {}): JsonObject {
    const all = render({ admission: { enabled: true }, ...values }, rendering);
    const configuration = all.find(({ kind }) => kind === 'MutatingWebhookConfiguration');
    return objectsOf(configuration?.['webhooks'])[0] ?? {};
  }
  const namespacesOf = (webhook: JsonObject): Json | undefined =>
    objectsOf(pick(webhook, 'namespaceSelector', 'matchExpressions'))[0];

  test('is that of the component but for names', () => {
    const { objects } = installationIn('base', ['webhook']);
    const [theirs] = objectsOf(
      objects.find(({ kind }) => kind === 'MutatingWebhookConfiguration')?.['webhooks'],
    );
    const { clientConfig: _, namespaceSelector, matchConditions, ...rest } = webhookWith({});
    const {
      clientConfig: __,
      namespaceSelector: all,
      matchConditions: conditions,
      ...expected
    } = theirs ?? {};
    // Whether its own namespace counts is up to the overlay.
    const [left] = objectsOf(pick(all, 'matchExpressions'));
    assert.deepEqual(objectsOf(pick(namespaceSelector, 'matchExpressions')), [left]);
    assert.deepEqual(rest, expected);
    const named = JSON.stringify(conditions).replace('default:reloader', 'tools:web-reloader');
    assert.deepEqual(matchConditions, JSON.parse(named));
    assert.match(JSON.stringify(matchConditions), /pod-template-changes/);
    const stamped = WORKLOAD_KINDS.filter(({ rollout }) => rollout === 'replace-pods').map(
      ({ resource }) => resource,
    );
    assert.deepEqual(objectsOf(rest['rules'])[0]?.['resources'], stamped);
  });

  test('is asked only where the reloader watches', () => {
    const key = 'kubernetes.io/metadata.name';
    const own = ['kube-system', 'kube-public', 'kube-node-lease'];
    assert.deepEqual(namespacesOf(webhookWith({ reloader: { ignoreNamespaces: 'ci, kube-system' } })), {
      key,
      operator: 'NotIn',
      values: [...own, 'ci'],
    });
    const reloader = { watchGlobally: false };
    assert.deepEqual(namespacesOf(webhookWith({ reloader })), { key, operator: 'In', values: ['tools'] });
    const others = { watchOwnNamespace: false, reloader: { ...reloader, namespaces: 'web' } };
    assert.deepEqual(namespacesOf(webhookWith(others)), { key, operator: 'In', values: ['web'] });
  });

  test('has no conditions before Kubernetes 1.28', () => {
    assert.equal(webhookWith({}, { kubeVersion: '1.27.9' })['matchConditions'], undefined);
    assert.ok(webhookWith({}, { kubeVersion: '1.28.0' })['matchConditions']);
  });

  test('has a certificate of cert-manager for the name that is asked, by an issuer of the release or another one', () => {
    const certificate = 'cert-manager';
    const all = render({ admission: { enabled: true, certificate } });
    const spec = objectOf(all.find(({ kind }) => kind === 'Certificate')?.['spec']);
    assert.deepEqual(spec['dnsNames'], ['web-reloader-webhook.tools.svc']);
    assert.deepEqual(spec['issuerRef'], { kind: 'Issuer', name: 'web-reloader-webhook' });
    const configuration = all.find(({ kind }) => kind === 'MutatingWebhookConfiguration');
    const injected = pick(configuration, 'metadata', 'annotations', 'cert-manager.io/inject-ca-from');
    assert.equal(injected, 'tools/web-reloader-webhook');
    assert.ok(all.some(({ kind }) => kind === 'Issuer'));
    const issuerRef = { kind: 'ClusterIssuer', name: 'internal' };
    const others = render({ admission: { enabled: true, certificate, issuerRef } });
    assert.ok(!others.some(({ kind }) => kind === 'Issuer'));
    assert.deepEqual(
      pick(
        others.find(({ kind }) => kind === 'Certificate'),
        'spec',
        'issuerRef',
      ),
      issuerRef,
    );
  });

  test('has an authority of the values where the certificate is in a Secret', () => {
    const admission = { enabled: true, certificate: 'secret', secretName: 'tls', caBundle: 'QQ==' };
    assert.equal(pick(webhookWith({ admission }), 'clientConfig', 'caBundle'), 'QQ==');
  });

  for (const helm of [3, 4] as const)
    test(`has a certificate by Helm ${helm} for the name that is asked, by the authority that is trusted`, {
      skip: skipWithoutHelm(helm),
    }, () => {
      const all = render({ admission: { enabled: true } }, { helm });
      const { type, data } = all.find(({ kind }) => kind === 'Secret') ?? {};
      assert.equal(type, 'kubernetes.io/tls');
      const [configuration] = objectsOf(
        all.find(({ kind }) => kind === 'MutatingWebhookConfiguration')?.['webhooks'],
      );
      assert.equal(pick(configuration, 'clientConfig', 'caBundle'), pick(data, 'ca.crt'));
      const pem = (name: string): string => Buffer.from(String(pick(data, name)), 'base64').toString();
      const [authority, certificate] = [pem('ca.crt'), pem('tls.crt')].map(
        (text) => new X509Certificate(text),
      );
      assert.ok(authority?.ca && certificate);
      assert.ok(certificate.checkIssued(authority) && certificate.verify(authority.publicKey));
      assert.ok(certificate.checkPrivateKey(createPrivateKey(pem('tls.key'))));
      assert.equal(certificate.subjectAltName, 'DNS:web-reloader-webhook.tools.svc');
      const years = (Date.parse(certificate.validTo) - Date.now()) / (365 * 24 * 3_600_000);
      assert.ok(years > 9.9 && years <= 10, certificate.validTo);
    });
});
