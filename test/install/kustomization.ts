/** Just enough of kustomize to know what the manifests come to on a machine without it; a test compares the two. */

import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import {
  type Json,
  type JsonObject,
  objectOf,
  objectsOf,
  pick,
  stringOf,
  withField,
} from '../sandbox/json.ts';
import { jsonPatch } from '../sandbox/json-patch.ts';
import { parseManifests } from '../sandbox/manifest-files.ts';
import { strategicMerge } from '../sandbox/strategic-merge.ts';
import { titleOf, withReplacement } from './replacement.ts';

/** The folder of the manifests. */
export const K8S: string = path.resolve(import.meta.dirname, '../../k8s');

/** The folders that a person applies. */
export const INSTALLATIONS: readonly string[] = ['base', 'cluster', 'namespaces'];

/** The components that an overlay may name. */
export const COMPONENTS: readonly string[] = [
  'argo-rollouts',
  'cron-jobs',
  'evict',
  'fences',
  'ha',
  'jobs',
  'labelled',
  'monitoring',
  'namespace-annotations',
  'network-policy',
  'no-secrets',
  'openshift',
  'secrets-store-csi',
  'secure-metrics',
  'webhook',
];

/** Components in place of others. */
const ALTERNATIVES: readonly string[] = ['no-secrets'];

/** Two sets of components that may stand together, and all of them between the two. */
export const TOGETHER: readonly (readonly string[])[] = [
  COMPONENTS.filter((name) => !ALTERNATIVES.includes(name)),
  ALTERNATIVES,
];

const UNDERSTOOD = [
  'apiVersion',
  'kind',
  'namespace',
  'resources',
  'configMapGenerator',
  'labels',
  'patches',
];
const COMPONENT = ['apiVersion', 'kind', 'resources', 'patches', 'replacements'];
const CLUSTER_SCOPED = [
  'Namespace',
  'ClusterRole',
  'ClusterRoleBinding',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
];

/** What an overlay adds to a folder below k8s. */
export interface Overlay {
  readonly namespace?: string;
  readonly components?: readonly string[];
}

/**
 * What a folder below k8s comes to, or an overlay of it.
 *
 * @throws if a kustomization asks for something that is not understood here
 */
export function render(folder: string, { namespace, components = [] }: Overlay = {}): readonly JsonObject[] {
  const objects = components.reduce(withComponent, built(path.join(K8S, folder)));
  return namespace === undefined ? objects : moved(objects, namespace);
}

function built(folder: string): readonly JsonObject[] {
  const [kustomization = {}] = documentsOf(path.join(folder, 'kustomization.yaml'));
  const strange = Object.keys(kustomization).filter((field) => !UNDERSTOOD.includes(field));
  if (strange.length > 0) throw new Error(`${folder}: ${strange.join(', ')} is not understood here`);
  const resources = resourcesOf(folder, kustomization);
  const patches = objectsOf(kustomization['patches']).flatMap((patch) => patchesOf(folder, patch));
  const labels = objectsOf(kustomization['labels']);
  const namespace = stringOf(kustomization['namespace']);
  const patched = patches.reduce(withPatch, resources);
  const labelled = patched.map((object) => labels.reduce(withLabels, object));
  return namespace === undefined ? labelled : moved(labelled, namespace);
}

/** A component holds resources, patches with a target each, and replacements. */
function withComponent(objects: readonly JsonObject[], name: string): readonly JsonObject[] {
  const folder = path.join(K8S, 'components', name);
  const [component = {}] = documentsOf(path.join(folder, 'kustomization.yaml'));
  const strange = Object.keys(component).filter((field) => !COMPONENT.includes(field));
  if (strange.length > 0) throw new Error(`${folder}: ${strange.join(', ')} is not understood here`);
  const patched = objectsOf(component['patches']).reduce(
    (all, { target, path: file, patch }) => {
      const text =
        typeof file === 'string' ? readFileSync(path.join(folder, file), 'utf8') : (stringOf(patch) ?? '');
      const operations = parse(text) as Json;
      const title = `${stringOf(pick(target, 'kind'))}/${stringOf(pick(target, 'name'))}`;
      const patched = (object: JsonObject): JsonObject =>
        Array.isArray(operations)
          ? jsonPatch(object, operations)
          : strategicMerge(object, objectOf(operations));
      return all.map((object) => (titleOf(object) === title ? patched(object) : object));
    },
    [...objects, ...resourcesOf(folder, component)],
  );
  return objectsOf(component['replacements']).reduce(withReplacement, patched);
}

/** Files, folders, and ConfigMaps made of files. */
function resourcesOf(folder: string, { resources, configMapGenerator }: JsonObject): readonly JsonObject[] {
  return [
    ...strings(resources).flatMap((name) => resourcesAt(path.join(folder, name))),
    ...objectsOf(configMapGenerator).map((generator) => configMapOf(folder, generator)),
  ];
}

/** A ConfigMap of files, whose name has no hash. */
function configMapOf(folder: string, { name = '', namespace = '', files, options }: JsonObject): JsonObject {
  if (pick(options, 'disableNameSuffixHash') !== true)
    throw new Error(`${folder}: hashes are not understood here`);
  const metadata = { name, namespace, labels: objectOf(pick(options, 'labels')) };
  const data = strings(files).map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]);
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: Object.fromEntries(data) as JsonObject };
}

function documentsOf(file: string): readonly JsonObject[] {
  return parseManifests(readFileSync(file, 'utf8'), path.relative(K8S, file));
}

function resourcesAt(file: string): readonly JsonObject[] {
  return statSync(file).isDirectory() ? built(file) : documentsOf(file);
}

function patchesOf(folder: string, { path: file, patch }: JsonObject): readonly JsonObject[] {
  if (typeof file === 'string') return documentsOf(path.join(folder, file));
  return parseManifests(stringOf(patch) ?? '', path.relative(K8S, folder));
}

function withPatch(objects: readonly JsonObject[], patch: JsonObject): readonly JsonObject[] {
  const title = titleOf(patch);
  if (!objects.some((object) => titleOf(object) === title)) throw new Error(`nothing to patch: ${title}`);
  return objects.flatMap((object) => {
    if (titleOf(object) !== title) return [object];
    return patch['$patch'] === 'delete' ? [] : [strategicMerge(object, patch)];
  });
}

function withLabels(object: JsonObject, { pairs, includeTemplates }: JsonObject): JsonObject {
  const metadata = { labels: objectOf(pairs) };
  const hasTemplate = includeTemplates === true && pick(object, 'spec', 'template') !== undefined;
  return strategicMerge(object, { metadata, ...(hasTemplate ? { spec: { template: { metadata } } } : {}) });
}

/** The objects in `namespace`. Bindings follow the service accounts among them. */
function moved(objects: readonly JsonObject[], namespace: string): readonly JsonObject[] {
  const accounts = objects
    .filter(({ kind }) => kind === 'ServiceAccount')
    .map((object) => pick(object, 'metadata', 'name'));
  const follow = (subject: JsonObject): JsonObject =>
    accounts.includes(subject['name']) ? { ...subject, namespace } : subject;
  return objects.map((object) => {
    const subjects = object['subjects'] === undefined ? undefined : objectsOf(object['subjects']).map(follow);
    const place = withField(object, 'subjects', subjects);
    if (object['kind'] === 'Namespace') return strategicMerge(place, { metadata: { name: namespace } });
    const isInNamespace = !CLUSTER_SCOPED.includes(stringOf(object['kind']) ?? '');
    return isInNamespace ? strategicMerge(place, { metadata: { namespace } }) : place;
  });
}

function strings(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
