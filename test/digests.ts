/** The digests of contents without a key, as most tests compare them. */

import { COLLABORNE, type KeyDigests, SHA1, scopedDigestsOf } from '../lib/model/digest.ts';
import type { ConfigKind } from '../lib/model/object-ref.ts';
import type { RawConfigObject } from '../lib/model/raw-objects.ts';

/** A digest under a key, as a pattern: the id of the key and 40 digits. */
export const KEYED = 'k[0-9a-f]{8}:[0-9a-f]{40}';

/** The SHA-1 of the content. */
export function digestOf(kind: ConfigKind, raw: RawConfigObject): string {
  return SHA1.digestOf({ kind, namespace: '', name: raw.metadata.name }, raw);
}

/** The digest under the algorithm of Collaborne's states. */
export function collaborneDigestOf(raw: RawConfigObject): string {
  return COLLABORNE.digestOf({ kind: 'ConfigMap', namespace: '', name: '' }, raw);
}

/** The SHA-1 of each value. */
export function keyDigestsOf(kind: ConfigKind, raw: RawConfigObject): KeyDigests {
  return SHA1.keyDigestsOf?.({ kind, namespace: '', name: raw.metadata.name }, raw) ?? '';
}

/** The digest of some keys. */
export function scopedDigestOf(digests: KeyDigests, keys: readonly string[]): string {
  return scopedDigestsOf(digests, keys).digest;
}
