/**
 * The grammar of the state: its keys and entries. One entry is, for example,
 *
 *     v1.ConfigMap_web: k41c0d9ee:5e64….1!0a0b=shop/Deployment/web?Deployment/api?StatefulSet/db=1764256789123007
 *
 * the digest, what halted this content, a follower whose pods may run anything, and one that our rollout with this id replaces.
 */

import { createHash } from 'node:crypto';
import { type AlgorithmName, algorithmOf, COLLABORNE, type Digest } from './digest.ts';
import { type Mark, UNKNOWN } from './edge.ts';
import { type ConfigRef, configKindOf, type ObjectKey, type WorkloadRef } from './object-ref.ts';
import { NUMBER } from './stamp.ts';
import type { Texts } from './text.ts';

/** A key in the data of a state ConfigMap. */
export type StateKey = string;

/** The record of one object. */
export interface StateEntry {
  /** Undefined if it is under an algorithm that is not known: then the content first observed is the baseline. */
  readonly digest: Digest | undefined;
  /** What halted the content of this digest, the oldest first. @default nothing */
  readonly halts?: readonly Halt[];
  /** The followers whose pods may run something else than `digest`. @default none */
  readonly marks?: Marks;
}

/** A workload did not get ready with a content: no further one is rolled for it before a person lets it go on. The reason is not written. */
export interface Halt {
  /** What a person has to repeat; random. */
  readonly token: string;
  readonly workload: ObjectKey;
  readonly reason?: string;
}

/** In the place of a workload: no follower can show whether the content is good. */
export const NO_FOLLOWER = '-';

/** A content is halted so often at most: who lets it go on each time gets the rest without a further halt. */
export const MOST_HALTS = 10;

/** By follower, as `<Kind>/<name>`: it has the namespace of the object. */
export type Marks = ReadonlyMap<string, Mark>;

/** In the place of a follower: where single marks have no room, one stands for all followers. */
export const EVERY_FOLLOWER = '*';

/** The name of a follower in the marks of an object. */
export function markKeyOf({ kind, name }: WorkloadRef): string {
  return `${kind}/${name}`;
}

/** The mark of a follower. */
export function markOfFollower({ marks }: StateEntry, workload: WorkloadRef): Mark | undefined {
  return marks?.get(markKeyOf(workload)) ?? marks?.get(EVERY_FOLLOWER);
}

/** The workload that a mark names; undefined for EVERY_FOLLOWER. */
export function followerOf(markKey: string, namespace: string): WorkloadRef | undefined {
  const [kind = '', name] = markKey.split('/');
  return name === undefined ? undefined : { kind, namespace, name };
}

/** The maximum length of a key in a ConfigMap. */
export const LONGEST_KEY = 253;
const OURS = /^(?:(?<namespace>[a-z0-9-]+)_)?v1\.[A-Za-z]+_./;
const ENTRY_KEY = /^(?:(?<namespace>[a-z0-9-]+)_)?v1\.(?<kind>[A-Za-z]+)_(?<name>[^_]+)(?:_(?<keys>.+))?$/;
const ENTRY = new RegExp(
  `^(?:(?<bare>[0-9a-f]{40})|(?<digest>(?:[a-z0-9]+:)?[0-9a-f]{40}|-)\\.${NUMBER}(?<halts>(?:![0-9a-f]+=[^!=?]+)*)(?<marks>\\?.*)?)$`,
);

/**
 * The key of an object's entry: `v1.ConfigMap_<name>`, with the prefix `<namespace>_` outside `homeNamespace`. For some keys
 * of it, `_` and the keys follow, with `_.` between them and each underscore doubled. Neither namespaces nor names contain an
 * underscore, so it is injective; a key over 253 characters ends in an underscore and a digest of itself.
 */
export function entryKeyOf({ kind, namespace, name, keys }: ConfigRef, homeNamespace: string): StateKey {
  const whole = `${namespace === homeNamespace ? '' : `${namespace}_`}v1.${kind}_${name}`;
  return bounded(
    keys === undefined ? whole : `${whole}_${keys.map((key) => key.replaceAll('_', '__')).join('_.')}`,
  );
}

/** The namespace of the object whose entry has `key`; undefined for a key that is not ours. */
export function namespaceIn(key: StateKey, homeNamespace: string): string | undefined {
  const groups = OURS.exec(key)?.groups;
  return groups && (groups['namespace'] ?? homeNamespace);
}

/** The object, or the keys of one, whose entry has `key`; undefined for another key, and for one that ends in a digest. */
export function configRefOf(key: StateKey, homeNamespace: string): ConfigRef | undefined {
  const groups = ENTRY_KEY.exec(key)?.groups;
  const { name, keys, namespace = homeNamespace } = groups ?? {};
  const kind = configKindOf(groups?.['kind']);
  if (kind === undefined || name === undefined) return undefined;
  if (keys === undefined) return { kind, name, namespace };
  // The key may end in a digest of a longer one.
  return key.length >= LONGEST_KEY ? undefined : { kind, name, namespace, keys: keysIn(keys) };
}

/** Splits left to right: a single underscore occurs only before the dot between two keys. */
function keysIn(text: string): readonly string[] {
  const between = text.replaceAll(/__|_\./g, (found) => (found === '__' ? '_' : ','));
  return between.split(',');
}

/**
 * Parses an entry: `[<algorithm>:]<digest>.<number>[!<token>=<workload>…][?<follower>[=<id>]…]`; the number means nothing. A bare digest
 * is Collaborne's, under its own algorithm. Undefined for any other text.
 */
export function parseEntry(value: string, knows: Knows): StateEntry | undefined {
  const groups = ENTRY.exec(value)?.groups;
  if (groups === undefined) return undefined;
  const { bare, digest = `${COLLABORNE.name}:${bare}`, halts = '', marks = '' } = groups;
  const named = algorithmOf(digest);
  return {
    digest: named === undefined || knows(named) ? digest : undefined,
    ...haltsIn(halts),
    ...marksIn(marks),
  };
}

/** Whether contents can be digested under an algorithm. */
export type Knows = (algorithm: AlgorithmName) => boolean;

/** The algorithms that values of the state, or stamps, name in their texts. */
export function algorithmsNamedIn(values: Iterable<string>): ReadonlySet<AlgorithmName> {
  return new Set(
    [...values].flatMap((value) =>
      [...value.matchAll(NAMED)].flatMap(({ groups }) => groups?.['name'] ?? []),
    ),
  );
}

/** The algorithms that the values name and that are not known: their keys are lost. */
export function unknownAlgorithms(data: Texts, knows: Knows): readonly AlgorithmName[] {
  return [...algorithmsNamedIn(Object.values(data))].filter((name) => !knows(name));
}

const NAMED = /\b(?<name>[a-z0-9]{1,20}):[0-9a-f]{40}/g;

/** The text of `entry`: the number tells it from a bare digest; marks are sorted. */
export function formatEntry({ digest, halts = [], marks }: StateEntry): string {
  const lines = [...(marks ?? [])].map(
    ([key, mark]) => `?${key}${mark === UNKNOWN ? '' : `=${mark.slice(1)}`}`,
  );
  return [
    `${digest}.1`,
    ...halts.map(({ token, workload }) => `!${token}=${workload}`),
    ...lines.sort(),
  ].join('');
}

/** The entry without its marks. */
export function withoutMarks({ digest, halts }: StateEntry): StateEntry {
  return halts === undefined ? { digest } : { digest, halts };
}

/** Whether both are equal, or both undefined. */
export function sameEntry(a: StateEntry | undefined, b: StateEntry | undefined): boolean {
  return (a && formatEntry(a)) === (b && formatEntry(b));
}

/** Most entries have none. */
function haltsIn(text: string): Pick<StateEntry, 'halts'> {
  if (text === '') return {};
  const halts = text
    .slice(1)
    .split('!')
    .map((halt) => halt.split('='));
  return { halts: halts.map(([token = '', workload = '']) => ({ token, workload })) };
}

const ID = new RegExp(`^${NUMBER}$`);

/** A mark whose id is none is a doubt. */
function marksIn(text: string): Pick<StateEntry, 'marks'> {
  if (text === '') return {};
  const marks = text
    .slice(1)
    .split('?')
    .map((mark) => mark.split('='))
    .map(([key = '', id = '']): [string, Mark] => [key, ID.test(id) ? `?${Number(id)}` : UNKNOWN]);
  return { marks: new Map(marks) };
}

function bounded(key: string): StateKey {
  if (key.length <= LONGEST_KEY) return key;
  const digest = createHash('sha1').update(key).digest('hex');
  return `${key.slice(0, LONGEST_KEY - digest.length - 1)}_${digest}`;
}
