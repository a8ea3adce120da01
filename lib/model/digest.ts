/** The digest of a content, and of single keys. */

import { createHash, hash } from 'node:crypto';
import { type ConfigRef, SOURCE_KINDS } from './object-ref.ts';
import type { RawConfigObject } from './raw-objects.ts';

/**
 * `<algorithm>:<40 hex digits>`, without the algorithm if it is SHA-1. Two digests are equal only if algorithm and value are, so
 * contents are compared under one algorithm.
 */
export type Digest = string;

/** The digest of a missing object, for pods that start without it. */
export const ABSENT: Digest = '-';

/** `sha1`, `collaborne`, or the id of a key. */
export type AlgorithmName = string;

/** One way to digest the content of an object. */
export interface Algorithm {
  readonly name: AlgorithmName;
  readonly digestOf: (ref: ConfigRef, raw: RawConfigObject) => Digest;
  /** The digests of single keys. @default such digests do not exist under this algorithm */
  readonly keyDigestsOf?: (ref: ConfigRef, raw: RawConfigObject) => KeyDigests;
}

/** The algorithms that this process knows. */
export interface Algorithms {
  /** The algorithm of every digest that this process writes; constant. */
  readonly own: Algorithm;
  /** The algorithm of that name; undefined if it is not known, e.g. because its key is lost. */
  readonly named: (name: AlgorithmName) => Algorithm | undefined;
  /** The keys, under any of which an earlier process may have stamped a workload. */
  readonly keys: readonly AlgorithmName[];
}

/** The bytes of a hash over a content of `ref`. */
type HashOf = (ref: ConfigRef, content: Uint8Array) => Buffer;

/**
 * The plain SHA-1 of the framed content: keys sorted by code unit, every key and value preceded by its length in bytes, so that
 * no two contents feed the hash the same input. binaryData and a Secret's values enter as decoded bytes.
 */
export const SHA1: Algorithm = framed('sha1', (_ref, content) => hash('sha1', content, 'buffer'));

/**
 * The algorithm of Collaborne's entries: SHA-1 over `key=value` of `data` alone, joined by nothing, in the
 * order in which JavaScript lists the properties of the parsed JSON; Secrets over the base64 text. Ambiguous, and kept only to
 * compare an old entry under its own algorithm.
 */
export const COLLABORNE: Algorithm = {
  name: 'collaborne',
  digestOf: (_ref, raw) => {
    const hash = createHash('sha1');
    for (const [key, value] of Object.entries(raw.data ?? {})) hash.update(`${key}=${value}`);
    return `collaborne:${hash.digest('hex')}`;
  },
};

/** The bytes of a digest. */
const BYTES = 20;

/**
 * HMAC-SHA-256 over the framed content, cut to 160 bits, under a key of each object: without `key` a digest tells nothing of a
 * content that can be guessed, and equal contents of two objects do not show. `id` names the key.
 */
export function keyedAlgorithm(id: AlgorithmName, key: Uint8Array): Algorithm {
  const hashOf: HashOf = ({ kind, namespace, name }, content) =>
    hmacSha256(hmacSha256(key, Buffer.from(`${kind}\0${namespace}\0${name}`)), content);
  return framed(id, hashOf, `${id}:`);
}

/**
 * HMAC-SHA-256 for keys of 32 bytes, made of two plain hashes as RFC 2104 defines it: that of node:crypto takes five times as long
 * for a short text, and a start digests every object.
 */
function hmacSha256(key: Uint8Array, content: Uint8Array): Buffer {
  const inner = hash('sha256', Buffer.concat([padded(key, 0x36), content]), 'buffer');
  return hash('sha256', Buffer.concat([padded(key, 0x5c), inner]), 'buffer');
}

/** The block of 64 bytes with which a key enters: followed by zeros, each byte combined with `pad`. */
function padded(key: Uint8Array, pad: number): Buffer {
  const block = Buffer.alloc(64, pad);
  for (let at = 0; at < key.length; at += 1) block[at] = (key[at] ?? 0) ^ pad;
  return block;
}

/** The algorithms without keys. */
export const UNKEYED: Algorithms = {
  own: SHA1,
  named: (name) => [SHA1, COLLABORNE].find((algorithm) => algorithm.name === name),
  keys: [],
};

/** The algorithm of a digest; undefined for that of a missing object and for an unknown one. */
export function algorithmOf(digest: Digest | undefined): AlgorithmName | undefined {
  if (digest === undefined || digest.length < 2 * BYTES) return undefined;
  const end = digest.indexOf(':');
  return end < 0 ? SHA1.name : digest.slice(0, end);
}

/** The digest of a content, and its digests under the algorithms that older entries or stamps name. */
export interface Digests {
  readonly digest?: Digest | undefined;
  /** @default none */
  readonly otherDigests?: readonly Digest[] | undefined;
}

/** `former`, or the digest of the same content under this process's own algorithm if `former` is one under another. */
export function translated<T>(former: Digest | T, { digest, otherDigests = [] }: Digests): Digest | T {
  return digest !== undefined && otherDigests.some((other) => other === former) ? digest : former;
}

/** Whether it is the digest of the present content, under this process's own algorithm or another one. */
export function isOfContent(former: Digest | undefined, content: Digests): boolean {
  return content.digest !== undefined && translated(former, content) === content.digest;
}

/** `prefix`: that of the digests; empty for SHA-1, under which a key does not enter the digest of its value. */
function framed(name: AlgorithmName, hashOf: HashOf, prefix = ''): Algorithm {
  const digestOf: Algorithm['digestOf'] = (ref, raw) => {
    const data = sectionOf('data', raw.data ?? {}, SOURCE_KINDS[ref.kind].encoding);
    const content = Buffer.concat([...data, ...sectionOf('binaryData', raw.binaryData ?? {}, 'base64')]);
    // By join(), as in `keyOf`: a sum of strings is a rope of its parts, and each object keeps one.
    return [prefix, hashOf(ref, content).toString('hex', 0, BYTES)].join('');
  };
  const keyDigestsOf: Algorithm['keyDigestsOf'] = (ref, raw) => {
    const digested = (section: string, values: RawConfigObject['data'], encoding: Encoding): string[] =>
      Object.entries(values ?? {}).map(([key, value]) => {
        const head = prefix === '' ? `${section};` : `${section};${key};`;
        const digest = hashOf(ref, Buffer.concat([Buffer.from(head), Buffer.from(value, encoding)]));
        return `/${key}=${digest.toString('base64url', 0, BYTES)}`;
      });
    const data = digested('data', raw.data, SOURCE_KINDS[ref.kind].encoding);
    return [prefix, ...data, ...digested('binaryData', raw.binaryData, 'base64')].join('');
  };
  return { name, digestOf, keyDigestsOf };
}

type Encoding = 'utf8' | 'base64';

/** The first hex digits of the content, enough for a person to distinguish two digests; `keys`: those that the digest is of. */
export function shortDigest(digest: Digest, keys?: ConfigRef['keys']): string {
  const hex = digest.slice(digest.indexOf(':') + 1);
  const begin = keys === undefined ? 0 : MARK_DIGITS;
  return hex.length > 4 ? `${hex.slice(begin, begin + 4)}…` : hex;
}

function sectionOf(name: string, values: Readonly<Record<string, string>>, encoding: Encoding): Buffer[] {
  const keys = Object.keys(values).sort();
  const parts = keys.flatMap((key) => {
    const value = Buffer.from(values[key] ?? '', encoding);
    return [Buffer.from(`${Buffer.byteLength(key)}:${key}${value.length}:`), value];
  });
  return [Buffer.from(`${name}:${keys.length};`), ...parts];
}

/**
 * `/<key>=<27 characters>` for each key, as one text: an object of ten keys has half a kilobyte. It begins with the algorithm as a
 * digest does. Under further algorithms, such texts follow on lines of their own.
 */
export type KeyDigests = string;

/** Hexadecimal digits at the start of a scoped digest that identify the set of keys. */
const MARK_DIGITS = 8;
const CHARACTERS = 27;

/**
 * The digests of the values under `keys`, missing ones included: first MARK_DIGITS that identify the set of keys,
 * then as many digits of a SHA-1 as fit, over one part of fixed length per key.
 */
export function scopedDigestsOf(digests: KeyDigests, keys: readonly string[]): Digests & { digest: Digest } {
  const [digest = '', ...others] = digests.split('\n').map((each) => scopedDigestOf(each, keys));
  return others.length === 0 ? { digest } : { digest, otherDigests: others };
}

function scopedDigestOf(digests: KeyDigests, keys: readonly string[]): Digest {
  const parts = keys.map((key) => digestUnder(digests, key) ?? '-'.repeat(CHARACTERS));
  const mark = markOf(keys);
  const content = createHash('sha1').update(parts.join('')).digest('hex');
  const prefix = /^[^/]*/.exec(digests)?.[0] ?? '';
  return [prefix, mark, content.slice(mark.length)].join('');
}

/** Whether `digest` can be one of `keys`: a stamp in a template may be of the keys that it read before. */
export function isDigestOf(digest: Digest, keys: readonly string[]): boolean {
  return digest.startsWith(markOf(keys), digest.indexOf(':') + 1);
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
