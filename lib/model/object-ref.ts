/** References to the objects that the reloader knows, and the string keys under which they are kept in memory. */

import { listedText } from './text.ts';

/** The kinds of object whose content is tracked. */
export type ConfigKind = 'ConfigMap' | 'Secret';

/** All of them. */
export const CONFIG_KINDS: readonly ConfigKind[] = ['ConfigMap', 'Secret'];

/** A ConfigMap or Secret, or some keys of one. */
export interface ConfigRef {
  readonly kind: ConfigKind;
  readonly namespace: string;
  readonly name: string;
  /** Only what stands under these keys is meant: sorted, each once, at least one; without them the whole object is. */
  readonly keys?: readonly string[];
}

/** A workload; `kind` names a row of the table in workload-kind.ts. */
export interface WorkloadRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * `<namespace>/<kind>/<name>`: the key of an object in every map and queue; of some keys of one it goes on with
 * `/<key>,<key>`. No part can hold a slash, and no key a comma, so it is injective.
 */
export type ObjectKey = string;

/** The key of `ref`. Joined, since what a template gives is kept as a chain of its parts, four times as large. */
export function keyOf(ref: ConfigRef | WorkloadRef): ObjectKey {
  const whole = [ref.namespace, ref.kind, ref.name];
  return 'keys' in ref && ref.keys !== undefined ? [...whole, ref.keys.join()].join('/') : whole.join('/');
}

/** The ConfigMap or Secret whose key this is. */
export function configRefIn(key: ObjectKey): ConfigRef {
  const [namespace = '', kind, name = '', keys] = key.split('/');
  const whole: ConfigRef = { kind: kind === 'Secret' ? 'Secret' : 'ConfigMap', namespace, name };
  return keys === undefined ? whole : { ...whole, keys: keys.split(',') };
}

/** The workload whose key this is. */
export function workloadRefIn(key: ObjectKey): WorkloadRef {
  const [namespace = '', kind = '', name = ''] = key.split('/');
  return { kind, namespace, name };
}

/** The whole object of which `ref` means all or some keys. */
export function wholeOf(ref: ConfigRef): ConfigRef {
  const { kind, namespace, name } = ref;
  return ref.keys === undefined ? ref : { kind, namespace, name };
}

/** The key of the whole object of which this is the key of all or some keys. */
export function wholeKeyOf(key: ObjectKey): ObjectKey {
  return key.split('/', 3).join('/');
}

/** The name of the object whose key this is. */
export function nameIn(key: ObjectKey): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

/** The namespace of the object whose key this is. */
export function namespaceIn(key: ObjectKey): string {
  return key.slice(0, key.indexOf('/'));
}

/** How many keys are told of by name. */
const MOST_KEYS = 5;

/** `<kind>/<name>` as kubectl writes it, for people, and which keys are meant. */
export function describe(ref: ConfigRef | WorkloadRef): string {
  const object = nameOf(ref);
  return 'keys' in ref && ref.keys !== undefined ? `${object} (${keysText(ref.keys)})` : object;
}

/** Names for a line: the first few, and how many more there are. */
export function describeAll(refs: readonly (ConfigRef | WorkloadRef)[], most = 3): string {
  return listedText(refs.map(describe), most);
}

/** `<kind>/<name>`, whichever keys are meant. */
function nameOf({ kind, name }: Pick<ConfigRef | WorkloadRef, 'kind' | 'name'>): string {
  return `${kind}/${name}`;
}

/** Keys of an object, for people. */
function keysText(keys: readonly string[]): string {
  const [first, ...others] = keys;
  if (others.length === 0) return `key ${first}`;
  const more = keys.length - MOST_KEYS;
  return `keys ${keys.slice(0, MOST_KEYS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * `<kind>/<name>`, seen from `namespace`, whichever keys are meant: an object of another one has that between. Injective, as
 * no part can hold a slash.
 */
export function describeFrom(namespace: string, ref: ConfigRef): string {
  return ref.namespace === namespace ? nameOf(ref) : `${ref.kind}/${ref.namespace}/${ref.name}`;
}
