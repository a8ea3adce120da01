/** Paths of the API, and the requests that write there. */

import type { ApiRequest } from './transport.ts';

/** What a path needs to know of a kind. */
export interface ApiResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural. */
  readonly resource: string;
}

/** Namespaces. */
export const NAMESPACES: ApiResource = { group: '', version: 'v1', resource: 'namespaces' };
/** Events on objects. */
export const EVENT_OBJECTS: ApiResource = { group: '', version: 'v1', resource: 'events' };
/** Jobs, which CronJobs start, or which are created anew. */
export const JOBS: ApiResource = { group: 'batch', version: 'v1', resource: 'jobs' };
/** The ReplicaSets of Deployments. */
export const REPLICA_SETS: ApiResource = { group: 'apps', version: 'v1', resource: 'replicasets' };
/** The Leases by which one leads. */
export const LEASES: ApiResource = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
/** What says where the API server asks, and whom it trusts there. */
export const WEBHOOK_CONFIGURATIONS: ApiResource = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: 'mutatingwebhookconfigurations',
};

/** The name under which our writes stand in managedFields. */
export const FIELD_MANAGER = 'kubernetes-reloader';

/** The path of all objects of a kind, in `namespace` or in all namespaces. */
export function collectionPath({ group, version, resource }: ApiResource, namespace?: string): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${scope}/${resource}`;
}

/** The path of one object. */
export function objectPath(resource: ApiResource, namespace: string, name: string): string {
  return `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;
}

/** `path` with a query of those parameters that have a value. */
export function withQuery(
  path: string,
  parameters: Readonly<Record<string, string | number | undefined>>,
): string {
  const query = Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
  return query === '' ? path : `${path}?${query}`;
}

/** Sends `body` to `path`, as a write of ours; a patch says by its type how it is merged. */
export function writing(
  method: 'POST' | 'PUT' | 'PATCH',
  path: string,
  body: object,
  contentType = 'application/json',
  parameters: Readonly<Record<string, string | undefined>> = {},
): ApiRequest {
  return {
    method,
    path: withQuery(path, { fieldManager: FIELD_MANAGER, ...parameters }),
    headers: { 'content-type': contentType },
    body: JSON.stringify(body),
  };
}

/** Whether what is asked for at `path` is a watch, which lasts for minutes. */
export function isWatch(path: string): boolean {
  return /[?&]watch=(1|true)/.test(path);
}
