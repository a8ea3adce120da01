/** References to the objects that the reloader knows, and the string keys under which they are kept in memory. */

/** The kinds of object whose content is tracked. */
export type ConfigKind = 'ConfigMap' | 'Secret';

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

/** The key of `ref`. */
export function keyOf(ref: ConfigRef | WorkloadRef): ObjectKey {
  return `${ref.namespace}/${ref.kind}/${ref.name}`;
}

/** `<kind>/<name>` as kubectl writes it, for people. */
export function describe(ref: ConfigRef | WorkloadRef): string {
  return `${ref.kind}/${ref.name}`;
}
