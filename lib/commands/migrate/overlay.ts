/** The overlay of kustomize by which the manifests get the settings of the other reloader, and the rights for them. */

import { configRefIn } from '../../model/object-ref.ts';
import type { Options } from '../../options/options.ts';
import { keySecretOf, stateKeysOf } from '../../store/state-client.ts';
import type { Settings } from './their-settings.ts';

/** The name of the image, which a person replaces. */
export const IMAGE = 'registry.example.com/kubernetes-reloader';
/** The name of the Deployment of the manifests. */
export const NAME = 'reloader';
/** The Secret with the values that a person gives. */
export const GIVEN = 'reloader-settings';
const STATE = 'reloader-state';

/** By argument: the component of the manifests that sets it, and gives the rights for it. */
const COMPONENTS: Readonly<Record<string, string>> = {
  '--cronjob-reload=run-now': 'cron-jobs',
  '--enable-csi-integration=true': 'secrets-store-csi',
  '--is-Argo-Rollouts=true': 'argo-rollouts',
  '--is-openshift=true': 'openshift',
  '--job-reload=recreate': 'jobs',
  '--resources-to-ignore=secrets': 'no-secrets',
};

/** The lines of an overlay of kustomize, for the namespace `home`. */
export function overlayOf(
  home: string,
  replicas: number,
  { args, namespaces, options, variables, wanted }: Settings,
): readonly string[] {
  const [scope = '', ...others] = args;
  const isOne = namespaces?.length === 1;
  const folder = namespaces === undefined ? 'cluster' : isOne ? 'base' : 'namespaces/reloader';
  const resources = [`../k8s/${folder}`, ...(isOne ? [] : (namespaces ?? []))];
  const names = [...(replicas > 1 ? ['ha'] : []), ...others.flatMap((word) => COMPONENTS[word] ?? [])];
  const container = '/spec/template/spec/containers/0';
  const given = wanted.map((name) => ({ name, valueFrom: { secretKeyRef: { name: GIVEN, key: name } } }));
  const deployment = [
    ...(resources.length > 1 ? [{ op: 'replace', path: `${container}/args/2`, value: scope }] : []),
    ...others
      .filter((word) => COMPONENTS[word] === undefined)
      .map((value) => adding(`${container}/args`, value)),
    ...[...variables, ...given].map((value) => adding(`${container}/env`, value)),
  ];
  const selecting = { apiGroups: [''], resources: ['namespaces'], verbs: ['list', 'watch'] };
  const cluster = options.namespaceSelector === undefined ? [] : [adding('/rules', selecting)];
  const patches = [
    ...patchOf('Deployment', NAME, deployment),
    ...patchOf('Role', STATE, namedState(options)),
    ...patchOf('ClusterRole', 'kubernetes-reloader', cluster),
  ];
  return [
    'apiVersion: kustomize.config.k8s.io/v1beta1',
    'kind: Kustomization',
    ...(isOne ? [`namespace: ${home}`] : []),
    `resources: [${resources.join(', ')}]`,
    ...(names.length === 0 ? [] : ['components:', ...names.map((name) => `  - ../k8s/components/${name}`)]),
    `images: [{ name: kubernetes-reloader, newName: ${IMAGE} }]`,
    ...(patches.length === 0 ? [] : ['patches:', ...patches]),
  ];
}

/** One entry of a JSON patch, at the end of a list. */
function adding(list: string, value: unknown): object {
  return { op: 'add', path: `${list}/-`, value };
}

function patchOf(kind: string, name: string, changes: readonly object[]): readonly string[] {
  if (changes.length === 0) return [];
  const lines = changes.map((change) => `      - ${JSON.stringify(change)}`);
  return [`  - target: { kind: ${kind}, name: ${name} }`, '    patch: |-', ...lines];
}

/** The Role names the objects of the state. */
function namedState({ stateConfigMap: name }: Options): readonly object[] {
  if (name === STATE) return [];
  const shards = stateKeysOf(name, '').map((key) => configRefIn(key).name);
  const names = [shards, [keySecretOf(name, '').name], [name]];
  return names.map((value, rule) => ({ op: 'replace', path: `/rules/${rule}/resourceNames`, value }));
}
