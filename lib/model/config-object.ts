/** Turns a ConfigMap or Secret into a digest as soon as it is parsed; its content goes no further. */

import {
  type Digest,
  type Digests,
  digestOf,
  digestsUnder,
  type KeyDigests,
  keyDigestsOf,
} from './digest.ts';
import type { ConfigKind, ConfigRef } from './object-ref.ts';
import { STATE_VERSION_ANNOTATION } from './persisted-state.ts';
import type { RawConfigObject } from './raw-objects.ts';
import { lastWriteOf } from './time.ts';

/** The part of one version of a ConfigMap or Secret that stays in memory. */
export interface ConfigObject extends Digests {
  readonly ref: ConfigRef;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly digest: Digest;
  /** See lastWriteOf. */
  readonly lastWrite?: number | undefined;
  /** The annotations that policies read; mostly none. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The digests of its keys, if a workload may follow some of them. */
  readonly keyDigests?: KeyDigests;
  /** A reloader keeps its state in it: no workload follows that. */
  readonly isState?: true;
}

/** The digests to compute besides that of the content. */
export interface Wanted {
  /** The further algorithms under which the content is to be compared. @default none */
  readonly algorithms?: (ref: ConfigRef) => readonly string[];
  /** Whether a workload follows some of its keys, or may do so. */
  readonly keyDigests: (ref: ConfigRef) => boolean;
  readonly annotation: (key: string) => boolean;
  /** Whether this process keeps its own state there. @default nowhere */
  readonly isOwnState?: (ref: ConfigRef) => boolean;
}

/** Shared by all objects without such annotations, to save memory. */
const NO_ANNOTATIONS: Readonly<Record<string, string>> = {};

/** The only function that reads content. */
export function configObjectOf(kind: ConfigKind, raw: RawConfigObject, wanted: Wanted): ConfigObject {
  const { name, namespace = '', uid = '', resourceVersion = '' } = raw.metadata;
  const ref: ConfigRef = { kind, namespace, name };
  const annotations = annotationsOf(raw, wanted.annotation);
  const lastWrite = lastWriteOf(raw.metadata);
  const algorithms = wanted.algorithms?.(ref) ?? [];
  const object = { ref, uid, resourceVersion, digest: digestOf(kind, raw), annotations };
  return {
    ...object,
    ...(lastWrite === undefined ? {} : { lastWrite }),
    ...(algorithms.length === 0 ? {} : { otherDigests: digestsUnder(algorithms, raw) }),
    ...(wanted.keyDigests(ref) ? { keyDigests: keyDigestsOf(kind, raw) } : {}),
    ...(isState(ref, raw, wanted) ? { isState: true } : {}),
  };
}

/** Another reloader's state has an annotation; our own is recognized also before it has one. */
function isState(ref: ConfigRef, { metadata }: RawConfigObject, { isOwnState }: Wanted): boolean {
  if (ref.kind !== 'ConfigMap') return false;
  return metadata.annotations?.[STATE_VERSION_ANNOTATION] !== undefined || isOwnState?.(ref) === true;
}

function annotationsOf(
  { metadata }: RawConfigObject,
  isWanted: Wanted['annotation'],
): ConfigObject['annotations'] {
  const wanted = Object.entries(metadata.annotations ?? {}).filter(([key]) => isWanted(key));
  return wanted.length === 0 ? NO_ANNOTATIONS : Object.fromEntries(wanted);
}
