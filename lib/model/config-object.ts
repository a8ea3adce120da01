/** Turns a ConfigMap, a Secret, or what a pod has mounted of a class into a digest as soon as it is parsed; its content goes no further. */

import {
  type AlgorithmName,
  type Algorithms,
  type Digest,
  type Digests,
  type KeyDigests,
  SHA1,
} from './digest.ts';
import type { ConfigKind, ConfigRef } from './object-ref.ts';
import { STATE_VERSION_ANNOTATION } from './persisted-state.ts';
import type { RawConfigObject, RawPodStatus } from './raw-objects.ts';
import { NOTHING } from './text.ts';
import { lastWriteOf } from './time.ts';
import { decimalOf } from './timeline.ts';
import type { Annotations } from './workload.ts';

/** The part of one version of a ConfigMap or Secret that stays in memory. */
export interface ConfigObject extends Digests {
  readonly ref: ConfigRef;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly digest: Digest;
  /** See lastWriteOf. */
  readonly lastWrite?: number | undefined;
  /** The annotations that policies read, or that are probably meant for them; mostly none. */
  readonly annotations: Annotations;
  /** The digests of its keys; of a class none. */
  readonly keyDigests: KeyDigests;
  /** Every pod that has mounted it began with this content. */
  readonly begunWith?: true;
  /** A reloader keeps its state in it: no workload follows that. */
  readonly isState?: true;
}

/** The digests to compute. */
export interface Wanted {
  readonly algorithms: Algorithms;
  /** The further algorithms under which the content is to be compared. @default none */
  readonly others?: readonly AlgorithmName[];
  /** Those annotations that are kept. */
  readonly annotations: (all: Annotations) => Annotations;
  /** Whether this process keeps its own state there. @default nowhere */
  readonly isOwnState?: (ref: ConfigRef) => boolean;
}

/** The only function that reads the content of ConfigMaps and Secrets. */
export function configObjectOf(kind: ConfigKind, raw: RawConfigObject, wanted: Wanted): ConfigObject {
  const { name, namespace = '', uid = '', resourceVersion = '' } = raw.metadata;
  const ref: ConfigRef = { kind, namespace, name };
  const annotations = wanted.annotations(raw.metadata.annotations ?? NOTHING);
  const lastWrite = lastWriteOf(raw.metadata);
  const { own, named } = wanted.algorithms;
  const others = (wanted.others ?? []).flatMap((other) => named(other) ?? []);
  const object = { ref, uid, resourceVersion, digest: own.digestOf(ref, raw), annotations };
  const keyDigests = (): KeyDigests =>
    [own, ...others].flatMap(({ keyDigestsOf }) => keyDigestsOf?.(ref, raw) ?? []).join('\n');
  const isOfState = isState(ref, raw, wanted);
  return {
    ...object,
    ...(lastWrite === undefined ? {} : { lastWrite }),
    ...(others.length === 0 ? {} : { otherDigests: others.map((other) => other.digestOf(ref, raw)) }),
    keyDigests: isOfState ? '' : keyDigests(),
    ...(isOfState ? { isState: true } : {}),
  };
}

/** Another reloader's state has an annotation; our own, and its key, are recognized also before they have one. */
function isState(ref: ConfigRef, { metadata }: RawConfigObject, { isOwnState }: Wanted): boolean {
  if (isOwnState?.(ref) === true) return true;
  return ref.kind === 'ConfigMap' && metadata.annotations?.[STATE_VERSION_ANNOTATION] !== undefined;
}

/** The part of one status of a pod that counts. No secret content is in such an object. */
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
