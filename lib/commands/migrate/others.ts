/** The other reloaders: how each is recognized, what it serves, and its flags and values that this program does not have. */

import type { VocabularyName } from '../../model/settings.ts';

/** A flag that is refused here, and what there is in place of it. */
export interface RefusedFlag {
  readonly why: string;
  /** Whether the flag is a switch, so that the next word is not its value. */
  readonly isSwitch?: true;
}

/** One reloader that may be in the cluster. */
export interface Source {
  readonly name: VocabularyName;
  readonly title: string;
  /** The section of the guides about it. */
  readonly guide: string;
  readonly image: RegExp;
  /** A variable that only its manifests set. */
  readonly variable?: string;
  /** Where it usually runs. */
  readonly namespaces: readonly string[];
  /** Whether it watches all namespaces unless a flag says otherwise. */
  readonly watchesAll: boolean;
  /** Whether the new installation takes its place in the same namespace, with its state or its release of Helm. */
  readonly isInPlace: boolean;
  /** The vocabularies that the new installation reads; absent: the default has those of this one. */
  readonly dialects?: readonly VocabularyName[];
  /** Whether it starts CronJobs and creates Jobs anew unless a flag ignores them. */
  readonly startsRuns: boolean;
  /** Its flags that are refused here. */
  readonly refused: Readonly<Record<string, RefusedFlag>>;
  /** The names of its MutatingWebhookConfiguration and of what stands in it. */
  readonly webhooks?: RegExp;
  /** Its chart; absent: that of Stakater Reloader, whose values work here as they are, or none. */
  readonly chart?: ChartOfOther;
}

/** The values of its chart. */
export interface ChartOfOther {
  /** The flag that a value becomes. */
  readonly flags: Readonly<Record<string, string>>;
  /** The value of our chart that has the same meaning. */
  readonly values: Readonly<Record<string, string>>;
  /** The number of pods. */
  readonly replicas: string;
  /** Values without an effect here, and why. */
  readonly idle: Readonly<Record<string, string>>;
}

const ZAP: Readonly<Record<string, RefusedFlag>> = Object.fromEntries(
  ['zap-log-level', 'zap-encoder', 'zap-devel', 'zap-stacktrace-level', 'zap-time-encoding'].map((name) => [
    name,
    { why: 'use --log-level and --log-format', ...(name === 'zap-devel' ? { isSwitch: true } : {}) },
  ]),
);
const PORTS = { why: 'metrics and probes are on --port and --health-port, their address is --bind-address' };
const OF_POD = 'reloader.deployment';
const OTHER_PROGRAM = 'this is another program: its chart has resources of its own';
const OWN_IMAGE = 'it names the image of the other one';

const SAP: Source = {
  name: 'sap',
  title: "SAP's pod-reloader",
  guide: 'docs/guides/migration.md#from-saps-pod-reloader',
  image: /(^|\/)pod-reloader([:@]|$)/,
  namespaces: ['pod-reloader'],
  watchesAll: true,
  isInPlace: false,
  dialects: ['collaborne', 'stakater', 'sap'],
  startsRuns: false,
  refused: {
    ...ZAP,
    'metrics-bind-address': PORTS,
    'health-probe-bind-address': PORTS,
    'webhook-bind-address': { why: 'rollouts need no webhook; the optional one is on --webhook-port' },
    'webhook-tls-directory': { why: 'rollouts need no webhook' },
  },
  webhooks: /pod-reloader/,
  chart: {
    flags: {},
    values: {
      nodeSelector: `${OF_POD}.nodeSelector`,
      tolerations: `${OF_POD}.tolerations`,
      affinity: `${OF_POD}.affinity`,
      topologySpreadConstraints: `${OF_POD}.topologySpreadConstraints`,
      priorityClassName: `${OF_POD}.priorityClassName`,
      podAnnotations: `${OF_POD}.pod.annotations`,
    },
    replicas: 'replicaCount',
    idle: {
      image: OWN_IMAGE,
      resources: OTHER_PROGRAM,
      webhook: 'rollouts need no webhook; namespaces are chosen by reloader.namespaceSelector',
    },
  },
};

const WAVE: Source = {
  name: 'wave',
  title: 'wave',
  guide: 'docs/guides/migration.md#from-wave',
  image: /(^|\/)wave([:@]|$)/,
  namespaces: ['wave'],
  watchesAll: true,
  isInPlace: false,
  dialects: ['collaborne', 'stakater', 'wave'],
  startsRuns: false,
  refused: {
    ...ZAP,
    'sync-period': { why: 'after a gap in a watch the reloader lists anew' },
    'enable-webhooks': { why: 'none is needed: a new workload is never rolled', isSwitch: true },
  },
  webhooks: /(^|[-./])wave([-./]|$)/,
  chart: {
    flags: {
      updateRate: 'update-rate',
      updateBurst: 'update-burst',
      syncPeriod: 'sync-period',
      'webhooks.enabled': 'enable-webhooks',
    },
    values: {
      nodeSelector: `${OF_POD}.nodeSelector`,
      tolerations: `${OF_POD}.tolerations`,
      affinity: `${OF_POD}.affinity`,
      topologySpread: `${OF_POD}.topologySpreadConstraints`,
      podAnnotations: `${OF_POD}.pod.annotations`,
      podLabels: `${OF_POD}.labels`,
      extraVolumes: `${OF_POD}.volumes`,
      extraVolumeMounts: `${OF_POD}.volumeMounts`,
      'serviceAccount.name': 'reloader.serviceAccount.name',
      'global.imagePullSecrets': 'global.imagePullSecrets',
    },
    replicas: 'replicas',
    idle: {
      image: OWN_IMAGE,
      resources: OTHER_PROGRAM,
      pdb: 'with two pods ha.enabled brings a PodDisruptionBudget',
      securityContext: 'no root and no writes already',
    },
  },
};

/** Every reloader that can be migrated from. */
export const SOURCES: Readonly<Record<VocabularyName, Source>> = {
  stakater: {
    name: 'stakater',
    title: 'Stakater Reloader',
    guide: 'docs/guides/migrate-from-stakater.md',
    image: /(^|\/)stakater\/reloader(-ubi)?([:@]|$)/,
    variable: 'RELOADER_DEPLOYMENT_NAME',
    namespaces: ['reloader'],
    watchesAll: true,
    isInPlace: true,
    startsRuns: true,
    refused: {},
  },
  collaborne: {
    name: 'collaborne',
    title: "Collaborne's kubernetes-reloader",
    guide: 'docs/guides/migration.md#from-collabornes-kubernetes-reloader',
    image: /(^|\/)collaborne\/kubernetes-reloader([:@]|$)/i,
    namespaces: [],
    watchesAll: false,
    isInPlace: true,
    startsRuns: false,
    refused: {},
  },
  sap: SAP,
  wave: WAVE,
};
