/** What each flag and variable makes of the options, and nothing else of them. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { STAKATER_KEYS, type StakaterKeys } from '../../../lib/model/settings.ts';
import { FLAGS } from '../../../lib/options/flags.ts';
import { meets } from '../../../lib/options/labels.ts';
import type { LeaderElection, Options } from '../../../lib/options/options.ts';
import { running } from './given.ts';

/** What is so where nothing is said, outside a pod. */
const DEFAULTS: Changes = {
  scope: { type: 'default' },
  configmap: 'reloader-state',
  digests: 'keyed',
  coalescePeriodMs: 5000,
  coalesceMaxWaitMs: 30_000,
  pausePeriodMs: 0,
  pace: { minIntervalMs: 0, limit: { rollouts: 20, withinMs: 3_600_000 } },
  staging: { stages: undefined, soakMs: 30_000 },
  alternativeAnnotations: { ConfigMap: [], Secret: [] },
  dialects: ['collaborne', 'stakater'],
  stakaterKeys: STAKATER_KEYS,
  autoReloadAll: false,
  reloadStrategy: 'env-vars',
  maxEvictions: 1,
  keyScoped: false,
  absorbOwnerRollouts: true,
  reloadOnCreate: false,
  reloadOnDelete: false,
  namespacesToIgnore: [],
  namespaceAnnotations: false,
  ignoredConfigResourceTypes: [],
  ignoredWorkloadTypes: [],
  cronjobReload: 'none',
  jobReload: 'none',
  isArgoRollouts: 'auto',
  isOpenshift: 'auto',
  enableCsiIntegration: 'auto',
  workloadKinds: [],
  port: 8080,
  bindAddress: '127.0.0.1',
  checksHost: true,
  noStatusPage: false,
  countsByNamespace: false,
  insecureSkipTlsVerify: false,
  maxConcurrentPatches: 32,
  dryRun: false,
  leaderElection: {
    id: 'reloader-state',
    namespace: undefined,
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2_000,
  },
  logLevel: 'info',
  logFormat: 'text',
};

const ELECTION = { ...DEFAULTS.leaderElection, id: 'reloader-state' } as LeaderElection;
const ALL: Options['scope'] = { type: 'all', source: '--all-namespaces' };
const FILES: Changes = { webhookPort: 9443, webhookTlsDirectory: '/tls' };
const ON = 'ALERT_ON_RELOAD=true ALERT_WEBHOOK_URL=http://a';
const NO_BUDGET = { slots: 0, rate: 0, burst: 1 };
const PLAIN = { proxy: undefined, additionalInfo: undefined, clusterName: undefined };
const ALERTS: Options['alerts'] = { ...PLAIN, sink: 'raw', url: 'http://a' };
/** What the kubelet sets in each container. */
const POD = 'KUBERNETES_SERVICE_HOST=10.0.0.1';
/** Other machines can ask. */
const OPEN = { healthPort: 8081, bindAddress: undefined, checksHost: false };

type Changes = { readonly [K in keyof Options]?: Options[K] | undefined };

const CASES: Readonly<Record<string, Readonly<Record<string, Changes>>>> = {
  'what is watched': {
    "--namespace 'a, b' --namespace=c,a": namespaces(['a', 'b', 'c'], '--namespace'),
    "--namespaces 'a, b' --namespaces=c": namespaces(['a', 'b', 'c'], '--namespaces'),
    '--namespaces=a --namespace=b': namespaces(['a', 'b'], '--namespace'),
    '-A --namespace a': namespaces(['a'], '--namespace'),
    "KUBERNETES_NAMESPACE='k, l'": namespaces(['k', 'l'], 'KUBERNETES_NAMESPACE'),
    "KUBERNETES_NAMESPACE=' '": {},
    'RELOADER_PORT=tcp://10.0.0.1:8080 RELOADER_SERVICE_HOST=x': {},
    'KUBERNETES_NAMESPACE=k --all-namespaces=false': namespaces(['k'], 'KUBERNETES_NAMESPACE'),
    'RELOADER_OPT_NAMESPACE=a,b RELOADER_OPT_ALL_NAMESPACES=true': namespaces(
      ['a', 'b'],
      'RELOADER_OPT_NAMESPACE',
    ),
    'RELOADER_OPT_NAMESPACES=web RELOADER_OPT_NAMESPACE=api': namespaces(
      ['web', 'api'],
      'RELOADER_OPT_NAMESPACE',
    ),
    "RELOADER_OPT_NAMESPACES='web, api'": namespaces(['web', 'api'], 'RELOADER_OPT_NAMESPACES'),
    'RELOADER_OPT_NAMESPACES=web --namespace=api': namespaces(['api'], '--namespace'),
    '--namespace=a --namespaces-to-ignore=b --namespace-selector=team': namespaces(['a'], '--namespace'),
    '-A': { scope: ALL },
    'RELOADER_OPT_NAMESPACE=a -A': { scope: ALL },
    'KUBERNETES_NAMESPACE=k -A': { scope: ALL },
    "-A --namespaces-to-ignore='a, b' --namespaces-to-ignore=c": {
      scope: ALL,
      namespacesToIgnore: ['a', 'b', 'c'],
    },
    '-A --namespace-selector=team:a --namespace-selector=!old': {
      scope: ALL,
      namespaceSelector: 'team=a,!old',
    },
    '-A --namespace-annotations': { scope: ALL, namespaceAnnotations: true },
    '--namespace=a --namespace-annotations': namespaces(['a'], '--namespace'),
    "-A --resource-label-selector='team in (a,b)' --resource-label-selector=!old": {
      scope: ALL,
      resourceLabelSelector: 'team in (a,b),!old',
    },
    "RELOADER_OPT_RESOURCE_LABEL_SELECTOR='team in (a,b),!old'": {
      resourceLabelSelector: 'team in (a,b),!old',
    },
    '--ignored-config-resource-types v1.ConfigMap': { ignoredConfigResourceTypes: ['ConfigMap'] },
    '--ignored-config-resource-types v1.configmaps': { ignoredConfigResourceTypes: ['ConfigMap'] },
    '--ignored-config-resource-types configmap,ConfigMaps': { ignoredConfigResourceTypes: ['ConfigMap'] },
    '--ignored-config-resource-types=Secret': { ignoredConfigResourceTypes: ['Secret'] },
    'RELOADER_OPT_RESOURCES_TO_IGNORE=secrets': { ignoredConfigResourceTypes: ['Secret'] },
    '--ignored-workload-types=jobs,CronJobs --ignored-workload-types=daemonset': {
      ignoredWorkloadTypes: ['Job', 'CronJob', 'DaemonSet'],
    },
    '--is-Argo-Rollouts=TRUE --ignored-workload-types=deploymentconfigs': {
      isArgoRollouts: 'true',
      ignoredWorkloadTypes: ['DeploymentConfig'],
    },
    '--is-openshift=false': { isOpenshift: 'false' },
    '--enable-csi-integration --port=8080': { enableCsiIntegration: 'true' },
    '--enable-csi-integration=false': { enableCsiIntegration: 'false' },
    '--secretproviderclass-annotation=a/x': keys({ secretProviderClass: 'a/x' }),
    '--secretproviderclass-auto-annotation=a/x': keys({ secretProviderClassAuto: 'a/x' }),
    '--secretproviderclass-exclude-annotation=a/x': keys({ secretProviderClassExclude: 'a/x' }),
    '--workload-kinds=acme.example/v1/apps:spec.pods.template': {
      workloadKinds: [
        { group: 'acme.example', version: 'v1', resource: 'apps', templatePath: ['pods', 'template'] },
      ],
    },
  },
  'what asks for a reload': {
    '--dialects stakater': { dialects: ['stakater'] },
    "--dialects='stakater, collaborne'": { dialects: ['stakater', 'collaborne'] },
    '--dialects collaborne,sap --dialects wave': { dialects: ['collaborne', 'sap', 'wave'] },
    '--auto-reload-all=true': { autoReloadAll: true },
    '--alternative-configmap-annotation=a/x,b.example.com/Y_1 --alternative-configmap-annotation=z': {
      alternativeAnnotations: { ConfigMap: ['a/x', 'b.example.com/Y_1', 'z'], Secret: [] },
    },
    '--alternative-secret-annotation=a/x': { alternativeAnnotations: { ConfigMap: [], Secret: ['a/x'] } },
    '--auto-annotation a/x': keys({ auto: 'a/x' }),
    '--configmap-auto-annotation a/x': keys({ configMapAuto: 'a/x' }),
    '--secret-auto-annotation a/x': keys({ secretAuto: 'a/x' }),
    '--auto-search-annotation a/x': keys({ search: 'a/x' }),
    '--search-match-annotation a/x': keys({ match: 'a/x' }),
    '--ignore-annotation a/x': keys({ ignore: 'a/x' }),
    '--configmap-annotation a/x': keys({ configMap: 'a/x' }),
    '--secret-annotation a/x': keys({ secret: 'a/x' }),
    '--pause-deployment-annotation a/x': keys({ pausePeriod: 'a/x' }),
    '--pause-deployment-time-annotation a/x': keys({ pausedAt: 'a/x' }),
    // One key may ask for everything, one list name objects of both kinds, and two places have the same key.
    '--auto-annotation=a/x --configmap-auto-annotation=a/x': keys({ auto: 'a/x', configMapAuto: 'a/x' }),
    '--configmap-annotation=a/x --secret-annotation=a/x': keys({ configMap: 'a/x', secret: 'a/x' }),
    '--auto-search-annotation=a/x --search-match-annotation=a/x': keys({ search: 'a/x', match: 'a/x' }),
    [`--auto-annotation=${STAKATER_KEYS.search} --auto-search-annotation=${STAKATER_KEYS.auto}`]: keys({
      auto: STAKATER_KEYS.search,
      search: STAKATER_KEYS.auto,
    }),
  },
  'how it reloads': {
    '--reload-strategy=annotations': { reloadStrategy: 'annotations' },
    '--reload-strategy=evict --max-evictions=3': { reloadStrategy: 'evict', maxEvictions: 3 },
    '--key-scoped': { keyScoped: true },
    '--absorb-owner-rollouts=false': { absorbOwnerRollouts: false },
    '--reload-on-create=true': { reloadOnCreate: true },
    '--reload-on-delete': { reloadOnDelete: true },
    '--cronjob-reload=run-now': { cronjobReload: 'run-now' },
    '--job-reload=recreate': { jobReload: 'recreate' },
    '--job-reload=Recreate-Running': { jobReload: 'recreate-running' },
    '--coalesce-period 2500': { coalescePeriodMs: 2500, coalesceMaxWaitMs: 15_000 },
    '--coalesce-period=0': { coalescePeriodMs: 0, coalesceMaxWaitMs: 0 },
    '--coalesce-period=10s --coalesce-max-wait=2m': {
      coalescePeriodMs: 10_000,
      coalesceMaxWaitMs: 120_000,
    },
    // No longer than a timer can wait.
    '--coalesce-period=500h': { coalescePeriodMs: 1_800_000_000, coalesceMaxWaitMs: 2 ** 31 - 1 },
    '--pause-period=10m': { pausePeriodMs: 600_000 },
    '--rollout-limit=3/10m --min-rollout-interval 30s': {
      pace: { minIntervalMs: 30_000, limit: { rollouts: 3, withinMs: 600_000 } },
    },
    '--rollout-limit=off': { pace: { minIntervalMs: 0, limit: undefined } },
    "--reload-window='Mon-Fri 09:00-17:00 Europe/Berlin'": {
      reloadWindow: 'Mon-Fri 09:00-17:00 Europe/Berlin',
    },
    '--stages=1,10% --stage-soak=5s': { staging: { stages: [{ count: 1 }, { percent: 10 }], soakMs: 5000 } },
    '--max-concurrent-patches=1': { maxConcurrentPatches: 1 },
    '--max-concurrent-rollouts=5 --rollout-rate=0.5 --rollout-burst=3': {
      budget: { slots: 5, rate: 0.5, burst: 3 },
    },
    '--update-rate=1.0 --update-burst=100': { budget: { ...NO_BUDGET, rate: 1, burst: 100 } },
    '--max-concurrent-rollouts=0 --rollout-rate=0 --rollout-burst=9': {},
    '--configmap=my.state': {
      configmap: 'my.state',
      leaderElection: { ...ELECTION, id: 'my.state' },
    },
    'RELOADER_OPT_CONFIGMAP=variable --configmap reloader-state': {},
    '--state-namespace=here': { stateNamespace: 'here' },
    '--digests=sha1': { digests: 'sha1' },
    '--dry-run': { dryRun: true, leaderElection: undefined },
  },
  'who leads': {
    '--leader-elect': {},
    '--enable-ha=true --leader-election': {},
    '--leader-elect=false': { leaderElection: undefined },
    '--leader-election=false': { leaderElection: undefined },
    'RELOADER_OPT_LEADER_ELECT=false': { leaderElection: undefined },
    'RELOADER_OPT_LEADER_ELECTION=false': { leaderElection: undefined },
    'RELOADER_OPT_LEADER_ELECT=false --leader-election': {},
    'RELOADER_OPT_LEADER_ELECT=true --leader-election=false': { leaderElection: undefined },
    '--leader-election-id=lock --leader-election-namespace=far': {
      leaderElection: { ...ELECTION, id: 'lock', namespace: 'far' },
    },
    '--leader-election-lease-duration=1m --leader-election-renew-deadline 3000 --leader-election-retry-period=500ms':
      {
        leaderElection: { ...ELECTION, leaseDurationMs: 60_000, renewDeadlineMs: 3_000, retryPeriodMs: 500 },
      },
  },
  'the admission webhook': {
    '--webhook-port=9443 --webhook-tls-directory=/tls': FILES,
    'RELOADER_OPT_WEBHOOK_PORT=9443 RELOADER_OPT_WEBHOOK_TLS_DIRECTORY=/tls': FILES,
    '--webhook-port=9443 --webhook-tls-directory=/tls --webhook-client-ca=/ca.pem': {
      ...FILES,
      webhookClientCa: '/ca.pem',
    },
    '--webhook-port=0 --webhook-tls-directory=/tls --port=0': { ...FILES, port: 0, webhookPort: 0 },
    '--webhook-port=9443 --webhook-tls-directory=/tls --dry-run=false --webhook-url=': FILES,
    'RELOADER_OPT_SAP_HASH_CHECK=false': {},
  },
  'who is told': {
    '--webhook-url https://me:50%25@a/100%': { webhookUrl: 'https://me:50%25@a/100%' },
    '--webhook-url=http://a --webhook-secret-file=/key': {
      webhookUrl: 'http://a',
      webhookSecretFile: '/key',
    },
    'RELOADER_OPT_WEBHOOK_URL=http://a': { webhookUrl: 'http://a' },
    [ON]: { alerts: ALERTS },
    [`${ON} --alert-on-reload=false`]: {},
    'ALERT_ON_RELOAD=true': {},
    [`${ON} ALERT_SINK=Slack ALERT_WEBHOOK_PROXY=http://proxy:3128 ALERT_ADDITIONAL_INFO=prod`]: {
      alerts: { ...ALERTS, sink: 'slack', proxy: 'http://proxy:3128', additionalInfo: 'prod' },
    },
    '--alert-on-reload --alert-webhook-url http://a --alert-additional-info=prod --alert-webhook-proxy=http://b':
      { alerts: { ...ALERTS, additionalInfo: 'prod', proxy: 'http://b' } },
    // Flags before our own variables before those of Stakater Reloader.
    [`${ON} ALERT_SINK=slack ALERT_WEBHOOK_PROXY=http://b --alert-sink=teams --alert-webhook-proxy=`]: {
      alerts: { ...ALERTS, sink: 'teams' },
    },
    [`${ON} ALERT_SINK=slack RELOADER_OPT_ALERT_SINK=gchat`]: { alerts: { ...ALERTS, sink: 'gchat' } },
    [`${ON} ALERT_SINK=slack --alert-sink=webhook`]: { alerts: ALERTS },
    [`${ON} ALERT_SINK=slack --alert-sink=`]: { alerts: ALERTS },
  },
  'the connection': {
    '-s https://10.0.0.1:6443 --cacert ca.pem --cert cert.pem --key key.pem': {
      server: 'https://10.0.0.1:6443',
      certificateAuthority: 'ca.pem',
      clientCertificate: 'cert.pem',
      clientKey: 'key.pem',
    },
    '--server=http://a --certificate-authority=ca.pem --client-certificate=c --client-key=k': {
      server: 'http://a',
      certificateAuthority: 'ca.pem',
      clientCertificate: 'c',
      clientKey: 'k',
    },
    '--kubeconfig=a --context=b --token-file=c': {
      kubeconfig: 'a',
      context: 'b',
      tokenFile: 'c',
    },
    '--token abc': { token: 'abc' },
    'RELOADER_OPT_TOKEN=abc': { token: 'abc' },
    'RELOADER_OPT_CERTIFICATE_AUTHORITY=own RELOADER_OPT_CACERT=other': {
      certificateAuthority: 'own',
    },
    '--insecure-skip-tls-verify --no-status-page': {
      insecureSkipTlsVerify: true,
      noStatusPage: true,
    },
    '--insecure-skip-tls-verify=false --cacert=a': { certificateAuthority: 'a' },
  },
  'what is served': {
    'PORT=9000': { port: 9000 },
    '--cluster-name=prod': { clusterName: 'prod' },
    'PORT=9000 RELOADER_OPT_PORT=0': { port: 0 },
    'PORT= RELOADER_OPT_PORT=': {},
    '--port=1 --port=2': { port: 2 },
    '--secure-metrics --metrics-tls-directory=/tls': { metricsTlsDirectory: '/tls' },
    '--health-port=9000': { healthPort: 9000 },
    '--port=0 --health-port=0': { port: 0, healthPort: 0 },
    '--bind-address 0.0.0.0': { bindAddress: '0.0.0.0', checksHost: false },
    '--bind-address=::': { bindAddress: '::', checksHost: false },
    '--bind-address=127.1.2.3': { bindAddress: '127.1.2.3' },
    [POD]: OPEN,
    [`${POD} --bind-address=::1`]: { healthPort: 8081, bindAddress: '::1' },
    [`${POD} RELOADER_OPT_HEALTH_PORT=9 RELOADER_OPT_BIND_ADDRESS=127.0.0.1`]: { healthPort: 9 },
    "KUBERNETES_SERVICE_HOST=' '": {},
    'METRICS_COUNT_BY_NAMESPACE=enabled': { countsByNamespace: true },
    'METRICS_COUNT_BY_NAMESPACE=true': {},
  },
  'the log': {
    '--log-format=json --log-level=warn': { logFormat: 'json', logLevel: 'warn' },
    'RELOADER_OPT_LOG_LEVEL=DEBUG --log-format=': { logLevel: 'debug' },
    // The words of Go's logrus.
    '--log-level=trace': { logLevel: 'debug' },
    '--log-level=Warning': { logLevel: 'warn' },
    '--log-level=fatal': { logLevel: 'error' },
    '--log-level=panic': { logLevel: 'error' },
  },
};

/** The properties that some case names: the others are parts of these. */
const NAMED = new Set([DEFAULTS, ...Object.values(CASES).flatMap(Object.values)].flatMap(Object.keys));

function namespaces(names: readonly string[], source: string): Changes {
  return { scope: { type: 'namespaces', names, source } };
}

function keys(renamed: Partial<StakaterKeys>): Changes {
  return { stakaterKeys: { ...STAKATER_KEYS, ...renamed } };
}

/** The options of the command, but for a scope that follows from a flag of Stakater Reloader. */
function optionsOf(command: string): Changes {
  const { options } = running(command);
  const isAssumed = 'source' in options.scope && options.scope.source.startsWith('the default of');
  return named(isAssumed ? { ...options, scope: DEFAULTS.scope } : options);
}

function named(options: Changes): Changes {
  const entries = Object.entries(options);
  return Object.fromEntries(entries.filter(([name, value]) => NAMED.has(name) && value !== undefined));
}

test('the bare command has the documented defaults', () => assert.deepEqual(optionsOf(''), DEFAULTS));

for (const [what, cases] of Object.entries(CASES)) {
  describe(`${what}:`, () => {
    for (const [command, changes] of Object.entries(cases)) {
      test(command, () => {
        assert.deepEqual(optionsOf(command), named({ ...DEFAULTS, ...changes }));
      });
    }
  });
}

test('each flag has a case', () => {
  const words = Object.values(CASES).flatMap((cases) => Object.keys(cases).join(' ').split(/[ =]/));
  const untold = FLAGS.filter(
    ({ name, aliases }) => ![`--${name}`, ...aliases].some((form) => words.includes(form)),
  );
  assert.deepEqual(
    untold.map(({ name }) => name),
    ['help', 'version'],
  );
});

describe('a switch', () => {
  for (const text of ['', '=1', '=t', '=T', '=TRUE', '=true', '=True'])
    test(`is on with ${text}`, () => assert.equal(running(`--dry-run${text}`).options.dryRun, true));
  for (const text of ['0', 'f', 'F', 'FALSE', 'false', 'False'])
    test(`is off with =${text}`, () =>
      assert.equal(running(`RELOADER_OPT_DRY_RUN=true --dry-run=${text}`).options.dryRun, false));
});

test('the options are deeply frozen', () => {
  const { options } = running('--namespace=a --alternative-secret-annotation=a/x');
  for (const part of [options, options.scope, options.staging, options.alternativeAnnotations.Secret])
    assert.ok(Object.isFrozen(part));
});

/** By selector, labels that meet it, and labels that do not. */
const SELECTED: Readonly<Record<string, readonly [meeting: readonly object[], others: readonly object[]]>> = {
  a: [[{ a: '' }], [{}, { b: '1' }]],
  '!a': [[{}], [{ a: '' }]],
  'a=1': [[{ a: '1', b: '2' }], [{}, { a: '2' }]],
  'a!=1': [[{}, { a: '2' }], [{ a: '1' }]],
  'a in (1,2)': [[{ a: '2' }], [{}, { a: '3' }]],
  'a notin (1,2)': [[{}, { a: '3' }], [{ a: '1' }]],
  'a=1,b in (1,2),!c': [[{ a: '1', b: '2' }], [{ a: '1', b: '2', c: '' }, { a: '1' }]],
};

describe('labels meet a selector as for the API server:', () => {
  for (const [selector, [meeting, others]] of Object.entries(SELECTED))
    test(selector, () => {
      const meetIt = (labels: object): boolean => meets(labels as Record<string, string>, selector);
      assert.deepEqual([meeting.every(meetIt), others.some(meetIt)], [true, false]);
    });
});
