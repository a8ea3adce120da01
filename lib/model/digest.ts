/** The digest of a ConfigMap's or Secret's content: a change detector, not a signature, and all that is kept of it. */

import { createHash, type Hash } from 'node:crypto';
import type { ConfigKind } from './object-ref.ts';
import type { RawConfigObject } from './raw-objects.ts';

/**
 * 40 hex digits under this program's own formula, or `<algorithm>:<hex>` under another one. Two digests are equal only
 * if algorithm and value are.
 */
export type Digest = string;

/** Stands for the digest of an object that is not there, where that is something that pods can have read. */
export const ABSENT: Digest = '-';

/** The algorithm of digests that were kept before states carried a version. */
export const LEGACY_ALGORITHM = 'collaborne';

/**
 * SHA-1 over `data` and `binaryData`: keys sorted by code unit, every key and value preceded by its length in bytes, so
 * that no two contents feed the hash the same input. binaryData and a Secret's values enter as decoded bytes.
 */
export function digestOf(kind: ConfigKind, raw: RawConfigObject): Digest {
  const hash = createHash('sha1');
  const encoding = kind === 'Secret' ? 'base64' : 'utf8';
  updateWithSection(hash, 'data', raw.data ?? {}, encoding);
  updateWithSection(hash, 'binaryData', raw.binaryData ?? {}, 'base64');
  return hash.digest('hex');
}

/**
 * The digest of states without a version: SHA-1 over `key=value` of `data` alone, joined by nothing, in the order in
 * which JavaScript lists the properties of the parsed JSON; Secrets over the base64 text. Ambiguous, and kept only to
 * compare an old entry under its own formula.
 */
export function legacyDigestOf(raw: RawConfigObject): Digest {
  const hash = createHash('sha1');
  for (const [key, value] of Object.entries(raw.data ?? {})) hash.update(`${key}=${value}`);
  return `${LEGACY_ALGORITHM}:${hash.digest('hex')}`;
}

/** The first hex digits, enough for a person to tell two digests apart. */
export function shortDigest(digest: Digest): string {
  const hex = digest.slice(digest.indexOf(':') + 1);
  return hex.length > 4 ? `${hex.slice(0, 4)}…` : hex;
}

function updateWithSection(
  hash: Hash,
  name: string,
  values: Readonly<Record<string, string>>,
  encoding: 'utf8' | 'base64',
): void {
  const keys = Object.keys(values).sort();
  hash.update(`${name}:${keys.length};`);
  for (const key of keys) {
    const value = values[key] ?? '';
    const bytes = Buffer.byteLength(value, encoding);
    hash.update(`${Buffer.byteLength(key)}:${key}${bytes}:`).update(value, encoding);
  }
}
