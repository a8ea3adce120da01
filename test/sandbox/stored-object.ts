/** Objects as the store keeps them: immutable, without `kind` and `apiVersion`, which lists do not carry either. */

import type { JsonObject } from './json.ts';
import type { ResourceRow } from './resource-table.ts';
import { serverNow } from './server-clock.ts';

/** Labels, annotations, data: a map of strings. */
export type StringMap = { readonly [key: string]: string };

/** `metadata` of a stored object. A type, not an interface, so that it counts as JSON. */
export type StoredMetadata = {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  readonly generation?: number | undefined;
  readonly labels?: StringMap | undefined;
  readonly annotations?: StringMap | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly deletionTimestamp?: string | undefined;
  readonly ownerReferences?: readonly JsonObject[] | undefined;
  readonly managedFields?: readonly JsonObject[] | undefined;
};

/** A stored object: its own fields beside `metadata`. */
export type StoredObject = JsonObject & { readonly metadata: StoredMetadata };

/** `<namespace>/<name>`, with an empty namespace for what is in none: the order of a list. */
export function storeKey(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}

/** The key of an object. */
export function keyOfObject(object: StoredObject): string {
  return storeKey(object.metadata.namespace, object.metadata.name);
}

/** Its JSON as a member of a list: without kind. Made once per object. */
export function itemText(object: StoredObject): string {
  const known = texts.get(object);
  if (known !== undefined) return known;
  const text = JSON.stringify(object);
  texts.set(object, text);
  return text;
}

/** Its JSON on its own, or in a watch event. */
export function objectText(row: ResourceRow, object: StoredObject): string {
  return `{"kind":"${row.kind}","apiVersion":"${row.apiVersion}",${itemText(object).slice(1)}`;
}

/** The present time as objects carry it: RFC 3339, to the second. */
export function timestamp(): string {
  return `${new Date(serverNow()).toISOString().slice(0, 19)}Z`;
}

const texts = new WeakMap<StoredObject, string>();
