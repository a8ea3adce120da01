/** A ConfigMap or Secret at the border of the program: its content has become a digest, the content itself is gone. */

import { type Digest, digestOf, type KeyDigests, keyDigestsOf, legacyDigestOf } from './digest.ts';
import type { ConfigKind, ConfigRef } from './object-ref.ts';
import { STATE_VERSION_ANNOTATION } from './persisted-state.ts';
import type { RawConfigObject } from './raw-objects.ts';
import { lastWriteOf } from './time.ts';

/** What is kept of one version of a ConfigMap or Secret. */
export interface ConfigObject {
  readonly ref: ConfigRef;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly digest: Digest;
  /** See lastWriteOf. */
  readonly lastWrite?: number | undefined;
  /** The annotations that policies ask for; mostly none. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The digest under the older formula, where an old state entry has to be compared. */
  readonly legacyDigest?: Digest;
  /** The digests of its keys, where somebody may follow some of them. */
  readonly keyDigests?: KeyDigests;
  /** A reloader keeps its state in it: no workload follows that. */
  readonly isState?: true;
}

/** What is wanted of an object besides the digest of its content. */
export interface Wanted {
  /** Whether an old state entry has to be compared. */
  readonly legacyDigest: (ref: ConfigRef) => boolean;
  /** Whether somebody follows some of its keys, or may do so. */
  readonly keyDigests: (ref: ConfigRef) => boolean;
  readonly annotation: (key: string) => boolean;
  /** Whether this process keeps its own state there. @default nowhere */
  readonly isOwnState?: (ref: ConfigRef) => boolean;
}

/** Shared by all that have none. */
const NO_ANNOTATIONS: Readonly<Record<string, string>> = {};

/** The one place that sees content. */
export function configObjectOf(kind: ConfigKind, raw: RawConfigObject, wanted: Wanted): ConfigObject {
  const { name, namespace = '', uid = '', resourceVersion = '' } = raw.metadata;
  const ref: ConfigRef = { kind, namespace, name };
  const annotations = annotationsOf(raw, wanted.annotation);
  const lastWrite = lastWriteOf(raw.metadata);
  const object = { ref, uid, resourceVersion, digest: digestOf(kind, raw), annotations };
  return {
    ...object,
    ...(lastWrite === undefined ? {} : { lastWrite }),
    ...(wanted.legacyDigest(ref) ? { legacyDigest: legacyDigestOf(raw) } : {}),
    ...(wanted.keyDigests(ref) ? { keyDigests: keyDigestsOf(kind, raw) } : {}),
    ...(isState(ref, raw, wanted) ? { isState: true } : {}),
  };
}

/** Another reloader's state is known by its annotation, our own also before it has one. */
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
