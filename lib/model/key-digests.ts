/**
 * Digests of single keys of an object: what is kept of it where workloads follow some of its keys. The digest of any of
 * them together is worked out from these, so that one that begins to be followed later needs no second look at the object.
 */

import { createHash } from 'node:crypto';
import type { Digest } from './digest.ts';
import type { ConfigKind } from './object-ref.ts';
import type { RawConfigObject } from './raw-objects.ts';

/** `/<key>=<27 characters>` for each key, as one text: an object of ten keys has half a kilobyte. */
export type KeyDigests = string;

/** What the keys that some digest is of have in common: nothing else begins so, but by chance. */
const MARK_DIGITS = 8;
const CHARACTERS = 27;

/** The digests of all keys of `raw`. Where a value stands, in `data` or `binaryData`, is part of it, as in digestOf. */
export function keyDigestsOf(kind: ConfigKind, raw: RawConfigObject): KeyDigests {
  const encoding = kind === 'Secret' ? 'base64' : 'utf8';
  return [
    ...Object.entries(raw.data ?? {}).map(([key, value]) => digested(key, 'data', value, encoding)),
    ...Object.entries(raw.binaryData ?? {}).map(([key, value]) =>
      digested(key, 'binaryData', value, 'base64'),
    ),
  ].join('');
}

/**
 * The digest of what stands under `keys`, those included under which nothing does: first a mark of the keys themselves,
 * then as much of a SHA-1 as there is room for, over one part of fixed length per key.
 */
export function scopedDigestOf(digests: KeyDigests, keys: readonly string[]): Digest {
  const parts = keys.map((key) => digestUnder(digests, key) ?? '-'.repeat(CHARACTERS));
  const mark = markOf(keys);
  const content = createHash('sha1').update(parts.join('')).digest('hex');
  return mark + content.slice(mark.length);
}

/** Those of `keys` under which nothing stands. */
export function missingKeysOf(digests: KeyDigests, keys: readonly string[]): readonly string[] {
  return keys.filter((key) => digestUnder(digests, key) === undefined);
}

/** Whether `digest` can be one of `keys`: what a template still carries may be of those that it read before. */
export function isDigestOf(digest: Digest, keys: readonly string[]): boolean {
  return digest.startsWith(markOf(keys));
}

function digested(
  key: string,
  section: 'data' | 'binaryData',
  value: string,
  encoding: 'utf8' | 'base64',
): string {
  const hash = createHash('sha1').update(`${section};`).update(value, encoding);
  return `/${key}=${hash.digest('base64url')}`;
}

/** No key holds a slash or an equals sign, and no digest does. */
function digestUnder(digests: KeyDigests, key: string): string | undefined {
  const head = `/${key}=`;
  const at = digests.indexOf(head);
  return at < 0 ? undefined : digests.slice(at + head.length, at + head.length + CHARACTERS);
}

function markOf(keys: readonly string[]): string {
  return createHash('sha1').update(keys.join()).digest('hex').slice(0, MARK_DIGITS);
}
