/** The digest of a content, and of single keys. */

import { createHash, type Hash } from 'node:crypto';
import { type ConfigKind, SOURCE_KINDS } from './object-ref.ts';
import type { RawConfigObject } from './raw-objects.ts';

/**
 * 40 hex digits under this program's own formula, or `<algorithm>:<hex>` under another one. Two digests are equal only
 * if algorithm and value are.
 */
export type Digest = string;

/** The digest of a missing object, for pods that start without it. */
export const ABSENT: Digest = '-';

/** The algorithms besides this program's own, by the name with which their digests begin. */
const ALGORITHMS: Readonly<Record<string, (raw: RawConfigObject) => string>> = {
  collaborne: collaborneHexOf,
};

/** The algorithm of digests in states without a version. */
export const UNVERSIONED_ALGORITHM = 'collaborne';

/** Whether digests of the algorithm can be computed here. */
export function isAlgorithm(name: string): boolean {
  return Object.hasOwn(ALGORITHMS, name);
}

/** The algorithm that `digest` names; undefined: this program's own. */
export function algorithmOf(digest: Digest): string | undefined {
  const [name, hex] = digest.split(':');
  return hex === undefined ? undefined : name;
}

/** The digest of a content, and its digests under the algorithms that older entries, overrides or stamps name. */
export interface Digests {
  readonly digest?: Digest | undefined;
  /** @default none */
  readonly otherDigests?: readonly Digest[] | undefined;
}

/** `former`, or the digest of the same content under this program's own algorithm if `former` is one under another. */
export function translated<T>(former: Digest | T, { digest, otherDigests = [] }: Digests): Digest | T {
  return digest !== undefined && otherDigests.some((other) => other === former) ? digest : former;
}

/** The digest of `raw` under each of the algorithms. */
export function digestsUnder(algorithms: readonly string[], raw: RawConfigObject): readonly Digest[] {
  return algorithms.flatMap((name) => {
    const hexOf = ALGORITHMS[name];
    return hexOf === undefined ? [] : [`${name}:${hexOf(raw)}`];
  });
}

/**
 * SHA-1 over `data` and `binaryData`: keys sorted by code unit, every key and value preceded by its length in bytes, so
 * that no two contents feed the hash the same input. binaryData and a Secret's values enter as decoded bytes.
 */
export function digestOf(kind: ConfigKind, raw: RawConfigObject): Digest {
  const hash = createHash('sha1');
  const { encoding } = SOURCE_KINDS[kind];
  updateWithSection(hash, 'data', raw.data ?? {}, encoding);
  updateWithSection(hash, 'binaryData', raw.binaryData ?? {}, 'base64');
  return hash.digest('hex');
}

/**
 * The digest of Collaborne's states, which have no version: SHA-1 over `key=value` of `data` alone, joined by nothing, in the
 * order in which JavaScript lists the properties of the parsed JSON; Secrets over the base64 text. Ambiguous, and kept only to
 * compare an old entry under its own formula.
 */
function collaborneHexOf(raw: RawConfigObject): string {
  const hash = createHash('sha1');
  for (const [key, value] of Object.entries(raw.data ?? {})) hash.update(`${key}=${value}`);
  return hash.digest('hex');
}

/** The first hex digits, enough for a person to distinguish two digests. */
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

/** `/<key>=<27 characters>` for each key, as one text: an object of ten keys has half a kilobyte. */
export type KeyDigests = string;

/** Hexadecimal digits at the start of a scoped digest that identify the set of keys. */
const MARK_DIGITS = 8;
const CHARACTERS = 27;

/** The digests of all keys of `raw`. The section of a value, `data` or `binaryData`, is part of its digest, as in digestOf. */
export function keyDigestsOf(kind: ConfigKind, raw: RawConfigObject): KeyDigests {
  const { encoding } = SOURCE_KINDS[kind];
  return [
    ...Object.entries(raw.data ?? {}).map(([key, value]) => digested(key, 'data', value, encoding)),
    ...Object.entries(raw.binaryData ?? {}).map(([key, value]) =>
      digested(key, 'binaryData', value, 'base64'),
    ),
  ].join('');
}

/**
 * The digest of the values under `keys`, missing ones included: first MARK_DIGITS that identify the set of keys,
 * then as many digits of a SHA-1 as fit, over one part of fixed length per key.
 */
export function scopedDigestOf(digests: KeyDigests, keys: readonly string[]): Digest {
  const parts = keys.map((key) => digestUnder(digests, key) ?? '-'.repeat(CHARACTERS));
  const mark = markOf(keys);
  const content = createHash('sha1').update(parts.join('')).digest('hex');
  return mark + content.slice(mark.length);
}

/** Those of `keys` that the object does not have. */
export function missingKeysOf(digests: KeyDigests, keys: readonly string[]): readonly string[] {
  return keys.filter((key) => digestUnder(digests, key) === undefined);
}

/** Whether `digest` can be one of `keys`: a stamp in a template may be of the keys that it read before. */
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

/** The digest of `key`; unambiguous, since neither keys nor digests contain a slash or an equals sign. */
function digestUnder(digests: KeyDigests, key: string): string | undefined {
  const head = `/${key}=`;
  const at = digests.indexOf(head);
  return at < 0 ? undefined : digests.slice(at + head.length, at + head.length + CHARACTERS);
}

function markOf(keys: readonly string[]): string {
  return createHash('sha1').update(keys.join()).digest('hex').slice(0, MARK_DIGITS);
}
