/** References to the objects that the reloader knows, and the string keys under which they are kept in memory. */

/** The kinds of object whose content is tracked. */
export type ConfigKind = 'ConfigMap' | 'Secret';

/** All of them. */
export const CONFIG_KINDS: readonly ConfigKind[] = ['ConfigMap', 'Secret'];

/** A ConfigMap or Secret. */
export interface ConfigRef {
  readonly kind: ConfigKind;
  readonly namespace: string;
  readonly name: string;
}

/** A workload; `kind` names a row of the table in workload-kind.ts. */
export interface WorkloadRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** `<namespace>/<kind>/<name>`: the key of an object in every map and queue. No part can hold a slash, so it is injective. */
export type ObjectKey = string;

/** The key of `ref`. Joined, since what a template gives is kept as a chain of its parts, four times as large. */
export function keyOf({ namespace, kind, name }: ConfigRef | WorkloadRef): ObjectKey {
  return [namespace, kind, name].join('/');
}

/** The ConfigMap or Secret whose key this is. */
export function configRefIn(key: ObjectKey): ConfigRef {
  const [namespace = '', kind, name = ''] = key.split('/');
  return { kind: kind === 'Secret' ? 'Secret' : 'ConfigMap', namespace, name };
}

/** The name of the object whose key this is. */
export function nameIn(key: ObjectKey): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

/** `<kind>/<name>` as kubectl writes it, for people. */
export function describe(ref: ConfigRef | WorkloadRef): string {
  return `${ref.kind}/${ref.name}`;
}

/** The same, seen from `namespace`: an object of another one has that between. Injective, as no part can hold a slash. */
export function describeFrom(namespace: string, ref: ConfigRef): string {
  return ref.namespace === namespace ? describe(ref) : `${ref.kind}/${ref.namespace}/${ref.name}`;
}
