/** The sources of the streams: paths and selectors by which each kind is listed and watched. */

import {
  type ApiResource,
  type ConfigKind,
  configKindOf,
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

/** A kind, in one namespace or in all but some. */
interface Scope {
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly except?: readonly string[];
}

/** By kind, the paths of the collections of these streams, but for that of the Namespaces. */
export function collectionsOf(streams: readonly Scope[]): string[][] {
  const paths = Map.groupBy(
    streams.flatMap(({ kind, namespace }) => {
      const resource = resourceOf(kind);
      return resource === undefined ? [] : [{ kind, path: collectionPath(resource, namespace) }];
    }),
    ({ kind }) => kind,
  );
  return [...paths.values()].map((each) => each.map(({ path }) => path));
}

/** The objects of a stream. The API server filters them, so those that are left out are never sent to this process. */
export function sourceOf({ kind, namespace, except = [] }: Scope, labelSelector?: string): ListWatchSource {
  const source = configKindOf(kind);
  const types = source === undefined ? [] : SOURCE_KINDS[source].ignoredTypes;
  const fields = [
    ...types.map((type) => `type!=${type}`),
    ...except.map((each) => `metadata.namespace!=${each}`),
  ];
  const path = collectionPath(resourceOf(kind) ?? NAMESPACES, namespace);
  return { kind, path, fieldSelector: fields.join(','), labelSelector };
}
