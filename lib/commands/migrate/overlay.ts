/** An overlay of kustomize with the settings: a folder of k8s, its components, and patches for the rest. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { CommandError } from '../connect.ts';
import { argumentsWithout, type Shape } from './chart-values.ts';
import type { Settings } from './new-settings.ts';

/** The components that an argument brings, with the rights for it. */
const COMPONENTS: Readonly<Record<string, string>> = {
  '--is-Argo-Rollouts=true': 'argo-rollouts',
  '--is-openshift=true': 'openshift',
  '--enable-csi-integration=true': 'secrets-store-csi',
  '--cronjob-reload=run-now': 'cron-jobs',
  '--job-reload=recreate': 'jobs',
  '--ignored-config-resource-types=secrets': 'no-secrets',
  '--namespace-annotations': 'namespace-annotations',
};
/** A component that only brings the rights. */
const EVICTION = '--reload-strategy=evict';
/** Where the manifests are if they are not beside the program. */
const CLONE = '../kubernetes-reloader/k8s';

/** The components for these settings. */
export function componentsFor(settings: Settings, { replicas }: Shape): readonly string[] {
  const args = argumentsWithout(settings, []);
  return [
    ...args.flatMap((argument) => COMPONENTS[argument] ?? []),
    ...(args.includes(EVICTION) ? ['evict'] : []),
    ...(replicas > 1 ? ['ha'] : []),
  ];
}

/** The text of `kustomization.yaml` in `folder`. @throws CommandError if one overlay cannot say it */
export function overlayFor(settings: Settings, shape: Shape, folder: string): string {
  const { namespaces, options } = settings;
  if (namespaces !== undefined && namespaces.length > 1)
    throw new CommandError(
      `--overlay: ${namespaces.length} namespaces need a Role in each, as k8s/namespaces has; write values for the chart by --values`,
    );
  const k8s = path.relative(folder, manifestsFolder(folder));
  const components = componentsFor(settings, shape);
  const patches = [
    ...argumentsWithout(settings, Object.keys(COMPONENTS)).map((value) => added('args', value)),
    ...settings.variables.flatMap(variablePatch),
  ];
  // No component brings this right alone.
  const selects = options.namespaceSelector !== undefined && !components.includes('namespace-annotations');
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    ...(namespaces === undefined ? {} : { namespace: namespaces[0] }),
    resources: [`${k8s}/${namespaces === undefined ? 'cluster' : 'base'}`],
    ...(components.length === 0 ? {} : { components: components.map((name) => `${k8s}/components/${name}`) }),
    patches: [
      ...(patches.length === 0
        ? []
        : [{ target: { kind: 'Deployment', name: 'reloader' }, patch: stringify(patches) }]),
      ...(selects
        ? [{ target: { kind: 'ClusterRole', name: 'kubernetes-reloader' }, patch: stringify([NAMESPACES]) }]
        : []),
    ],
    images: [{ name: 'kubernetes-reloader', newName: 'registry.example.com/kubernetes-reloader' }],
  };
  return stringify(kustomization, { lineWidth: 0 });
}

const NAMESPACES = {
  op: 'add',
  path: '/rules/-',
  value: { apiGroups: [''], resources: ['namespaces'], verbs: ['list', 'watch'] },
};

function added(field: 'args' | 'env', value: unknown): object {
  return { op: 'add', path: `/spec/template/spec/containers/0/${field}/-`, value };
}

function variablePatch({ name, value, secret }: Settings['variables'][number]): readonly object[] {
  if (name === 'KUBERNETES_NAMESPACE') return [];
  if (secret !== undefined) return [added('env', { name, valueFrom: { secretKeyRef: secret } })];
  return value === undefined ? [] : [added('env', { name, value })];
}

/** The manifests of this program: beside it, else in a clone beside `folder`. */
function manifestsFolder(folder: string): string {
  for (let at = import.meta.dirname; at !== path.dirname(at); at = path.dirname(at)) {
    const k8s = path.join(at, 'k8s');
    if (existsSync(path.join(k8s, 'cluster/kustomization.yaml'))) return k8s;
  }
  return path.resolve(folder, CLONE);
}
