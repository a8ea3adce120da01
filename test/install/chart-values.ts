/** Sets of values that the tests of the chart render. */

import type { JsonObject } from '../sandbox/json.ts';
import type { Rendering, Values } from './chart.ts';

/** One set, and the cluster that it is for. */
export interface ValueSet extends Pick<Rendering, 'kubeVersion' | 'apiVersions'> {
  readonly name: string;
  readonly values: Values;
}

const theirs = (reloader: JsonObject): Values => ({ reloader });
/** Watches others from a namespace of its own. */
const apart = (reloader: JsonObject): Values => ({
  watchOwnNamespace: false,
  reloader: { watchGlobally: false, ...reloader },
});
const deployment = (values: JsonObject): Values => theirs({ deployment: values });
const flags = (config: JsonObject): Values => ({ config });

const SCOPES: Readonly<Record<string, Values>> = {
  'one namespace': theirs({ watchGlobally: false }),
  'a list of namespaces': apart({ namespaces: ['web', 'api', 'web'] }),
  'a text of namespaces': apart({ namespaces: ' web, api ' }),
  'its own namespace in the list': theirs({ watchGlobally: false, namespaces: 'tools' }),
  'the namespace of another release': { namespace: 'elsewhere', reloader: { watchGlobally: false } },
  'another namespace for all objects': { namespace: 'elsewhere' },
  'namespaces left out': theirs({ ignoreNamespaces: 'kube-system,ci' }),
  'namespaces by their labels': theirs({ namespaceSelector: 'team in (web,api),!legacy' }),
  'selectors that do not count': theirs({
    watchGlobally: false,
    namespaceSelector: 'team=web',
    ignoreNamespaces: 'ci',
  }),
  'objects by their labels': theirs({ resourceLabelSelector: 'team:web' }),
  'no Secrets': theirs({ ignoreSecrets: true }),
  'a list of namespaces left out': theirs({ ignoreNamespaces: ['kube-system', 'ci'] }),
  'no ConfigMaps': theirs({ ignoreConfigMaps: true }),
  'no Jobs': theirs({ ignoreJobs: true }),
  'no CronJobs': theirs({ ignoreCronJobs: true }),
  'neither Jobs nor CronJobs': theirs({ ignoreJobs: true, ignoreCronJobs: true }),
  'Jobs that run': flags({ jobReload: 'recreate-running' }),
  'Jobs left alone by the flag': flags({ jobReload: 'none' }),
  'kinds left out': flags({ ignoredWorkloadTypes: ['DaemonSet', 'statefulsets'] }),
  'no Deployments': flags({ ignoredWorkloadTypes: ['deployments'] }),
  'only CronJobs': {
    config: { ignoredWorkloadTypes: ['deployments', 'statefulsets', 'daemonsets'] },
    reloader: { ignoreJobs: true },
  },
};

const BEHAVIOURS: Readonly<Record<string, Values>> = {
  'auto for all': theirs({ autoReloadAll: true }),
  'creations and deletions': theirs({ reloadOnCreate: true, reloadOnDelete: true }),
  'the strategy env-vars': theirs({ reloadStrategy: 'env-vars' }),
  'the strategy annotations': theirs({ reloadStrategy: 'annotations' }),
  'other annotations': theirs({
    custom_annotations: {
      configmap: 'a.example.com/configmap',
      secret: 'a.example.com/secret',
      auto: 'a.example.com/auto',
      configmap_auto: 'a.example.com/configmap-auto',
      secret_auto: 'a.example.com/secret-auto',
      search: 'a.example.com/search',
      match: 'a.example.com/match',
      ignore: 'a.example.com/ignore',
      pausePeriod: 'a.example.com/pause',
      pauseTime: 'a.example.com/paused-at',
    },
  }),
  'annotations of their next version': theirs({
    custom_annotations: {
      configmap_exclude: 'a.example.com/no',
      secretproviderclass: 'a.example.com/class',
      secretproviderclass_auto: 'a.example.com/class-auto',
      secretproviderclass_exclude: 'a.example.com/no-class',
    },
  }),
  'a webhook': theirs({ webhookUrl: 'https://user:p%2Fw@hooks.example.com/reload?a=b&c=d' }),
  'a webhook and few namespaces': apart({ webhookUrl: 'http://hooks.example.com/', namespaces: ['web'] }),
  'a log for machines': theirs({ logFormat: 'json', logLevel: 'debug' }),
  'counts by namespace': theirs({ enableMetricsByNamespace: true }),
  Rollouts: theirs({ isArgoRollouts: true }),
  DeploymentConfigs: theirs({ isOpenshift: true }),
  'kinds by what the cluster serves': theirs({
    isArgoRollouts: null,
    isOpenshift: null,
    enableCSIIntegration: null,
  }),
  'evictions of all': { ...theirs({ reloadStrategy: 'evict' }), ...flags({ maxEvictions: 3 }) },
  'evictions of all, which annotations ask for too': {
    ...theirs({ reloadStrategy: 'evict' }),
    evictions: { enabled: true },
  },
  'evictions that are only told': theirs({ reloadStrategy: 'evict', webhookUrl: 'http://a' }),
  'evictions by annotations': { evictions: { enabled: true } },
  'a dry run of evictions': { evictions: { enabled: true }, config: { dryRun: true } },
  'a dry run of all kinds': {
    ...theirs({ isArgoRollouts: true, isOpenshift: true }),
    ...flags({ dryRun: true }),
  },
  'Rollouts that are left out': {
    ...theirs({ isArgoRollouts: true }),
    ...flags({ ignoredWorkloadTypes: ['Rollout'] }),
  },
  'what a CSI driver mounts': theirs({ enableCSIIntegration: true }),
  'what a CSI driver mounts, in some namespaces': apart({ enableCSIIntegration: true, namespaces: ['web'] }),
  'what has no effect': theirs({
    syncAfterRestart: true,
    readOnlyRootFileSystem: true,
    enablePProf: true,
    pprofAddr: ':7070',
    legacy: { rbac: true },
  }),
  'values that they invent': theirs({ volumes: [], volumeMounts: [], deployment: { image: { name: 'x' } } }),
  'a dry run': flags({ dryRun: true }),
  'a dry run of some namespaces': { config: { dryRun: true }, ...apart({ namespaces: ['web'] }) },
  'all vocabularies': flags({ dialects: ['collaborne', 'stakater', 'sap', 'wave'] }),
  'times and paces': flags({
    coalescePeriod: '10s',
    coalesceMaxWait: 120_000,
    pausePeriod: '1h30m',
    minRolloutInterval: 1000,
    rolloutLimit: 'off',
    reloadWindow: 'Mon-Fri 09:00-17:00 Europe/Berlin',
    stages: '1,10%,50%,100%',
    stageSoak: '2m',
    maxConcurrentPatches: 1000,
  }),
  switches: flags({
    namespaceAnnotations: true,
    keyScoped: true,
    absorbOwnerRollouts: false,
    noStatusPage: true,
  }),
  'another state': flags({ configmap: 'memory', stateNamespace: 'state' }),
  'another Lease': flags({ leaderElectionId: 'lock', leaderElectionNamespace: 'locks' }),
  'no leader': flags({ leaderElect: false }),
  alerts: flags({
    alertOnReload: true,
    alertSink: 'slack',
    alertWebhookUrl: 'https://hooks.example.com/T/secret',
    alertAdditionalInfo: 'cluster one, "two": $HOME',
  }),
  'alerts as they had them': deployment({
    env: {
      secret: {
        ALERT_ON_RELOAD: true,
        ALERT_SINK: 'slack',
        ALERT_WEBHOOK_URL: 'https://hooks.example.com/T',
        ALERT_WEBHOOK_PROXY: 'http://proxy.example.com:3128',
        ALERT_ADDITIONAL_INFO: '',
      },
    },
  }),
  'other ports': flags({ port: 8080, healthPort: 9091 }),
  'pages for some': flags({ secureMetrics: true, metricsTlsDirectory: '/tls' }),
  'pages for some, in one namespace, with a certificate': {
    config: { secureMetrics: true, metricsTlsDirectory: '/tls' },
    reloader: { watchGlobally: false },
  },
  'a further argument': { extraArgs: ['--enable-pprof=false'] },
};

const PODS: Readonly<Record<string, Values>> = {
  'a pair': { ha: { enabled: true } },
  'three of a kind': { ha: { enabled: true, replicas: 3 } },
  'their HA': theirs({ enableHA: true, deployment: { replicas: 2 }, podDisruptionBudget: { enabled: true } }),
  'their HA with one pod': theirs({ enableHA: true, podDisruptionBudget: { enabled: true } }),
  'their times of the Lease': theirs({
    enableHA: true,
    leaderElection: { leaseDuration: '30s', renewDeadline: '20s', retryPeriod: '4s' },
  }),
  'more pods than may act': deployment({ replicas: 3 }),
  'no pod': deployment({ replicas: 0 }),
  'numbers that are texts': deployment({ replicas: '1', revisionHistoryLimit: '3' }),
  'a budget that may lack one': theirs({
    enableHA: true,
    deployment: { replicas: 3 },
    podDisruptionBudget: { enabled: true, maxUnavailable: '50%', minAvailable: 2 },
  }),
  'an image by its tag': { image: { repository: 'registry.example.com/reloader', tag: '0.2.0' } },
  'an image by the date': { image: { tag: 20_260_101, pullPolicy: '' } },
  'an image by its digest': { image: { digest: `sha256:${'0'.repeat(64)}`, tag: 'latest' } },
  'an image of a mirror': { global: { imageRegistry: 'mirror.example.com' }, image: { digest: 'sha256:0' } },
  'secrets for the image': { global: { imagePullSecrets: ['one', { name: 'two' }] } },
  'variables of all sources': deployment({
    env: {
      open: { A: 'text', B: 5, C: '', NODE_OPTIONS: '--max-old-space-size=100' },
      secret: { D: 'secret', E: '' },
      field: { F: 'metadata.uid' },
      existing: { other: { G: 'key' } },
    },
  }),
  probes: deployment({ livenessProbe: { periodSeconds: 30 }, readinessProbe: { timeoutSeconds: 1 } }),
  resources: deployment({ resources: { limits: { memory: '512Mi' } } }),
  'a user of OpenShift': deployment({ securityContext: { runAsUser: null, runAsGroup: null } }),
  'no security context of the container': deployment({ containerSecurityContext: null }),
  'a security context of the container': deployment({
    containerSecurityContext: { readOnlyRootFilesystem: false, runAsNonRoot: true },
  }),
  'placed pods': deployment({
    nodeSelector: { pool: 'system' },
    tolerations: [{ operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: {} },
    ],
    priorityClassName: 'high',
    runtimeClassName: 'gvisor',
    schedulerName: 'other',
    dnsConfig: { options: [{ name: 'ndots', value: '1' }] },
    hostUsers: false,
  }),
  volumes: deployment({
    volumes: [{ name: 'ca', configMap: { name: 'ca' } }],
    volumeMounts: [{ name: 'ca', mountPath: '/ca' }],
  }),
  'labels and annotations': deployment({
    labels: { provider: 'stakater', group: 'com.stakater.platform', version: 'v1.4.21' },
    annotations: { note: '{{ .Release.Name }}' },
    pod: { annotations: { note: '{{ .Release.Namespace }}' } },
  }),
  'further labels of the selectors': theirs({ matchLabels: { team: '{{ .Release.Name }}' } }),
  'no token': deployment({ automountServiceAccountToken: false }),
  'Go settings': deployment({ gomaxprocsOverride: '0', gomemlimitOverride: '100MiB' }),
};

const NAMES: Readonly<Record<string, Values>> = {
  'another name': { nameOverride: 'Restarter' },
  'another full name': { fullnameOverride: 'reloader' },
  'a name that is too long': { fullnameOverride: `a${'b'.repeat(61)}-c`, admission: { enabled: true } },
  'an account of its own': theirs({
    serviceAccount: { name: 'account', labels: { a: 'b' }, annotations: { c: '{{ .Release.Name }}' } },
  }),
  'an account that is there': theirs({ serviceAccount: { create: false, name: 'there' } }),
  'the default account': theirs({ serviceAccount: { create: false } }),
  'labels of the rights': theirs({ rbac: { labels: { a: '{{ .Release.Name }}' } } }),
};

const AROUND: Readonly<Record<string, Values>> = {
  'a service': theirs({
    service: { port: 80, labels: { a: 'b' }, annotations: { c: '{{ .Release.Name }}' } },
  }),
  'a service of two families': theirs({
    service: { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6', 'IPv4'] },
  }),
  'their network policy': theirs({
    netpol: { enabled: true, from: [{ podSelector: {} }], to: [{ ipBlock: { cidr: '10.0.0.1/32' } }] },
  }),
  'a network policy': {
    networkPolicy: {
      enabled: true,
      from: [{ podSelector: {} }],
      apiServerPorts: [8443],
      ingress: [{ ports: [{ port: 1 }] }],
      egress: [{ ports: [{ port: 443 }] }],
    },
  },
  'a network policy of the webhook': { networkPolicy: { enabled: true }, admission: { enabled: true } },
  'the admission webhook': { admission: { enabled: true } },
  'the admission webhook of some namespaces': {
    admission: { enabled: true, port: 10_250, certificate: 'cert-manager', secretName: 'tls' },
    ha: { enabled: true },
    ...apart({ namespaces: ['web'] }),
  },
  'the admission webhook of one namespace': {
    admission: { enabled: true },
    reloader: { watchGlobally: false },
  },
  fences: { fences: { enabled: true }, admission: { enabled: true } },
  'fences of another release': {
    fences: { enabled: true },
    namespace: 'elsewhere',
    config: { configmap: 'memory', leaderElectionId: 'lock', leaderElectionNamespace: 'locks' },
    reloader: { serviceAccount: { name: 'there' }, custom_annotations: { pauseTime: 'a.example.com/at' } },
  },
  'the admission webhook with namespaces left out': {
    admission: { enabled: true },
    reloader: { ignoreNamespaces: 'ci, kube-system' },
  },
  'the admission webhook with cert-manager': { admission: { enabled: true, certificate: 'cert-manager' } },
  'the admission webhook with an issuer': {
    admission: {
      enabled: true,
      certificate: 'cert-manager',
      issuerRef: { kind: 'ClusterIssuer', name: 'internal' },
    },
  },
  'the admission webhook with a Secret': {
    admission: { enabled: true, certificate: 'secret', secretName: 'tls', caBundle: 'QQ==' },
    reloader: { deployment: { volumes: [{ name: 'a', emptyDir: {} }] } },
  },
};

/** With the operator of Prometheus and that of the autoscaler. */
const WITH_OPERATORS: Readonly<Record<string, Values>> = {
  'monitors and rules': {
    monitoring: {
      podMonitor: { enabled: true, interval: '30s', bearerTokenSecret: { name: 'token', key: 'token' } },
      serviceMonitor: { enabled: true, namespace: 'monitoring', targetLabels: ['team'] },
      prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
      dashboard: { enabled: true, namespace: 'monitoring' },
    },
  },
  'their monitors': theirs({
    serviceMonitor: {
      enabled: true,
      interval: '10s',
      timeout: '5s',
      scheme: 'https',
      tlsConfig: { insecureSkipVerify: true },
      bearerTokenFile: '/token',
      honorLabels: false,
      relabelings: [{ action: 'drop' }],
      metricRelabelings: [{ action: 'keep', regex: '{{ .Release.Name }}.*' }],
      labels: { a: '{{ .Release.Name }}' },
      annotations: { b: 'c' },
      targetLabels: ['d'],
    },
    podMonitor: { enabled: true, podTargetLabels: ['e'] },
  }),
  'their autoscaler': theirs({
    verticalPodAutoscaler: {
      enabled: true,
      recommenders: [{ name: 'other' }],
      controlledResources: ['memory'],
      controlledValues: 'RequestsOnly',
      maxAllowed: { memory: '1Gi' },
      minAllowed: { memory: '64Mi' },
      updatePolicy: { updateMode: 'Off', minReplicas: 1 },
    },
  }),
};

/** All of them. */
export const VALUE_SETS: readonly ValueSet[] = [
  { name: 'the defaults', values: {} },
  ...named({ ...SCOPES, ...BEHAVIOURS, ...PODS, ...NAMES, ...AROUND }),
  ...named(WITH_OPERATORS, { apiVersions: ['monitoring.coreos.com/v1', 'autoscaling.k8s.io/v1'] }),
  ...named({ 'their monitors without an operator': WITH_OPERATORS['their monitors'] ?? {} }),
  ...named(
    { 'a webhook before its conditions': { admission: { enabled: true } } },
    { kubeVersion: '1.27.0' },
  ),
];

function named(sets: Readonly<Record<string, Values>>, cluster: Partial<ValueSet> = {}): ValueSet[] {
  return Object.entries(sets).map(([name, values]) => ({ name, values, ...cluster }));
}
