/** The API as people and owners use it: JSON in and out, one call at a time, never touched by faults. */

import type { Send } from '../../lib/kubernetes/transport.ts';
import type { ConfigRef } from '../../lib/model/object-ref.ts';
import type { ConfigName, Resource, Settings, WorkloadName } from './history.ts';

/** The namespace of all workloads. */
export const NAMESPACE = 'default';

/** The name of the first ConfigMap that holds the reloader's state. */
export const STATE_NAME = 'reloader-state';

/** The names of all that may hold it. */
export const STATE_NAMES: readonly string[] = [
  STATE_NAME,
  ...Array.from({ length: 9 }, (_, index) => `${STATE_NAME}-${index + 1}`),
];

/** An object as it is on the wire, loosely: what a person who edits YAML knows of it. */
export interface LooseObject {
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    generation?: number;
    creationTimestamp?: string;
    deletionTimestamp?: string;
    ownerReferences?: { kind: string; uid?: string }[];
    annotations?: Record<string, string>;
    labels?: Record<string, string>;
  };
  data?: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: the shape of a spec differs from kind to kind
  spec?: any;
  // biome-ignore lint/suspicious/noExplicitAny: and so does a status
  status?: any;
}

/** Calls of one person. */
export interface Api {
  /** Undefined: 404. */
  get(path: string): Promise<LooseObject | undefined>;
  create(collection: string, body: object): Promise<LooseObject | undefined>;
  /** Replaces it whole; without a resourceVersion whatever is there. */
  put(path: string, body: object): Promise<LooseObject | undefined>;
  /** JSON merge patch. */
  merge(path: string, body: object): Promise<LooseObject | undefined>;
  /** Strategic merge patch. */
  patch(path: string, body: object): Promise<LooseObject | undefined>;
  delete(path: string, options?: object): Promise<LooseObject | undefined>;
}

/** Calls through `send`. What the server refuses answers undefined: histories may try what cannot be. */
export function apiOf(send: Send): Api {
  const call = async (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    type = 'json',
  ) => {
    const response = await send({
      method,
      path: method === 'GET' || method === 'DELETE' ? path : `${path}?fieldManager=kubectl`,
      headers: { 'content-type': `application/${type}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    let text = '';
    for await (const piece of response.body) text += piece;
    return response.status < 300 ? (JSON.parse(text) as LooseObject) : undefined;
  };
  return {
    get: (path) => call('GET', path),
    create: (collection, body) => call('POST', collection, body),
    put: (path, body) => call('PUT', path, body),
    merge: (path, body) => call('PATCH', path, body, 'merge-patch+json'),
    patch: (path, body) => call('PATCH', path, body, 'strategic-merge-patch+json'),
    delete: (path, options) => call('DELETE', path, options),
  };
}

const COLLECTIONS: Readonly<Record<string, string>> = {
  ConfigMap: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
  Secret: `/api/v1/namespaces/${NAMESPACE}/secrets`,
  Deployment: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`,
  StatefulSet: `/apis/apps/v1/namespaces/${NAMESPACE}/statefulsets`,
  DaemonSet: `/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets`,
  CronJob: `/apis/batch/v1/namespaces/${NAMESPACE}/cronjobs`,
  Job: `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`,
  SecretProviderClass: `/apis/secrets-store.csi.x-k8s.io/v1/namespaces/${NAMESPACE}/secretproviderclasses`,
  Rollout: `/apis/argoproj.io/v1alpha1/namespaces/${NAMESPACE}/rollouts`,
};

/** Where the Lease is. */
export const LEASE_COLLECTION: string = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;

/** The path of the Lease. */
export const LEASE_PATH: string = `${LEASE_COLLECTION}/${STATE_NAME}`;

/** The path of that namespace. */
export const NAMESPACE_PATH: string = `/api/v1/namespaces/${NAMESPACE}`;

/** The label that selects it. */
export const SELECTED_LABEL = 'reload';

/** The kinds that a reloader watches wherever it rolls. */
export const RESOURCES: readonly Resource[] = [
  'configmaps',
  'secrets',
  'deployments',
  'statefulsets',
  'daemonsets',
];

/** The kinds that it watches only where a flag says so. */
const BATCH_RESOURCES: readonly Resource[] = ['cronjobs', 'jobs'];

/** What the Secrets Store CSI driver adds to a cluster: classes, and what pods have mounted of them. */
export const CLASS_RESOURCES = ['secretproviderclasses', 'secretproviderclasspodstatuses'] as const;

/** All kinds that it may watch. */
export const WATCHED: readonly Resource[] = [
  ...RESOURCES,
  ...BATCH_RESOURCES,
  ...CLASS_RESOURCES,
  'rollouts',
  'namespaces',
];

/** The kinds that it watches with these settings. */
export function watchedWith({ selected, batch, argo, classes }: Settings): readonly Resource[] {
  const more: readonly Resource[] = selected === undefined ? [] : ['namespaces'];
  const rollouts: readonly Resource[] = argo === undefined ? [] : ['rollouts'];
  return [
    ...RESOURCES,
    ...(batch === undefined ? [] : BATCH_RESOURCES),
    ...(classes === undefined ? [] : CLASS_RESOURCES),
    ...rollouts,
    ...more,
  ];
}

const KINDS: Readonly<Record<string, string>> = {
  configmaps: 'ConfigMap',
  secrets: 'Secret',
  deployments: 'Deployment',
  statefulsets: 'StatefulSet',
  daemonsets: 'DaemonSet',
  cronjobs: 'CronJob',
  jobs: 'Job',
  rollouts: 'Rollout',
  secretproviderclasses: 'SecretProviderClass',
};

/** The kind that a plural stands for. */
export function kindOfResource(resource: string): string {
  return KINDS[resource] ?? resource;
}

/** The plural of a workload's or config object's kind. */
export function resourceOf(name: ConfigName | WorkloadName): Resource {
  const found = WATCHED.find((resource) => KINDS[resource] === split(name).kind);
  if (found === undefined) throw new Error(`no such kind: ${name}`);
  return found;
}

/** `ConfigMap/a` → its kind and name. */
export function split(of: ConfigName | WorkloadName): { readonly kind: string; readonly name: string } {
  const [kind = '', name = ''] = of.split('/');
  return { kind, name };
}

/** The same, for the program. */
export function refOf(config: ConfigName): ConfigRef {
  const { kind, name } = split(config);
  return { kind: kind as ConfigRef['kind'], namespace: NAMESPACE, name };
}

/** The collection that an object of this name is created in. */
export function collectionOf(name: ConfigName | WorkloadName): string {
  return COLLECTIONS[split(name).kind] ?? '';
}

/** The path of an object. */
export function pathOf(name: ConfigName | WorkloadName): string {
  return `${collectionOf(name)}/${split(name).name}`;
}

/** The object that a path names, if it is one of these kinds. */
export function nameOfPath(path: string): WorkloadName | undefined {
  const bare = path.split('?')[0] ?? '';
  const [, collection = '', name = ''] = /^(.*)\/([^/]+)$/.exec(bare) ?? [];
  const kind = Object.keys(COLLECTIONS).find((candidate) => COLLECTIONS[candidate] === collection);
  return kind === undefined ? undefined : `${kind}/${name}`;
}
