/** `reloader state show`: the persisted state in words. */

import type { RecordedDigest } from '../../model/edge.ts';
import { describe, workloadRefIn } from '../../model/object-ref.ts';
import { kindScopeOf, STATE_VERSION_ANNOTATION } from '../../model/persisted-state.ts';
import { markIn, sizeOf } from '../../model/shards.ts';
import {
  configRefOf,
  entryKeyBeside,
  type StateEntry,
  type StateKey,
  workloadRefOf,
} from '../../model/state-entry.ts';
import type { Paint } from '../terminal.ts';
import { digestText, namedBy, namespaceOfKey, type StoredPart, type StoredState } from './stored-state.ts';

/** One ConfigMap of the state. */
interface ShownPart {
  readonly configMap: string;
  /** Of its format; absent if the ConfigMap does not exist, or was written by an older program. */
  readonly version?: string | undefined;
  readonly bytes: number;
  /** RFC 3339. */
  readonly lastWrite?: string | undefined;
  /** The leader that wrote it last. */
  readonly writer: string;
  readonly unreadable: readonly StateKey[];
}

/** The content of one object up to which every change was rolled out, or is noted below. */
interface ShownEntry {
  readonly object: string;
  readonly namespace: string;
  readonly digest: string;
  readonly sequence: number;
  /** The workloads that did not get ready with it, and what lets it go on. */
  readonly halts: readonly { readonly workload: string; readonly token: string }[];
}

/** Workloads that run something else than the entry of an object. */
interface ShownOverride {
  readonly workload: string;
  readonly namespace: string;
  readonly runs: readonly { readonly object: string; readonly content: string }[];
}

/** The answer. */
export interface ShownState {
  readonly namespace: string;
  readonly parts: readonly ShownPart[];
  readonly entries: readonly ShownEntry[];
  readonly overrides: readonly ShownOverride[];
}

/** Which part of the state is wanted, by the key of an entry. */
export type KeyFilter = (entry: StateKey) => boolean;

/** The state in words: the entries that are wanted, and the workloads that run something else. */
export function shownState({ home, parts, all }: StoredState, isWanted: KeyFilter): ShownState {
  const entries = [...all.entries].filter(([key]) => isWanted(key));
  return {
    namespace: home,
    parts: parts.map(partOf),
    entries: entries.map(([key, entry]) => entryOf(key, entry, home)).sort(byName(({ object }) => object)),
    overrides: [...all.overrides]
      .map(([key, overrides]) => overrideOf(key, overrides, home, isWanted))
      .filter(({ runs }) => runs.length > 0)
      .sort(byName(({ workload }) => workload)),
  };
}

function partOf({ name, version, unreadable }: StoredPart): ShownPart {
  const { lastWrite, annotations = {}, data = {} } = version ?? {};
  return {
    configMap: name,
    version: annotations[STATE_VERSION_ANNOTATION],
    bytes: sizeOf(data),
    lastWrite: lastWrite === undefined ? undefined : new Date(lastWrite * 1000).toISOString(),
    writer: markIn(annotations).writer,
    unreadable,
  };
}

function entryOf(key: StateKey, { digest, sequence, halts = [] }: StateEntry, home: string): ShownEntry {
  return {
    object: namedBy(configRefOf(key, home), key),
    namespace: namespaceOfKey(key, home),
    digest: digestText(digest),
    sequence,
    halts: halts.map(({ workload, token }) => ({ workload: describe(workloadRefIn(workload)), token })),
  };
}

function overrideOf(
  key: StateKey,
  overrides: Readonly<Record<StateKey, RecordedDigest>>,
  home: string,
  isWanted: KeyFilter,
): ShownOverride {
  const scope = kindScopeOf(key, home);
  const ofKind = scope && `every ${scope.kind}${scope.namespace === undefined ? ' of all namespaces' : ''}`;
  return {
    workload: ofKind ?? namedBy(workloadRefOf(key, home), key),
    namespace: namespaceOfKey(key, home),
    runs: Object.entries(overrides)
      .map(([local, recorded]) => [entryKeyBeside(key, local, home), recorded] as const)
      .filter(([entry]) => isWanted(entry))
      .map(([entry, recorded]) => ({
        object: namedBy(configRefOf(entry, home), entry),
        content: recordedText(recorded),
      })),
  };
}

function recordedText(recorded: RecordedDigest): string {
  const [, sequence] = /^\?(\d*)$/.exec(recorded) ?? [];
  if (sequence === undefined) return digestText(recorded);
  return sequence === '' ? 'unknown' : `that of its stamp ${sequence}, while its template has it`;
}

function byName<T extends { readonly namespace: string }>(nameOf: (row: T) => string) {
  return (one: T, other: T): number =>
    one.namespace.localeCompare(other.namespace) || nameOf(one).localeCompare(nameOf(other));
}

/** The answer for people. */
export function shownStateText({ namespace, parts, entries, overrides }: ShownState, paint: Paint): string {
  const listed = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [paint('bold', title), ...lines];
  return [
    ...parts.map((part) => partText(part, namespace)),
    ...listed(
      'Committed contents',
      entries.flatMap(({ object, namespace: where, digest, sequence, halts }) => [
        `  ${object} in ${where}: ${digest}, sequence ${sequence}`,
        ...halts.map(
          ({ workload, token }) => `    ${paint('red', 'halted')} by ${workload}; resume: ${token}`,
        ),
      ]),
    ),
    ...(entries.length === 0 ? ['No entry.'] : []),
    ...listed(
      'Workloads that run something else',
      overrides.flatMap(({ workload, namespace: where, runs }) => [
        `  ${workload} in ${where}`,
        ...runs.map(({ object, content }) => `    ${object}: ${paint('yellow', content)}`),
      ]),
    ),
    '',
  ].join('\n');
}

function partText(
  { configMap, version, bytes, lastWrite, writer, unreadable }: ShownPart,
  where: string,
): string {
  const facts = [
    version === undefined ? 'without a version' : `version ${version}`,
    `${bytes} bytes`,
    ...(lastWrite === undefined ? [] : [`last written ${lastWrite}`]),
    ...(writer === '' ? [] : [`by ${writer}`]),
    ...(unreadable.length === 0 ? [] : [`not readable: ${unreadable.join(', ')}`]),
  ];
  return `ConfigMap/${configMap} in ${where}: ${facts.join(', ')}`;
}
