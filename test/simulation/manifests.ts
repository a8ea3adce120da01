/** The manifests of workloads, as their owners keep them. */

import { split } from './api.ts';
import type { Asking, ConfigName, InitialWorkload, TemplateStamp, WorkloadName } from './history.ts';

/** The objects that every pod template refers to, followed or not, so that each pod reads them all. */
export const CONFIGS: readonly ConfigName[] = ['ConfigMap/a-b', 'ConfigMap/a.b', 'Secret/a-b', 'ConfigMap/c'];

/** A class that every pod mounts, in the histories that have one. */
export const CLASS: ConfigName = 'SecretProviderClass/k';

/** All objects of which a state may tell. */
export const TOLD: readonly ConfigName[] = [...CONFIGS, CLASS];

/** Of each kind of object its part of the annotations. */
const WORDS: Readonly<Record<string, string>> = {
  ConfigMap: 'configmap',
  Secret: 'secret',
  SecretProviderClass: 'secret-provider-class',
};

const PREFIX = 'reloader.k8s.collaborne.com/';
/** The lists of patterns, in the words of Stakater Reloader. */
const PATTERNS = ['configmap.reloader.stakater.com/reload', 'secret.reloader.stakater.com/reload'];
const EVERYTHING = '.*';
/** What means the same as the native words, in histories where it is read. */
const SAPS = 'pod-reloader.cs.sap.com/';
const WAVES_AUTO = 'wave.pusher.com/update-on-config-change';

/** Every workload that a history may have. */
export const WORKLOADS: readonly WorkloadName[] = [
  'Deployment/web',
  'StatefulSet/db',
  'DaemonSet/agent',
  'Deployment/api',
];

/** Those that a history has only where they are rolled. */
export const BATCH: readonly WorkloadName[] = ['Job/work', 'CronJob/report'];

/** Each takes its pods in another way; the last one has its template in a Deployment. */
const ROLLOUT_STRATEGIES: Readonly<Record<WorkloadName, object>> = {
  'Rollout/canary': { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } },
  'Rollout/timed': { canary: { steps: [{ setWeight: 50 }, { pause: { duration: 20 } }] } },
  'Rollout/green': { blueGreen: { autoPromotionEnabled: false, scaleDownDelaySeconds: 30 } },
  'Rollout/switch': { blueGreen: { scaleDownDelaySeconds: 30 } },
  'Rollout/lent': { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } },
};

/** Those that only histories of Rollouts have. */
export const ROLLOUTS: readonly WorkloadName[] = Object.keys(ROLLOUT_STRATEGIES);

/** Chooses between a new revision and a restart. */
export const ROLLOUT_STRATEGY: string = `${PREFIX}rollout-strategy`;

const LENT: WorkloadName = 'Rollout/lent';
const LENDER: WorkloadName = 'Deployment/lent';

/** The object that has the pod template of a workload. */
export function templateOwnerOf(workload: WorkloadName): WorkloadName {
  return workload === LENT ? LENDER : workload;
}

/** The workload whose pod template is in an object. */
export function workloadOfTemplate(owner: WorkloadName): WorkloadName {
  return owner === LENDER ? LENT : owner;
}

/** What a template is made with. */
export interface TemplateParts {
  readonly image: string;
  /** Variables of the container, e.g. copied stamps. */
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  /** What its pods do not start without. */
  readonly needs?: readonly ConfigName[];
  /** The keys that its pods read of each object; absent: all. */
  readonly keys?: readonly string[] | undefined;
  /** Whether its pods mount the class. @default false */
  readonly mounts?: boolean;
  /** Only of Jobs. */
  readonly restartPolicy?: 'Never';
}

const CLASS_VOLUME = {
  name: 'class',
  csi: { driver: 'secrets-store.csi.k8s.io', volumeAttributes: { secretProviderClass: split(CLASS).name } },
};

/** A pod template. */
export function templateOf(
  workload: WorkloadName,
  { image, env = [], needs = [], keys, mounts = false, restartPolicy }: TemplateParts,
): object {
  const own = { name: 'MODE', value: 'production' };
  const variables = (keys ?? []).flatMap(variablesOf);
  const names = new Set([own, ...variables].map(({ name }) => name));
  const envFrom = (keys === undefined ? CONFIGS : []).map((config) => {
    const { kind, name } = split(config);
    const optional = !needs.includes(config);
    return { [kind === 'Secret' ? 'secretRef' : 'configMapRef']: { name, optional } };
  });
  return {
    metadata: { labels: labelsOf(workload) },
    spec: {
      ...(restartPolicy && { restartPolicy }),
      containers: [
        {
          name: 'app',
          image,
          env: [own, ...variables, ...env.filter(({ name }) => !names.has(name))],
          envFrom,
          ...(mounts && { volumeMounts: [{ name: 'class', mountPath: '/class' }] }),
        },
        { name: 'sidecar', image: 'sidecar:1' },
      ],
      ...(mounts && { volumes: [CLASS_VOLUME] }),
    },
  };
}

/** The variables of a container that read one key of each object. */
export function variablesOf(key: string): { name: string; valueFrom: object }[] {
  return CONFIGS.map((config, index) => {
    const { kind, name } = split(config);
    const source = kind === 'Secret' ? 'secretKeyRef' : 'configMapKeyRef';
    const valueFrom = { [source]: { name, key, optional: true } };
    return { name: `KEY_${index}_${key.toUpperCase()}`, valueFrom };
  });
}

/** A workload as `kubectl create` gets it. */
export function newWorkload(workload: InitialWorkload, parts: TemplateParts): object {
  const { kind, name } = split(workload.workload);
  const strategies = {
    rolling: {},
    manual: { updateStrategy: { type: 'OnDelete' } },
    partition: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } },
  };
  const metadata = { name, annotations: withoutNulls(policyOf(workload.follows)) };
  if (BATCH.includes(workload.workload)) return newBatch(workload.workload, metadata, parts);
  if (kind === 'Rollout') return newRollout(workload, metadata, parts);
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata,
    spec: {
      ...(kind === 'DaemonSet' ? {} : { replicas: workload.replicas }),
      selector: { matchLabels: labelsOf(workload.workload) },
      ...(isStrategyOf(kind, workload.strategy) ? strategies[workload.strategy] : {}),
      template: templateOf(workload.workload, parts),
    },
  };
}

function newRollout({ workload, replicas }: InitialWorkload, metadata: object, parts: TemplateParts): object {
  const template =
    workload === LENT
      ? { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: split(LENDER).name } }
      : { template: templateOf(workload, parts) };
  const spec = { replicas, strategy: ROLLOUT_STRATEGIES[workload], ...template };
  return { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata, spec };
}

/** What a CronJob asks for its Jobs ask for too, which must not touch them. */
function newBatch(
  workload: WorkloadName,
  metadata: { readonly name: string; readonly annotations: object },
  parts: TemplateParts,
): object {
  const { annotations } = metadata;
  const template = templateOf(workload, { ...parts, restartPolicy: 'Never' });
  const { kind } = split(workload);
  const jobTemplate = { metadata: { annotations }, spec: { template } };
  const spec = kind === 'Job' ? { template } : { schedule: '0 3 * * *', jobTemplate };
  return { apiVersion: 'batch/v1', kind, metadata, spec };
}

/** The annotations that name these objects; null removes one, in a patch as in a manifest. */
export function policyOf(follows: readonly ConfigName[]): Record<string, string | null> {
  return listsOf('', follows);
}

/** The annotations that ask for more than names, and the lists of what is excluded. */
export function wordsOf(by: Asking, excludes: readonly ConfigName[]): Record<string, string | null> {
  return {
    [`${PREFIX}auto`]: by === 'auto' ? 'true' : null,
    [`${PREFIX}search`]: by === 'search' ? 'true' : null,
    ...Object.fromEntries(PATTERNS.map((key) => [key, by === 'pattern' ? EVERYTHING : null])),
    ...listsOf('exclude-', excludes),
  };
}

/** The annotations of an object that carries this mark, or none. */
export function marksOf(mark: TemplateStamp | undefined): Record<string, string | null> {
  const valueFor = (one: TemplateStamp) => (mark === one ? 'true' : null);
  return {
    [`${PREFIX}match`]: valueFor('match'),
    [`${PREFIX}ignore`]: valueFor('ignore'),
  };
}

/** The mark of an object: the reverse of marksOf. */
export function markOf(annotations: Readonly<Record<string, string>> = {}): TemplateStamp | undefined {
  return (['match', 'ignore'] as const).find((mark) => annotations[`${PREFIX}${mark}`] === 'true');
}

/** A list for each kind of object. */
function listsOf(word: string, configs: readonly ConfigName[]): Record<string, string | null> {
  const namesOf = (kind: string) =>
    configs
      .map(split)
      .filter((ref) => ref.kind === kind)
      .map(({ name }) => name)
      .join(', ') || null;
  return Object.fromEntries(
    Object.entries(WORDS).map(([kind, own]) => [`${PREFIX}${word}${own}`, namesOf(kind)]),
  );
}

/** What a manifest has of a patch. */
export function withoutNulls(annotations: Readonly<Record<string, string | null>>): Record<string, string> {
  const there = Object.entries(annotations).filter((entry): entry is [string, string] => entry[1] !== null);
  return Object.fromEntries(there);
}

/** What a workload asks for, as its annotations say it. */
export interface Asked {
  readonly names: readonly ConfigName[];
  readonly by: Asking;
  readonly excludes: readonly ConfigName[];
}

/** The reverse of policyOf and wordsOf. */
export function askedBy(annotations: Readonly<Record<string, string>> = {}): Asked {
  const by = (['auto', 'search'] as const).find((word) => annotations[`${PREFIX}${word}`] === 'true');
  if (PATTERNS.some((key) => annotations[key] === EVERYTHING))
    return { names: listed(annotations, ''), by: 'pattern', excludes: [] };
  const waves = annotations[WAVES_AUTO] === 'true' ? 'auto' : 'names';
  return { names: listed(annotations, ''), by: by ?? waves, excludes: listed(annotations, 'exclude-') };
}

/** All that is followed, asked for or not: every template refers to every object. */
export function followsOf({ names, by }: Asked): readonly ConfigName[] {
  return by === 'names' ? names : [...new Set([...names, ...CONFIGS])];
}

function listed(annotations: Readonly<Record<string, string>>, word: string): readonly ConfigName[] {
  return Object.entries(WORDS).flatMap(([kind, own]) => {
    const native = annotations[`${PREFIX}${word}${own}`] ?? '';
    const saps = annotations[`${SAPS}${word}${kind.toLowerCase()}s`] ?? '';
    const names = `${native},${saps}`.split(',').map((name) => name.trim());
    return names.filter((name) => name !== '').map((name) => `${kind}/${name}`);
  });
}

function labelsOf(workload: WorkloadName): Record<string, string> {
  return { app: split(workload).name };
}

function isStrategyOf(kind: string, strategy: InitialWorkload['strategy']): boolean {
  return strategy === 'manual' ? ['StatefulSet', 'DaemonSet'].includes(kind) : kind === 'StatefulSet';
}
