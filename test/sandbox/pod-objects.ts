/** Pods, ReplicaSets and ControllerRevisions as API objects: what clients list. Written past admission, as only the controller writes them. */

import { type JsonObject, objectOf, sameJson } from './json.ts';
import { type ResourceRow, rowOfResource } from './resource-table.ts';
import { REVISION_ANNOTATION, type Revision } from './revisions.ts';
import type { Store } from './store.ts';
import {
  type StoredMetadata,
  type StoredObject,
  type StringMap,
  storeKey,
  timestamp,
} from './stored-object.ts';

const PODS = rowOfResource('pods');
const REPLICA_SETS = rowOfResource('replicasets');
const CONTROLLER_REVISIONS = rowOfResource('controllerrevisions');

/** Whose pod, ReplicaSet or ControllerRevision it is. */
export interface Owner {
  readonly row: ResourceRow;
  readonly object: StoredObject;
}

type PodCondition = 'pending' | 'crashing' | 'running';

const STATUSES: Readonly<Record<PodCondition, () => JsonObject>> = {
  pending: () => ({ phase: 'Pending', conditions: [{ type: 'Ready', status: 'False' }] }),
  crashing: () => ({
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'False' }],
    containerStatuses: [{ name: 'app', state: { waiting: { reason: 'CrashLoopBackOff' } } }],
  }),
  running: () => ({
    phase: 'Running',
    startTime: timestamp(),
    conditions: [{ type: 'Ready', status: 'True' }],
  }),
};

/** Writes a pod: pending, crashing again and again, or running since it was last written so. */
export function putPod(
  store: Store,
  owner: Owner,
  name: string,
  revision: Revision,
  condition: PodCondition,
): void {
  const { namespace } = owner.object.metadata;
  const known = store.get(PODS, storeKey(namespace, name));
  const template = objectOf(revision.template['metadata']);
  const metadata =
    known?.metadata ??
    ownedMetadata(store, controllerOf(store, owner, revision), name, {
      labels: { ...stringsOf(template['labels']), [hashLabelOf(owner.row)]: revision.hash },
      annotations: stringsOf(template['annotations']),
    });
  store.put(PODS, { metadata, spec: revision.template['spec'], status: STATUSES[condition]() });
}

/** What controls a pod: of a Deployment the ReplicaSet of its revision. */
function controllerOf(store: Store, owner: Owner, revision: Revision): Owner {
  if (owner.row.kind !== 'Deployment') return owner;
  const { name, namespace } = owner.object.metadata;
  const key = storeKey(namespace, `${name}-${revision.hash}`);
  if (store.get(REPLICA_SETS, key) === undefined) putReplicaSet(store, owner, revision, 0);
  const object = store.get(REPLICA_SETS, key);
  return object === undefined ? owner : { row: REPLICA_SETS, object };
}

/** Removes a pod, if it is still there. */
export function removePod(store: Store, namespace: string, name: string): void {
  const known = store.get(PODS, storeKey(namespace, name));
  if (known) store.remove(PODS, known);
}

/** Writes the ReplicaSet of a revision if it differs from what is there. */
export function putReplicaSet(store: Store, owner: Owner, revision: Revision, replicas: number): void {
  const { name: workload, namespace } = owner.object.metadata;
  const name = `${workload}-${revision.hash}`;
  const known = store.get(REPLICA_SETS, storeKey(namespace, name));
  const template = objectOf(revision.template['metadata']);
  const labels = { ...stringsOf(template['labels']), 'pod-template-hash': revision.hash };
  const annotations = { ...revision.annotations, [REVISION_ANNOTATION]: String(revision.revision) };
  const fresh = known?.metadata ?? {
    ...ownedMetadata(store, owner, name, { labels, annotations }),
    generation: 1,
  };
  const status =
    replicas === 0 ? { replicas } : { replicas, readyReplicas: replicas, availableReplicas: replicas };
  if (known && sameJson(known.metadata.annotations, annotations) && sameJson(known['status'], status)) return;
  const spec = { replicas, template: { ...revision.template, metadata: { ...template, labels } } };
  store.put(REPLICA_SETS, { metadata: { ...fresh, annotations }, spec, status });
}

/** Writes the ControllerRevision of a revision if it differs from what is there. */
export function putControllerRevision(
  store: Store,
  owner: Owner,
  { hash, revision, template }: Revision,
): void {
  const { name: workload, namespace } = owner.object.metadata;
  const name = `${workload}-${hash}`;
  const known = store.get(CONTROLLER_REVISIONS, storeKey(namespace, name));
  if (known?.['revision'] === revision) return;
  const labels = { [hashLabelOf(owner.row)]: hash };
  const metadata = known?.metadata ?? ownedMetadata(store, owner, name, { labels, annotations: {} });
  store.put(CONTROLLER_REVISIONS, { metadata, data: { spec: { template } }, revision });
}

/** Removes the ReplicaSet or ControllerRevision of a revision, if it is still there. */
export function removeRevision(
  store: Store,
  { kind }: ResourceRow,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  revision: Revision,
): void {
  const row = kind === 'Deployment' ? REPLICA_SETS : CONTROLLER_REVISIONS;
  const known = store.get(row, storeKey(namespace, `${name}-${revision.hash}`));
  if (known) store.remove(row, known);
}

function hashLabelOf(row: ResourceRow): string {
  return row.kind === 'Deployment' ? 'pod-template-hash' : 'controller-revision-hash';
}

function ownedMetadata(
  store: Store,
  { row, object }: Owner,
  name: string,
  maps: { readonly labels: StringMap; readonly annotations: StringMap },
): StoredMetadata {
  const { apiVersion, kind } = row;
  const owner = { apiVersion, kind, name: object.metadata.name, uid: object.metadata.uid, controller: true };
  return {
    name,
    namespace: object.metadata.namespace,
    uid: store.newUid(),
    resourceVersion: '',
    creationTimestamp: timestamp(),
    labels: maps.labels,
    ...(Object.keys(maps.annotations).length > 0 ? { annotations: maps.annotations } : {}),
    ownerReferences: [owner],
  };
}

function stringsOf(value: JsonObject[string]): StringMap {
  const entries = Object.entries(objectOf(value)).flatMap(([key, text]) =>
    typeof text === 'string' ? [[key, text] as const] : [],
  );
  return Object.fromEntries(entries);
}
