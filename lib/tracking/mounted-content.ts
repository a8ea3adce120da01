/** What one pod has mounted of a class: a digest of ids and versions. No secret content is in such an object. */

import { type Algorithms, type Digest, SHA1 } from '../model/digest.ts';
import type { ConfigRef } from '../model/object-ref.ts';
import type { RawPodStatus } from '../model/raw-objects.ts';
import { lastWriteOf } from '../model/time.ts';
import { decimalOf } from '../model/timeline.ts';

/** The part of one status that counts. */
export interface Mounted {
  readonly ref: ConfigRef;
  /** Undefined: the provider reports no version. */
  readonly digest: Digest | undefined;
  /** Of the same content: under every other algorithm that may be named. */
  readonly otherDigests: readonly Digest[];
  /** Whether the driver has never written this status again: the pod started with this content. */
  readonly isFirst: boolean;
  /** Its uid distinguishes pods of one name. */
  readonly pod: string;
  readonly version: number;
  readonly lastWrite: number | undefined;
}

/** What the status says; undefined if nothing: it is not mounted. */
export function mountedOf(raw: RawPodStatus, { own, named, keys }: Algorithms): Mounted | undefined {
  const { namespace = '', resourceVersion = '', generation, ownerReferences } = raw.metadata;
  const { secretProviderClassName: name = '', mounted, objects } = raw.status ?? {};
  const pairs = (objects ?? []).map(({ id = '', version = '' }) => [id, version]);
  if (name === '' || mounted !== true) return undefined;
  const ref: ConfigRef = { kind: 'SecretProviderClass', namespace, name };
  const data = Object.fromEntries(pairs.map((pair) => [JSON.stringify(pair), '']));
  const content = { metadata: raw.metadata, data };
  const others = [...keys, SHA1.name].filter((other) => other !== own.name);
  return {
    ref,
    digest: pairs.every(([, version]) => version === '') ? undefined : own.digestOf(ref, content),
    otherDigests: others.flatMap((other) => named(other)?.digestOf(ref, content) ?? []),
    isFirst: generation === 1,
    pod: ownerReferences?.[0]?.uid ?? '',
    version: decimalOf(resourceVersion) ?? 0,
    lastWrite: lastWriteOf(raw.metadata),
  };
}
