/** A cluster of manifests, all rolled out, that answers reads as an API server does. */

import { apiVersionOf, collectionPath, NAMESPACES } from '../../kubernetes/api-path.ts';
import { mountsOf } from '../../kubernetes/sources.ts';
import type { ApiRequest, ApiResponse, Send } from '../../kubernetes/transport.ts';
import { type ApiResource, CONFIG_KINDS, isMountedKind, SOURCE_KINDS } from '../../model/object-ref.ts';
import type { RawConfigObject, RawObject, RawWorkload } from '../../model/raw-objects.ts';
import { meets } from '../../options/labels.ts';
import type { Options } from '../../options/options.ts';
import { findReloader, settingsAlone, type Wanted } from '../installed-reloader.ts';
import { answerOf, notFound } from '../reads.ts';
import type { Scene } from '../scene.ts';
import { rowsOf } from '../subject.ts';
import type { Manifest } from './documents.ts';

/** A kind that is served. */
export interface ServedRow extends ApiResource {
  readonly kind: string;
  /** The kind as streams name it. */
  readonly stream: string;
}

function servedRows(options: Options): readonly ServedRow[] {
  const workloads = rowsOf(options).map((row) => ({
    ...row,
    kind: row.objectKind ?? row.kind,
    stream: row.kind,
  }));
  const objects = CONFIG_KINDS.flatMap((kind) => {
    const mounts = mountsOf(kind);
    return [
      { ...SOURCE_KINDS[kind], kind, stream: kind },
      ...(isMountedKind(kind) ? [{ ...mounts, stream: mounts.kind }] : []),
    ];
  });
  return [...workloads, ...objects, { ...NAMESPACES, kind: 'Namespace', stream: 'Namespace' }];
}

/** An object of a kind that the program reads. */
export type ServedObject = Readonly<{ row: ServedRow; object: RawObject }>;

/** The objects of manifests, completed, of kinds that the program reads. */
export function servedIn(
  manifests: readonly Manifest[],
  options: Options,
  namespace: string,
): readonly ServedObject[] {
  const rows = servedRows(options);
  return manifests.flatMap(({ apiVersion, kind, object }) => {
    const row = rows.find((each) => each.kind === kind && apiVersion === apiVersionOf(each));
    return row ? [{ row, object: completed(object, row, namespace) }] : [];
  });
}

/** A cluster of manifests, and the reloader of the set; else the settings alone. */
export async function clusterOf(
  manifests: readonly Manifest[],
  wanted: Pick<Wanted, 'namespace' | 'places' | 'settings'>,
): Promise<Scene> {
  const sendFor = (options: Options): Send => new ManifestCluster(options, manifests, wanted.namespace).send;
  // Manifests have no Lease.
  const { silence: _, ...found } = await findReloader(sendFor(settingsAlone(wanted).options), wanted);
  const reloader = { ...found, ...(!found.installation && { isGiven: true as const }) };
  return { send: sendFor(reloader.options), namespace: wanted.namespace, reloader };
}

/** The objects of a cluster, by the path of their collection. */
class ManifestCluster {
  readonly #rows: readonly ServedRow[];
  readonly #objects = new Map<string, Map<string, RawObject>>();
  #version = 0;

  /** A later manifest with the name of an earlier one replaces it. */
  constructor(options: Options, manifests: readonly Manifest[], namespace: string) {
    this.#rows = servedRows(options);
    for (const { row, object: own } of servedIn(manifests, options, namespace)) {
      this.#version += 1;
      const object = asLive(own, String(this.#version));
      const path = collectionPath(row, object.metadata.namespace);
      const objects = this.#objects.get(path) ?? new Map<string, RawObject>();
      this.#objects.set(path, objects.set(object.metadata.name, object));
    }
  }

  readonly send: Send = (request) => Promise.resolve(this.#answer(request));

  #answer({ method, path }: ApiRequest): ApiResponse {
    const [collection = '', query = ''] = path.split('?');
    if (method === 'POST') return answerOf(201, { status: { allowed: true } });
    const discovered = this.#discovery(collection);
    if (discovered !== undefined) return answerOf(200, discovered);
    if (this.#rows.some((row) => wholeOf(collection) === collectionPath(row)))
      return this.#list(collection, query);
    const at = collection.lastIndexOf('/');
    const object = this.#objects
      .get(collection.slice(0, at))
      ?.get(decodeURIComponent(collection.slice(at + 1)));
    return object === undefined ? notFound() : answerOf(200, object);
  }

  #list(path: string, query: string): ApiResponse {
    const all = /\/namespaces\//.test(path)
      ? [this.#objects.get(path)]
      : [...this.#objects].filter(([each]) => wholeOf(each) === path).map(([, objects]) => objects);
    const selects = selectorOf(new URLSearchParams(query));
    const items = all.flatMap((objects) => [...(objects?.values() ?? [])]).filter(selects);
    return answerOf(200, { kind: 'List', metadata: { resourceVersion: String(this.#version + 1) }, items });
  }

  /** Every kind that the program knows is served. */
  #discovery(path: string): object | undefined {
    const versions = this.#rows.map(({ group, version }) => ({ groupVersion: `${group}/${version}` }));
    if (path === '/apis') return { kind: 'APIGroupList', groups: [{ versions }] };
    const served = this.#rows.filter(({ group, version }) => path === `/apis/${group}/${version}`);
    const resources = served.map(({ resource, kind }) => ({ name: resource, kind, namespaced: true }));
    return served.length > 0 ? { kind: 'APIResourceList', resources } : undefined;
  }
}

function wholeOf(path: string): string {
  return path.replace(/\/namespaces\/[^/]+\/(?=[^/]+$)/, '/');
}

function selectorOf(query: URLSearchParams): (object: RawObject) => boolean {
  const [fields, labels] = ['fieldSelector', 'labelSelector'].map((name) => query.get(name));
  return (object) => {
    const { type = '' } = object as RawConfigObject;
    const { name, namespace = '', labels: own = {} } = object.metadata;
    const values = {
      type,
      'metadata.name': name,
      'metadata.namespace': namespace,
    };
    return (!fields || meets(values, fields)) && (!labels || meets(own, labels));
  };
}

/** The object with its namespace, as the API server stores it. */
function completed(object: RawObject, { resource }: ServedRow, namespace: string): RawObject {
  const { stringData = {}, data, ...rest } = object as RawConfigObject & { stringData?: object };
  const place = resource === NAMESPACES.resource ? {} : { namespace };
  const metadata = { ...place, ...object.metadata };
  const encoded = Object.entries(stringData).map(([key, value]) => {
    return [key, Buffer.from(String(value)).toString('base64')];
  });
  const isEmpty = data === undefined && encoded.length === 0;
  return { ...rest, metadata, ...(!isEmpty && { data: { ...data, ...Object.fromEntries(encoded) } }) };
}

/** The object as if it had been applied, and its pods run its template. */
function asLive(object: RawObject, resourceVersion: string): RawObject {
  const metadata = { uid: `uid-${resourceVersion}`, resourceVersion, generation: 1, ...object.metadata };
  const { spec } = object as RawWorkload;
  if (spec === undefined) return { ...object, metadata };
  return { ...object, metadata, status: statusOf(spec.replicas ?? 1) } as RawObject;
}

const COUNTS =
  'replicas updatedReplicas readyReplicas availableReplicas currentReplicas desiredNumberScheduled currentNumberScheduled updatedNumberScheduled numberAvailable numberReady';

function statusOf(pods: number): object {
  const counts = COUNTS.split(' ').map((field) => [field, pods]);
  return { ...Object.fromEntries(counts), observedGeneration: 1 };
}
