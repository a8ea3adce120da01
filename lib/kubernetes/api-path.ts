/** The paths of the API, and requests that write there: each carries the field manager of this program. */

import type { ApiResource } from '../model/object-ref.ts';
import type { ApiRequest } from './transport.ts';

/** Namespaces. */
export const NAMESPACES: ApiResource = v1('', 'namespaces');
/** Events on objects. */
export const EVENT_OBJECTS: ApiResource = v1('', 'events');
/** Jobs: started from a CronJob, or recreated. */
export const JOBS: ApiResource = v1('batch', 'jobs');
/** Pods. */
export const PODS: ApiResource = v1('', 'pods');
/** Leases of the leader election. */
export const LEASES: ApiResource = v1('coordination.k8s.io', 'leases');

/** A resource of the first version of a group. */
export function v1(group: string, resource: string): ApiResource {
  return { group, version: 'v1', resource };
}

/** The field manager of all our writes, by which managedFields tells them from those of external writers. */
export const FIELD_MANAGER = 'kubernetes-reloader';

/** The `apiVersion` of the objects of a kind. */
export function apiVersionOf({ group, version }: Pick<ApiResource, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The path of the collection of a kind, in `namespace` or in all namespaces. */
export function collectionPath(resource: ApiResource, namespace?: string): string {
  const root = `${resource.group === '' ? '/api' : '/apis'}/${apiVersionOf(resource)}`;
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${scope}/${resource.resource}`;
}

/** The path of one object, which is in no namespace if that is undefined. */
export function objectPath(resource: ApiResource, namespace: string | undefined, name: string): string {
  return `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;
}

/** `path` with a query; parameters that are undefined or empty are left out. */
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

/** A request that writes `body` to `path`; of a patch, `contentType` names its type. */
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
    body: JSON.stringify(body).replace(
      /[<>&\u2028\u2029]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  };
}

/** Whether `path` opens a watch, which lasts for minutes. */
export function isWatch(path: string): boolean {
  return /[?&]watch=(1|true)/.test(path);
}
