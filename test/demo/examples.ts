/** The manifests of k8s/examples in the sandbox, and the contents that the demo gives their objects. */

import path from 'node:path';
import type { ConfigKind, ConfigRef, WorkloadRef } from '../../lib/model/object-ref.ts';
import { WORKLOAD_KINDS } from '../../lib/model/workload-kind.ts';
import { type JsonObject, objectOf, pick, stringOf } from '../sandbox/json.ts';
import { readManifests } from '../sandbox/manifest-files.ts';
import { rowOfKind } from '../sandbox/resource-table.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

/** Where everything is. */
export const NAMESPACE = 'default';

const FOLDER = path.resolve(import.meta.dirname, '../../k8s/examples');

/** The three workloads, each of another kind. */
export const WORKLOADS: Readonly<Record<'web' | 'cache' | 'agent', WorkloadRef>> = {
  web: { kind: 'Deployment', namespace: NAMESPACE, name: 'web' },
  cache: { kind: 'StatefulSet', namespace: NAMESPACE, name: 'cache' },
  agent: { kind: 'DaemonSet', namespace: NAMESPACE, name: 'agent' },
};

/** Creates everything as `kubectl apply` does, the workloads last. */
export function createExamples(sandbox: Sandbox): void {
  const objects = readManifests(FOLDER).map(({ object }) => object);
  const isWorkload = (object: JsonObject): boolean =>
    WORKLOAD_KINDS.some(({ kind }) => kind === object['kind']);
  const ordered = objects.toSorted((a, b) => Number(isWorkload(a)) - Number(isWorkload(b)));
  for (const object of ordered) {
    const applied = { 'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(object)}\n` };
    const metadata = objectOf(object['metadata']);
    const annotations = { ...objectOf(metadata['annotations']), ...applied };
    const { resource } = rowOfKind(String(object['kind']));
    sandbox.create(
      resource,
      { ...object, metadata: { ...metadata, annotations } },
      'kubectl-client-side-apply',
    );
  }
}

/** What the annotations of a workload say about what it follows: `key: names`. */
export function annotationsOf(sandbox: Sandbox, { kind, namespace, name }: WorkloadRef): readonly string[] {
  const annotations = sandbox.get(rowOfKind(kind).resource, namespace, name)?.metadata.annotations ?? {};
  return Object.entries(annotations)
    .filter(([key]) => key.startsWith('reloader.'))
    .map(([key, names]) => `${key}: ${names}`);
}

/** A ConfigMap or Secret of the examples. */
export function configMap(name: string): ConfigRef {
  return { kind: 'ConfigMap', namespace: NAMESPACE, name };
}

/** A Secret of the examples. */
export function secret(name: string): ConfigRef {
  return { kind: 'Secret', namespace: NAMESPACE, name };
}

/** Sets keys of an object; answers what brings back the former values. */
export function write(
  sandbox: Sandbox,
  { kind, namespace, name }: ConfigRef,
  data: Readonly<Record<string, string>>,
): () => void {
  const { resource } = rowOfKind(kind);
  const former = sandbox.get(resource, namespace, name)?.['data'];
  sandbox.patch(resource, namespace, name, { [FIELD[kind]]: data });
  return () => void sandbox.patch(resource, namespace, name, { data: former });
}

const FIELD: Readonly<Record<ConfigKind, string>> = {
  ConfigMap: 'data',
  Secret: 'stringData',
  SecretProviderClass: 'spec',
};

/** All values of all Secrets as they are now, in plain text and as they are stored; each digest names the key in use. */
export function secretValues(sandbox: Sandbox): readonly string[] {
  return sandbox.list('secrets').flatMap((object) =>
    Object.entries(objectOf(object['data'])).flatMap(([key, value]) => {
      const stored = stringOf(value) ?? '';
      const isId = key === 'current' && pick(object, 'metadata', 'name') === 'reloader-state-key';
      return isId ? [] : [stored, Buffer.from(stored, 'base64').toString()];
    }),
  );
}
