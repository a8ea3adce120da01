/** The grammar of the state: its keys, entries and overrides. */

import { createHash } from 'node:crypto';
import { type AlgorithmName, algorithmOf, COLLABORNE, type Digest } from './digest.ts';
import { type Mark, UNKNOWN } from './edge.ts';
import { type ConfigRef, configKindOf, type ObjectKey, type WorkloadRef } from './object-ref.ts';
import { NUMBER } from './stamp.ts';

/** A key in the data of a state ConfigMap. */
export type StateKey = string;

/** The committed digest of one object. */
export interface StateEntry {
  /** Undefined if it is under an algorithm that is not known: then the content first observed is the baseline. */
  readonly digest: Digest | undefined;
  /** What halted the content of this digest, the oldest first. @default nothing */
  readonly halts?: readonly Halt[];
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

/** The marks of one workload, by entry key without namespace. */
export type Overrides = Readonly<Record<StateKey, Mark>>;

const LONGEST_KEY = 253;
/** The kind of a workload in a key, as a pattern: that of a custom resource is `<plural>.<group>`. */
const KIND_IN_KEY = '[A-Za-z][A-Za-z0-9.-]*';
const PARTS = new RegExp(
  `^(?:(?<namespace>[a-z0-9-]+)_)?(?:v1\\.(?<source>[A-Za-z]+)|ran\\.(?<workload>${KIND_IN_KEY}))_.`,
);
const OVERRIDES_KEY = new RegExp(
  `^(?:(?<namespace>[a-z0-9-]+)_)?ran\\.(?<kind>${KIND_IN_KEY})_(?<name>[^_]+)$`,
);
const ENTRY_KEY = /^(?:(?<namespace>[a-z0-9-]+)_)?v1\.(?<kind>[A-Za-z]+)_(?<name>[^_]+)(?:_(?<keys>.+))?$/;
const ENTRY = new RegExp(
  `^(?:(?<bare>[0-9a-f]{40})|(?<digest>(?:[a-z0-9]+:)?[0-9a-f]{40}|-)\\.${NUMBER}(?<halts>(?:![0-9a-f]+=[^!=]+)*))$`,
);

/**
 * The key of an object's entry: `v1.ConfigMap_<name>`, with the prefix `<namespace>_` outside `homeNamespace`. For some keys
 * of it, `_` and the keys follow, with `_.` between them and each underscore doubled. Neither namespaces nor names contain an
 * underscore, so it is injective; a key over 253 characters ends in an underscore and a digest of itself.
 */
export function entryKeyOf(ref: ConfigRef, homeNamespace: string): StateKey {
  return bounded(prefix(ref.namespace, homeNamespace) + localEntryKeyOf(ref));
}

/** The key of an object's entry without a namespace; in overrides, since a workload follows objects of its own namespace. */
export function localEntryKeyOf(ref: ConfigRef): StateKey {
  const whole = `v1.${ref.kind}_${ref.name}`;
  return bounded(
    ref.keys === undefined
      ? whole
      : `${whole}_${ref.keys.map((key) => key.replaceAll('_', '__')).join('_.')}`,
  );
}

/** The key of a workload's overrides: `ran.<Kind>_<name>`, with the prefix `<namespace>_` outside `homeNamespace`. */
export function overridesKeyOf(ref: WorkloadRef, homeNamespace: string): StateKey {
  return bounded(`${prefix(ref.namespace, homeNamespace)}ran.${ref.kind}_${ref.name}`);
}

/** The key of the entry to which `local`, the key of an object in the overrides under `workload`, belongs. */
export function entryKeyBeside(workload: StateKey, local: StateKey, homeNamespace: string): StateKey {
  const { namespace = homeNamespace } = parseStateKey(workload, homeNamespace) ?? {};
  return bounded(prefix(namespace, homeNamespace) + local);
}

/** The type, kind and namespace of a key of the state; undefined for a key that is not ours. */
export function parseStateKey(
  key: StateKey,
  homeNamespace: string,
): { readonly type: 'entry' | 'overrides'; readonly kind: string; readonly namespace: string } | undefined {
  const { namespace = homeNamespace, source, workload } = PARTS.exec(key)?.groups ?? {};
  if (source !== undefined) return { type: 'entry', kind: source, namespace };
  return workload === undefined ? undefined : { type: 'overrides', kind: workload, namespace };
}

/** The workload whose overrides have `key`; undefined for another key, and for one that ends in a digest. */
export function workloadRefOf(key: StateKey, homeNamespace: string): WorkloadRef | undefined {
  const { namespace = homeNamespace, kind, name } = OVERRIDES_KEY.exec(key)?.groups ?? {};
  return kind === undefined || name === undefined ? undefined : { kind, namespace, name };
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
 * Parses an entry: `[<algorithm>:]<digest>.<number>[!<token>=<workload>…]`; the number means nothing. A bare digest is Collaborne's,
 * under its own algorithm. Undefined for any other text.
 */
export function parseEntry(value: string, knows: Knows): StateEntry | undefined {
  const groups = ENTRY.exec(value)?.groups;
  if (groups === undefined) return undefined;
  const { bare, digest = `${COLLABORNE.name}:${bare}`, halts = '' } = groups;
  const named = algorithmOf(digest);
  return { digest: named === undefined || knows(named) ? digest : undefined, ...haltsIn(halts) };
}

const MARK_OF_STAMP = new RegExp(`^\\?${NUMBER}$`);

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

const NAMED = /\b(?<name>[a-z0-9]{1,20}):[0-9a-f]{40}/g;

/** The text of `entry`: `<digest>.1`, where the number tells it from a bare digest, and for each halt `!<token>=<workload>`. */
export function formatEntry({ digest, halts = [] }: StateEntry): string {
  return [`${digest}.1`, ...halts.map(({ token, workload }) => `${token}=${workload}`)].join('!');
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

/** Parses overrides; undefined if `value` is invalid. Any text of a mark that is not of a stamp is a doubt. */
export function parseOverrides(value: string): Overrides | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    return undefined; // the caller, which knows the key, reports it
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  const marks = Object.entries(parsed).map(([key, mark]): [StateKey, Mark] => {
    return [key, MARK_OF_STAMP.test(String(mark)) ? (mark as Mark) : UNKNOWN];
  });
  return Object.fromEntries(marks);
}

/** The text of `overrides`, keys sorted; undefined if there are none, so that the key is removed. */
export function formatOverrides(overrides: Overrides): string | undefined {
  const keys = Object.keys(overrides).sort();
  if (keys.length === 0) return undefined;
  return JSON.stringify(Object.fromEntries(keys.map((key) => [key, overrides[key]])));
}

function prefix(namespace: string, homeNamespace: string): string {
  return namespace === homeNamespace ? '' : `${namespace}_`;
}

function bounded(key: string): StateKey {
  if (key.length <= LONGEST_KEY) return key;
  const digest = createHash('sha1').update(key).digest('hex');
  return `${key.slice(0, LONGEST_KEY - digest.length - 1)}_${digest}`;
}
