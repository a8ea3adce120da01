/**
 * The formulas of other reloaders, to compare what they left in a pod template with the objects as they are. Content goes into the
 * hash and no further.
 */

import { createHash } from 'node:crypto';
import { type ConfigKind, type ConfigRef, SOURCE_KINDS } from '../model/object-ref.ts';
import type { RawConfigObject } from '../model/raw-objects.ts';

/**
 * Stakater Reloader's hash of one object: the SHA-1 of its `key=value` pairs, sorted and joined by semicolons. A Secret's values
 * enter decoded, binaryData as base64.
 */
export function stakaterDigestOf(kind: ConfigKind, { data = {}, binaryData = {} }: RawConfigObject): string {
  const hash = createHash('sha1');
  const { encoding } = SOURCE_KINDS[kind];
  const pairs = [
    ...Object.entries(data).map(([key, value]) => ({ key, value, encoding })),
    ...Object.entries(binaryData).map(([key, value]) => ({ key, value, encoding: 'utf8' as const })),
  ];
  // No character of a key sorts as the equals sign does, so the values never decide.
  pairs.sort((a, b) => (`${a.key}=` < `${b.key}=` ? -1 : 1));
  for (const [index, pair] of pairs.entries())
    hash.update(`${index === 0 ? '' : ';'}${pair.key}=`).update(pair.value, pair.encoding);
  return hash.digest('hex');
}

/** A part of an object that enters wave's hash. */
export interface WaveReference {
  readonly ref: ConfigRef;
  /** Undefined: all of them. */
  readonly keys: ReadonlySet<string> | undefined;
}

/**
 * wave's hash of all that a workload refers to: the SHA-256 of the JSON `{"configMaps":{name:{key:base64}},"secrets":{…}}`, names and
 * keys sorted. Objects are added one by one, ConfigMaps before Secrets and each by name.
 */
export class WaveHash {
  readonly #hash = createHash('sha256').update('{"configMaps":{');
  #kind: ConfigKind = 'ConfigMap';
  #isFirst = true;

  /** Adds an object that exists. */
  add({ ref, keys }: WaveReference, raw: RawConfigObject): void {
    this.#begin(ref.kind);
    this.#hash.update(`${this.#isFirst ? '' : ','}${JSON.stringify(ref.name)}:{`);
    this.#isFirst = false;
    const isText = SOURCE_KINDS[ref.kind].encoding === 'utf8';
    const values = Object.entries(raw.data ?? {}).map(([key, value]): [string, string] => [
      key,
      isText ? Buffer.from(value).toString('base64') : value,
    ]);
    const all = [...values, ...Object.entries(raw.binaryData ?? {})];
    const wanted = all.filter(([key]) => keys === undefined || keys.has(key));
    wanted.sort(([a], [b]) => (a < b ? -1 : 1));
    this.#hash.update(wanted.map(([key, value]) => `${JSON.stringify(key)}:"${value}"`).join());
    this.#hash.update('}');
  }

  /** The hash of what was added; nothing can be added after. */
  digest(): string {
    this.#begin('Secret');
    return this.#hash.update('}}').digest('hex');
  }

  #begin(kind: ConfigKind): void {
    if (kind === this.#kind) return;
    this.#kind = kind;
    this.#isFirst = true;
    this.#hash.update('},"secrets":{');
  }
}

/** An object that enters the hash of SAP's pod-reloader; `version` is its `<uid>.<resourceVersion>`, empty if it does not exist. */
export interface SapVersion {
  readonly ref: ConfigRef;
  readonly version: string;
}

/** The hash of SAP's pod-reloader: the SHA-256 over a line for each object, in the order of the annotations. It has no content. */
export function sapHashOf(versions: readonly SapVersion[]): string {
  const hash = createHash('sha256');
  for (const { ref, version } of versions)
    hash.update(`${ref.kind.toLowerCase()}/${ref.namespace}/${ref.name}/${version}\n`);
  return hash.digest('hex');
}
