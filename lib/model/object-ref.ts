/** References to the objects that the reloader knows, and the string keys under which they are kept in memory. */

import { listedText } from './text.ts';

/** A kind as the paths of the API name it. */
export interface ApiResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural. */
  readonly resource: string;
}

/** The kinds of object whose content is tracked. */
export type ConfigKind = 'ConfigMap' | 'Secret' | 'SecretProviderClass';

/** A row of the table of sources; references.ts has the places where a pod template refers to one. */
interface SourceKind extends ApiResource {
  /** Its part of the native annotations. */
  readonly word: string;
  /** The encoding of the values of `data`. */
  readonly encoding: 'utf8' | 'base64';
  /** Types that are not watched: such objects are many and large, and no container reads them. */
  readonly ignoredTypes: readonly string[];
  /**
   * The content is what pods have mounted of the object: objects of this kind of the group say it, one for each pod, see
   * tracking/mounted-classes.ts. There is none to read in the object itself, its absence never counts, and labels do not select it.
   */
  readonly mountedAs?: { readonly kind: string; readonly resource: string };
}

/** The table of sources. */
export const SOURCE_KINDS: Readonly<Record<ConfigKind, SourceKind>> = {
  ConfigMap: {
    group: '',
    version: 'v1',
    resource: 'configmaps',
    word: 'configmap',
    encoding: 'utf8',
    ignoredTypes: [],
  },
  Secret: {
    group: '',
    version: 'v1',
    resource: 'secrets',
    word: 'secret',
    encoding: 'base64',
    ignoredTypes: ['helm.sh/release.v1', 'kubernetes.io/service-account-token'],
  },
  SecretProviderClass: {
    group: 'secrets-store.csi.x-k8s.io',
    version: 'v1',
    resource: 'secretproviderclasses',
    word: 'secret-provider-class',
    encoding: 'utf8',
    ignoredTypes: [],
    mountedAs: { kind: 'SecretProviderClassPodStatus', resource: 'secretproviderclasspodstatuses' },
  },
};

/** All kinds in the table. */
export const CONFIG_KINDS: readonly ConfigKind[] = Object.keys(SOURCE_KINDS) as ConfigKind[];

/** The kind of this name; undefined for another one. */
export function configKindOf(name: string | undefined): ConfigKind | undefined {
  return CONFIG_KINDS.find((kind) => kind === name);
}

/** Whether the content of this kind is what pods have mounted of it. */
export function isMountedKind(kind: ConfigKind): boolean {
  return SOURCE_KINDS[kind].mountedAs !== undefined;
}

/** The kind of which objects of this kind say what pods have mounted; undefined for any other kind. */
export function mountedKindOf(name: string): ConfigKind | undefined {
  return CONFIG_KINDS.find((kind) => SOURCE_KINDS[kind].mountedAs?.kind === name);
}

/** A record with the result of `make` for each kind. */
export function byConfigKind<T>(make: (kind: ConfigKind) => T): Readonly<Record<ConfigKind, T>> {
  return Object.fromEntries(CONFIG_KINDS.map((kind) => [kind, make(kind)])) as Record<ConfigKind, T>;
}

const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Whether an object of the API can have this name: a DNS subdomain, of labels in lower case that dots join. */
export function isObjectName(text: string): boolean {
  return text.length <= 253 && DNS_SUBDOMAIN.test(text);
}

/** Whether a namespace can have this name: one label. */
export function isDnsLabel(text: string): boolean {
  return text.length <= 63 && !text.includes('.') && DNS_SUBDOMAIN.test(text);
}

/** An object with content, or some keys of a ConfigMap or Secret. */
export interface ConfigRef {
  readonly kind: ConfigKind;
  readonly namespace: string;
  readonly name: string;
  /** Limits the reference to these keys: sorted, each once, at least one. Absent for the whole object. */
  readonly keys?: readonly string[];
}

/** A workload; `kind` names a row of the table in workload-kind.ts. */
export interface WorkloadRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * `<namespace>/<kind>/<name>`: the key of an object in every map and queue; for some keys of an object it continues with
 * `/<key>,<key>`. No part can hold a slash, and no key a comma, so it is injective.
 */
export type ObjectKey = string;

/** The key of `ref`. Built by join(), since V8 keeps a template string as a rope of its parts, four times as large. */
export function keyOf(ref: ConfigRef | WorkloadRef): ObjectKey {
  const whole = [ref.namespace, ref.kind, ref.name];
  return 'keys' in ref && ref.keys !== undefined ? [...whole, ref.keys.join()].join('/') : whole.join('/');
}

/** The object with content whose key this is. */
export function configRefIn(key: ObjectKey): ConfigRef {
  const [namespace = '', kind, name = '', keys] = key.split('/');
  const whole: ConfigRef = { kind: kind as ConfigKind, namespace, name };
  return keys === undefined ? whole : { ...whole, keys: keys.split(',') };
}

/** The workload whose key this is. */
export function workloadRefIn(key: ObjectKey): WorkloadRef {
  const [namespace = '', kind = '', name = ''] = key.split('/');
  return { kind, namespace, name };
}

/** `ref` without keys: the whole object. */
export function wholeOf(ref: ConfigRef): ConfigRef {
  const { kind, namespace, name } = ref;
  return ref.keys === undefined ? ref : { kind, namespace, name };
}

/** `key` without keys of an object: the key of the whole object. */
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

/** How many keys a text names. */
const MOST_KEYS = 5;

/** `<kind>/<name>` as kubectl writes it, for people, and the keys if the reference has some. */
export function describe(ref: ConfigRef | WorkloadRef): string {
  const object = `${ref.kind}/${ref.name}`;
  return 'keys' in ref && ref.keys !== undefined ? `${object} (${keysText(ref.keys)})` : object;
}

/** Names for a line: the first few, and how many more there are. */
export function describeAll(refs: readonly (ConfigRef | WorkloadRef)[], most = 3): string {
  return listedText(refs.map(describe), most);
}

/** Keys of an object, for people. */
function keysText(keys: readonly string[]): string {
  const [first, ...others] = keys;
  if (others.length === 0) return `key ${first}`;
  return `keys ${listedText(keys, MOST_KEYS)}`;
}
