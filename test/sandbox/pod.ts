/** Pods, and what they read of ConfigMaps and Secrets when they started. */

import { type ConfigRef, keyOf, type ObjectKey, type WorkloadRef } from '../../lib/model/object-ref.ts';

import { canonicalText, type Json, type JsonObject, objectOf, objectsOf, pick, stringOf } from './json.ts';
import { rowOfKind } from './resource-table.ts';
import type { Store } from './store.ts';
import { type StoredObject, storeKey } from './stored-object.ts';

/** A pod as oracles see it. */
export interface Pod {
  readonly name: string;
  readonly workload: WorkloadRef;
  /** The key of `workload`. */
  readonly key: ObjectKey;
  /** Names the template that it runs. */
  readonly templateHash: string;
  /** Pending: not started, perhaps waiting for a required object. */
  readonly phase: 'Pending' | 'Running';
  /** By the global clock. */
  readonly createdAt: number;
  readonly startedAt?: number;
  /** How many writes the store had seen when it started; on the axis of comparable resourceVersions. */
  readonly startedAtVersion?: number;
  /** The content of each object that it read when it started, or ABSENT. */
  readonly reads: ReadonlyMap<ObjectKey, string>;
}

/** What a pod read of an object that was not there and need not be. */
export const ABSENT = 'absent';

/** A reference from a pod template. */
export interface Mount {
  readonly ref: ConfigRef;
  /** Whether the pod starts without it. */
  readonly optional: boolean;
}

/** The identity of an object's content: equal contents, equal texts; metadata does not count. */
export function contentOf(object: StoredObject): string {
  const known = contents.get(object);
  if (known !== undefined) return known;
  const { data, binaryData } = object;
  const text = canonicalText({ data: objectOf(data), binaryData: objectOf(binaryData) });
  contents.set(object, text);
  return text;
}

const contents = new WeakMap<StoredObject, string>();

/** What an attempt to start a pod comes to: what it reads, or the required objects that are not there. */
export type Start =
  | { readonly kind: 'started'; readonly reads: ReadonlyMap<ObjectKey, string> }
  | { readonly kind: 'waiting'; readonly missing: ReadonlySet<ObjectKey> };

/** Reads all `mounts` at one instant. */
export function startWith(store: Store, mounts: readonly Mount[]): Start {
  const reads = new Map<ObjectKey, string>();
  const missing = new Set<ObjectKey>();
  for (const { ref, optional } of mounts) {
    const object = store.get(rowOfKind(ref.kind), storeKey(ref.namespace, ref.name));
    if (object !== undefined) reads.set(keyOf(ref), contentOf(object));
    else if (optional) reads.set(keyOf(ref), ABSENT);
    else missing.add(keyOf(ref));
  }
  return missing.size > 0 ? { kind: 'waiting', missing } : { kind: 'started', reads };
}

/** All references of a pod template, of containers and init containers, environment and volumes; of a class that a driver mounts too. */
export function mountsOf(template: JsonObject, namespace: string): readonly Mount[] {
  const spec = objectOf(template['spec']);
  const containers = [...objectsOf(spec['containers']), ...objectsOf(spec['initContainers'])];
  return [
    ...containers.flatMap((container) => objectsOf(container['envFrom']).flatMap(ofEnvFrom)),
    ...containers.flatMap((container) => objectsOf(container['env']).flatMap(ofEnv)),
    ...objectsOf(spec['volumes']).flatMap(ofVolume),
  ].flatMap(({ kind, name, optional }) => (name ? [{ ref: { kind, namespace, name }, optional }] : []));
}

interface Named {
  readonly kind: ConfigRef['kind'];
  readonly name: string | undefined;
  readonly optional: boolean;
}

function ofEnvFrom(source: JsonObject): readonly Named[] {
  return [...named('ConfigMap', source['configMapRef']), ...named('Secret', source['secretRef'])];
}

function ofEnv(variable: JsonObject): readonly Named[] {
  const from = objectOf(variable['valueFrom']);
  return [...named('ConfigMap', from['configMapKeyRef']), ...named('Secret', from['secretKeyRef'])];
}

function ofVolume(volume: JsonObject): readonly Named[] {
  const projected = objectsOf(pick(volume, 'projected', 'sources'));
  return [
    ...named('ConfigMap', volume['configMap']),
    ...named('Secret', volume['secret'], 'secretName'),
    ...named('SecretProviderClass', pick(volume, 'csi', 'volumeAttributes'), 'secretProviderClass'),
    ...projected.flatMap((source) => [
      ...named('ConfigMap', source['configMap']),
      ...named('Secret', source['secret']),
    ]),
  ];
}

function named(kind: Named['kind'], source: Json | undefined, nameField = 'name'): readonly Named[] {
  if (source === undefined || source === null) return [];
  const fields = objectOf(source);
  return [{ kind, name: stringOf(fields[nameField]), optional: fields['optional'] === true }];
}
