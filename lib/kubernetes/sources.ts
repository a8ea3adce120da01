/** The sources of the streams: paths and selectors by which each kind is listed and watched. */

import {
  type ApiResource,
  type ConfigKind,
  configKindOf,
  isMountedKind,
  mountedKindOf,
  SOURCE_KINDS,
} from '../model/object-ref.ts';
import { findWorkloadKind } from '../model/workload-kind.ts';
import { collectionPath, NAMESPACES } from './api-path.ts';
import type { ListWatchSource } from './list-watch.ts';

/** The resource of a kind of workload or of source; undefined for any other. */
export function resourceOf(name: string): ApiResource | undefined {
  const kind = configKindOf(name);
  if (kind !== undefined) return SOURCE_KINDS[kind];
  const mounted = mountedKindOf(name);
  return mounted === undefined ? findWorkloadKind(name) : mountsOf(mounted);
}

/** The resource that says what pods have mounted of the objects of `kind`. */
export function mountsOf(kind: ConfigKind): ApiResource & { readonly kind: string } {
  return { ...SOURCE_KINDS[kind], kind, ...SOURCE_KINDS[kind].mountedAs };
}

/** By kind, the paths of the collections of these streams, but for that of the Namespaces. */
export function collectionsOf(
  streams: readonly { readonly kind: string; readonly namespace: string | undefined }[],
): string[][] {
  const paths = Map.groupBy(
    streams.flatMap(({ kind, namespace }) => {
      const resource = resourceOf(kind);
      return resource === undefined ? [] : [{ kind, path: collectionPath(resource, namespace) }];
    }),
    ({ kind }) => kind,
  );
  return [...paths.values()].map((each) => each.map(({ path }) => path));
}

/** The filters of a stream. The API server applies them, so objects that are left out are never sent to this process. */
export interface StreamFilter {
  /** Namespaces that a stream of all namespaces leaves out. */
  readonly except?: readonly string[] | undefined;
  /** The label selector of the ConfigMaps and Secrets. */
  readonly labelSelector?: string | undefined;
}

/** The ConfigMaps or Secrets in `namespace`, or in all namespaces; without the ignored types of Secrets. */
export function configSource(
  kind: ConfigKind,
  namespace?: string,
  { except = [], labelSelector }: StreamFilter = {},
): ListWatchSource {
  const types = SOURCE_KINDS[kind].ignoredTypes.map((type) => `type!=${type}`);
  return {
    kind,
    path: collectionPath(SOURCE_KINDS[kind], namespace),
    fieldSelector: [...types, ...outside(except)].join(','),
    labelSelector: isMountedKind(kind) ? undefined : labelSelector,
  };
}

/** All objects of a kind in `namespace`, or in all namespaces: workloads, or what pods have mounted, see `mountsOf`. */
export function objectsSource(
  row: ApiResource & { readonly kind: string },
  namespace?: string,
  { except = [] }: StreamFilter = {},
): ListWatchSource {
  const fieldSelector = outside(except).join(',');
  return { kind: row.kind, path: collectionPath(row, namespace), fieldSelector };
}

/** The Namespaces that match the selector, or all. */
export function namespaceSource(labelSelector?: string): ListWatchSource {
  return { kind: 'Namespace', path: collectionPath(NAMESPACES), labelSelector };
}

function outside(namespaces: readonly string[]): string[] {
  return namespaces.map((namespace) => `metadata.namespace!=${namespace}`);
}
