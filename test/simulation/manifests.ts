/** The manifests of workloads, as their owners keep them. */

import { split } from './api.ts';
import type { ConfigName, InitialWorkload, WorkloadName } from './history.ts';

/** The objects that every pod template refers to, followed or not, so that each pod reads them all. */
export const CONFIGS: readonly ConfigName[] = ['ConfigMap/a-b', 'ConfigMap/a.b', 'Secret/a-b', 'ConfigMap/c'];

/** Every workload that a history may have. */
export const WORKLOADS: readonly WorkloadName[] = [
  'Deployment/web',
  'StatefulSet/db',
  'DaemonSet/agent',
  'Deployment/api',
];

/** What a template is made with. */
export interface TemplateParts {
  readonly image: string;
  /** Variables of the container, e.g. copied stamps. */
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

/** A pod template. */
export function templateOf(workload: WorkloadName, { image, env = [] }: TemplateParts): object {
  const own = { name: 'MODE', value: 'production' };
  const envFrom = CONFIGS.map((config) => {
    const { kind, name } = split(config);
    return { [kind === 'Secret' ? 'secretRef' : 'configMapRef']: { name, optional: true } };
  });
  return {
    metadata: { labels: labelsOf(workload) },
    spec: {
      containers: [
        { name: 'app', image, env: [own, ...env.filter(({ name }) => name !== own.name)], envFrom },
        { name: 'sidecar', image: 'sidecar:1' },
      ],
    },
  };
}

/** A workload as `kubectl create` gets it. */
export function newWorkload(workload: InitialWorkload, parts: TemplateParts = { image: 'app:0' }): object {
  const { kind, name } = split(workload.workload);
  const strategies = {
    rolling: {},
    manual: { updateStrategy: { type: 'OnDelete' } },
    partition: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } },
  };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, annotations: withoutNulls(policyOf(workload.follows)) },
    spec: {
      ...(kind === 'DaemonSet' ? {} : { replicas: workload.replicas }),
      selector: { matchLabels: labelsOf(workload.workload) },
      ...(isStrategyOf(kind, workload.strategy) ? strategies[workload.strategy] : {}),
      template: templateOf(workload.workload, parts),
    },
  };
}

/** The annotations that name these objects; null removes one, in a patch as in a manifest. */
export function policyOf(follows: readonly ConfigName[]): Record<string, string | null> {
  const namesOf = (kind: string) =>
    follows
      .map(split)
      .filter((ref) => ref.kind === kind)
      .map(({ name }) => name)
      .join(', ') || null;
  return {
    'reloader.k8s.collaborne.com/configmap': namesOf('ConfigMap'),
    'reloader.k8s.collaborne.com/secret': namesOf('Secret'),
  };
}

function withoutNulls(annotations: Readonly<Record<string, string | null>>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(annotations).filter(([, value]) => value !== null));
}

/** What the annotations of a workload name: the reverse of policyOf. */
export function followsOf(annotations: Readonly<Record<string, string>> = {}): readonly ConfigName[] {
  return ['ConfigMap', 'Secret'].flatMap((kind) => {
    const list = annotations[`reloader.k8s.collaborne.com/${kind.toLowerCase()}`] ?? '';
    const names = list.split(',').map((name) => name.trim());
    return names.filter((name) => name !== '').map((name) => `${kind}/${name}`);
  });
}

function labelsOf(workload: WorkloadName): Record<string, string> {
  return { app: split(workload).name };
}

function isStrategyOf(kind: string, strategy: InitialWorkload['strategy']): boolean {
  return strategy === 'manual' ? kind !== 'Deployment' : kind === 'StatefulSet';
}
