/** A ConfigMap or Secret at the border of the program: its content has become a digest, the content itself is gone. */

import { type Digest, digestOf, legacyDigestOf } from './digest.ts';
import type { ConfigKind, ConfigRef } from './object-ref.ts';
import type { RawConfigObject } from './raw-objects.ts';

/** What is kept of one version of a ConfigMap or Secret. */
export interface ConfigObject {
  readonly ref: ConfigRef;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly digest: Digest;
  /** The digest under the older formula, where an old state entry has to be compared. */
  readonly legacyDigest?: Digest;
}

/** The one place that sees content. `wantsLegacy` says for which objects an old state entry has to be compared. */
export function configObjectOf(
  kind: ConfigKind,
  raw: RawConfigObject,
  wantsLegacy: (ref: ConfigRef) => boolean,
): ConfigObject {
  const { name, namespace = '', uid = '', resourceVersion = '' } = raw.metadata;
  const ref: ConfigRef = { kind, namespace, name };
  const object = { ref, uid, resourceVersion, digest: digestOf(kind, raw) };
  return wantsLegacy(ref) ? { ...object, legacyDigest: legacyDigestOf(raw) } : object;
}
