/** The writes of the API on the store, synchronous: create, update, patch, apply, delete with their refusals. */

import { admitted } from './admission.ts';
import { isObject, type Json, type JsonObject, objectOf, pick, sameJson, stringOf } from './json.ts';
import { managedAfterApply, managedAfterUpdate, type Writer } from './managed-fields.ts';
import { type ResourceRow, rowOfResource } from './resource-table.ts';
import { alreadyExists, badRequest, conflict, invalid, notFound } from './status-error.ts';
import type { Store } from './store.ts';
import { type StoredMetadata, type StoredObject, storeKey, timestamp } from './stored-object.ts';
import { strategicMerge } from './strategic-merge.ts';

/** Who writes, and whether for real. */
export interface WriteOptions extends Writer {
  readonly dryRun: boolean;
}

/** Which object is written. */
export interface Target {
  readonly row: ResourceRow;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** What must hold of the live object for a delete. */
export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** What a mutating webhook makes of an object that is about to be stored: the very same one where it changes nothing. */
export type Mutate = (
  target: Target,
  object: JsonObject,
  live: StoredObject | undefined,
  options: WriteOptions,
) => JsonObject;

/** Of an object that is being deleted while what it owns stays. */
export const ORPHAN_FINALIZER = 'orphan';

/** The writing half of the API server. Every method throws a StatusError when the server would refuse. */
export class Writes {
  readonly #store: Store;
  readonly #mutate: Mutate;
  #generatedNames = 0;

  /** `mutate`: a webhook that is asked before an object is stored; what it changes is nobody's field. */
  constructor(store: Store, mutate: Mutate = (_, object) => object) {
    this.#store = store;
    this.#mutate = mutate;
  }

  /** Creates an object in `namespace` (undefined: in none). */
  create(
    row: ResourceRow,
    namespace: string | undefined,
    body: JsonObject,
    options: WriteOptions,
  ): StoredObject {
    const metadata = objectOf(body['metadata']);
    const name = stringOf(metadata['name']) ?? this.#generated(stringOf(metadata['generateName']));
    if (name === undefined)
      throw invalid(row, '', 'metadata.name', 'Required value: name or generateName is required');
    this.#checkPlace(namespace, metadata);
    if (this.#store.get(row, storeKey(namespace, name)) !== undefined) throw alreadyExists(row, name);
    const managed = managedAfterUpdate(undefined, body, options, row.apiVersion);
    return this.#commitNew({ row, namespace, name }, body, managed, options);
  }

  /** Replaces an object (PUT). */
  update(target: Target, body: JsonObject, options: WriteOptions): StoredObject {
    const metadata = objectOf(body['metadata']);
    checkPath(target, { ...metadata, name: metadata['name'] ?? '' });
    const live = this.#live(target);
    return this.#commit(target, live, body, options);
  }

  /** Changes an object by a pure function of its live state. */
  patch(target: Target, change: (live: StoredObject) => JsonObject, options: WriteOptions): StoredObject {
    const live = this.#live(target);
    return this.#commit(target, live, change(live), options);
  }

  /** Server-side apply, without conflicts and of what is not taken away later: creates what is absent. */
  apply(target: Target, configuration: JsonObject, options: WriteOptions): StoredObject {
    const { row, namespace, name } = target;
    const live = this.#store.get(row, storeKey(namespace, name));
    checkPath(target, objectOf(configuration['metadata']));
    if (live === undefined && pick(configuration, 'metadata', 'uid') !== undefined) throw notFound(row, name);
    const object = strategicMerge(live ?? {}, configuration);
    const managedFields = managedAfterApply(live, configuration, options, row.apiVersion);
    if (live !== undefined) return this.#commit(target, live, object, options, managedFields);
    this.#checkPlace(namespace, objectOf(configuration['metadata']));
    return this.#commitNew(target, object, managedFields, options);
  }

  /** Deletes an object; with finalizers it only begins to go. Answers its last state. */
  remove(target: Target, preconditions: Preconditions, options: WriteOptions): StoredObject {
    const live = this.#live(target);
    const { uid, resourceVersion } = preconditions;
    if (uid !== undefined && uid !== live.metadata.uid) throw wrongUid(target, uid, live);
    if (resourceVersion !== undefined && resourceVersion !== live.metadata.resourceVersion) {
      const versions = `ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${live.metadata.resourceVersion}`;
      throw conflict(target.row, target.name, `Precondition failed: ${versions}`);
    }
    if (options.dryRun) return live;
    if ((live.metadata.finalizers ?? []).length > 0) return this.#beginDeletion(target.row, live);
    if (target.row.kind === 'Namespace') this.#removeAllIn(target.name);
    return this.#store.remove(target.row, live);
  }

  /** What the object owns is to stay once it is deleted: until its owner is taken from all of it the object stays too. */
  leaveDependents(target: Target, options: WriteOptions): void {
    const addFinalizer = (live: StoredObject): JsonObject => {
      const finalizers = [...(live.metadata.finalizers ?? []), ORPHAN_FINALIZER];
      return { ...live, metadata: { ...live.metadata, finalizers } };
    };
    this.patch(target, addFinalizer, options);
  }

  #live(target: Target): StoredObject {
    const live = this.#store.get(target.row, storeKey(target.namespace, target.name));
    if (live === undefined) throw notFound(target.row, target.name);
    return live;
  }

  #commitNew(
    target: Target,
    body: JsonObject,
    managed: readonly JsonObject[],
    options: WriteOptions,
  ): StoredObject {
    const { row, namespace, name } = target;
    const { kind: _kind, apiVersion: _apiVersion, status, ...fields } = body;
    const metadata: StoredMetadata = {
      ...givenMetadata(objectOf(body['metadata'])),
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid: this.#store.newUid(),
      resourceVersion: '',
      creationTimestamp: timestamp(),
      ...(row.generation === undefined ? {} : { generation: 1 }),
      ...(managed.length === 0 ? {} : { managedFields: managed }),
    };
    const created = { ...fields, metadata, ...initialStatus(row, status) };
    const whole = admitted(row, this.#mutate(target, created, undefined, options), undefined);
    const object = asStored(whole, asMetadata(withTemplateCount(row, { ...whole, metadata }), { metadata }));
    return options.dryRun ? object : this.#store.put(row, object);
  }

  #commit(
    target: Target,
    live: StoredObject,
    candidate: JsonObject,
    options: WriteOptions,
    applied?: readonly JsonObject[],
  ): StoredObject {
    const { row } = target;
    if (candidate === live && applied === undefined) return live;
    this.#checkIdentity(target, live, objectOf(candidate['metadata']));
    const settled = settledFields(row, live, candidate, options.subresource);
    const asked = admitted(row, settled, live);
    const isWhole = options.subresource === undefined;
    const admittedWhole = isWhole ? admitted(row, this.#mutate(target, asked, live, options), live) : asked;
    const object = withTemplateCount(row, admittedWhole, live);
    const isSame = sameJson(object, live);
    if (isSame && (applied === undefined || applied === live.metadata.managedFields)) return live;
    const managedFields = applied ?? managedAfterUpdate(live, asked, options, row.apiVersion);
    const generation = isWhole ? generationOf(row, live, object) : live.metadata.generation;
    const metadata = {
      ...asMetadata(object, live),
      ...(generation === undefined ? {} : { generation }),
      managedFields,
    };
    const next = asStored(object, metadata);
    return options.dryRun ? next : this.#stored(row, next);
  }

  /** Stores a changed object; one that was only waiting for its finalizers goes instead. */
  #stored(row: ResourceRow, next: StoredObject): StoredObject {
    const { deletionTimestamp, finalizers = [], name } = next.metadata;
    if (deletionTimestamp === undefined || finalizers.length > 0) return this.#store.put(row, next);
    if (row.kind === 'Namespace') this.#removeAllIn(name);
    return this.#store.remove(row, next);
  }

  #checkIdentity({ row, name, namespace }: Target, live: StoredObject, metadata: JsonObject): void {
    const { resourceVersion, uid } = metadata;
    if (resourceVersion && resourceVersion !== live.metadata.resourceVersion) throw conflict(row, name);
    if (uid && uid !== live.metadata.uid) {
      throw invalid(row, name, 'metadata.uid', `Invalid value: "${String(uid)}": field is immutable`);
    }
    checkPath({ name, namespace }, metadata);
  }

  #checkPlace(namespace: string | undefined, metadata: JsonObject): void {
    checkPath({ namespace }, metadata);
    if (namespace === undefined) return;
    const namespaces = rowOfResource('namespaces');
    if (this.#store.get(namespaces, storeKey(undefined, namespace)) === undefined)
      throw notFound(namespaces, namespace);
  }

  #beginDeletion(row: ResourceRow, live: StoredObject): StoredObject {
    if (live.metadata.deletionTimestamp !== undefined) return live;
    const metadata = { ...live.metadata, deletionTimestamp: timestamp(), deletionGracePeriodSeconds: 0 };
    return this.#store.put(row, asStored(live, metadata));
  }

  #removeAllIn(namespace: string): void {
    for (const row of this.#store.rows.filter((each) => each.namespaced)) {
      for (const object of this.#store.all(row)) {
        if (object.metadata.namespace === namespace) this.#store.remove(row, object);
      }
    }
  }

  #generated(prefix: string | undefined): string | undefined {
    if (prefix === undefined) return undefined;
    this.#generatedNames += 1;
    return `${prefix}${this.#generatedNames.toString(36).padStart(5, '0')}`;
  }
}

/** What an object says of its own name and namespace must be what the path says. */
function checkPath(
  { name, namespace }: Partial<Pick<Target, 'name' | 'namespace'>>,
  metadata: JsonObject,
): void {
  const given = metadata['name'];
  if (name !== undefined && given !== undefined && given !== name) {
    const names = `the name of the object (${String(given)}) does not match the name on the URL (${name})`;
    throw badRequest(names);
  }
  if (metadata['namespace'] !== undefined && metadata['namespace'] !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** What a client may say in metadata; the rest is the server's. */
function givenMetadata(metadata: JsonObject): JsonObject {
  const { labels, annotations, finalizers, ownerReferences, generateName } = metadata;
  return Object.fromEntries(
    Object.entries({ generateName, labels, annotations, finalizers, ownerReferences }).filter(
      ([, value]) =>
        value !== undefined && value !== null && (!isObject(value) || Object.keys(value).length > 0),
    ),
  );
}

/** `candidate` with the server's own fields as they are live, and only those fields changed that this path may change. */
function settledFields(
  row: ResourceRow,
  live: StoredObject,
  candidate: JsonObject,
  subresource: string | undefined,
): JsonObject {
  const { kind: _kind, apiVersion: _apiVersion, ...fields } = candidate;
  const given = objectOf(candidate['metadata']);
  const { labels: _l, annotations: _a, finalizers: _f, ownerReferences: _o, ...own } = live.metadata;
  const metadata = given === live.metadata ? live.metadata : { ...own, ...givenMetadata(given) };
  const kept = subresource === 'status' ? { spec: live['spec'] } : { status: live['status'] };
  const merged = { ...fields, ...(row.generation === 'all' ? {} : kept), metadata };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
}

function generationOf(row: ResourceRow, live: StoredObject, object: JsonObject): number | undefined {
  const before = live.metadata.generation;
  if (row.generation === undefined || before === undefined) return before;
  const isSpecNew =
    !sameJson(live['spec'], object['spec']) ||
    (row.generation === 'all' && !sameJson(live['status'], object['status']));
  const annotations = pick(object, 'metadata', 'annotations');
  const isNew =
    isSpecNew ||
    (row.generation === 'spec and annotations' && !sameJson(live.metadata.annotations, annotations));
  return isNew ? before + 1 : before;
}

const TEMPLATE_COUNT = 'deprecated.daemonset.template.generation';

/** The server counts the templates of a DaemonSet in an annotation that clients cannot change. */
function withTemplateCount(row: ResourceRow, object: JsonObject, live?: StoredObject): JsonObject {
  if (row.kind !== 'DaemonSet') return object;
  const before = Number(live?.metadata.annotations?.[TEMPLATE_COUNT] ?? 0);
  const isSame =
    live !== undefined && sameJson(pick(live, 'spec', 'template'), pick(object, 'spec', 'template'));
  const count = String(isSame ? before : before + 1);
  const metadata = objectOf(object['metadata']);
  const annotations = objectOf(metadata['annotations']);
  if (annotations[TEMPLATE_COUNT] === count) return object;
  return { ...object, metadata: { ...metadata, annotations: { ...annotations, [TEMPLATE_COUNT]: count } } };
}

function initialStatus(row: ResourceRow, given: Json | undefined): JsonObject {
  if (row.generation === 'all') return given === undefined ? {} : { status: given };
  if (row.kind === 'Namespace') return { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } };
  return row.generation === undefined ? {} : { status: {} };
}

/** The metadata of what `settledFields` or `#commitNew` built: complete by construction. */
function asMetadata(object: JsonObject, live: Pick<StoredObject, 'metadata'>): StoredMetadata {
  return { ...live.metadata, ...NO_USER_METADATA, ...objectOf(object['metadata']) };
}

const NO_USER_METADATA = {
  labels: undefined,
  annotations: undefined,
  finalizers: undefined,
  ownerReferences: undefined,
};

function asStored(object: JsonObject, metadata: StoredMetadata): StoredObject {
  return { ...object, metadata };
}

function wrongUid({ row, name }: Target, uid: string, live: StoredObject): Error {
  const uids = `UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`;
  return conflict(row, name, `Precondition failed: ${uids}`);
}
