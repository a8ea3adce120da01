/**
 * The shards of the state: one ConfigMap, and further ones for entries that do not fit into it; the mark of a leader on each; and
 * their union.
 */

import { type Entries, STATE_NAMESPACE_ANNOTATION } from './persisted-state.ts';
import type { StateEntry, StateKey } from './state-entry.ts';
import type { Texts } from './text.ts';

/** The maximum number of shards: a Role names each of them. */
export const MOST_SHARDS = 10;

/** A new entry goes to the first shard whose keys and values stay below this size with it, in bytes. */
export const SHARD_BYTES = 262_144;

/**
 * Beyond this size, in bytes of keys and values, a shard accepts no new entry, and one mark for all followers of an object. The API server
 * allows 1 MiB of values, and etcd a request of 1.5 MiB, in which each key stands twice, once in managedFields: with values of at
 * least 16 bytes that is never more than twice this size.
 */
export const FULL_BYTES = 786_432;

/** The annotation of the first shard with the number of shards; without it there is one. */
export const STATE_SHARDS_ANNOTATION = 'reloader.k8s.collaborne.com/state-shards';

/** The names of all shards that the state called `name` may ever have: it, then `<name>-1` to `<name>-9`. */
export function shardNames(name: string): readonly string[] {
  return Array.from({ length: MOST_SHARDS }, (_, shard) => (shard === 0 ? name : `${name}-${shard}`));
}

/** The number of shards by the annotations of the first one: 1 without the annotation, and if it is invalid. */
export function shardsToldBy(annotations: Texts | undefined): number {
  const text = annotations?.[STATE_SHARDS_ANNOTATION] ?? '';
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 1;
  return count >= 1 && count <= MOST_SHARDS ? count : 1;
}

/**
 * Chooses shards for new entries, one after the other: the first with room for the given bytes, else a further one; at the
 * maximum number, the last one, even if it is full. `bytes`: those in each existing shard, in order; `most`: the maximum number now.
 */
export function placerFor(bytes: readonly number[], most: number, limit: number): (bytes: number) => number {
  const filled = [...bytes];
  return (size) => {
    const withRoom = filled.findIndex((used) => used + size <= limit);
    const shard = withRoom >= 0 ? withRoom : Math.min(filled.length, most - 1);
    filled[shard] = (filled[shard] ?? 0) + size;
    return shard;
  };
}

/** The bytes of a shard's keys and values. */
export function sizeOf(data: Texts): number {
  return Object.entries(data).reduce((bytes, [key, value]) => bytes + key.length + value.length, 0);
}

/** The leader that last marked a shard. */
export interface TermMark {
  /** At least 1; 0 if no leader has marked it. */
  readonly term: number;
  /** The identity of the leader. */
  readonly writer: string;
  /** The namespace of its state. @default not written */
  readonly homeNamespace?: string;
}

/** The annotation of a shard with the term of its last writer. */
export const TERM_ANNOTATION = 'reloader.k8s.collaborne.com/term';

/** The annotation of a shard with the identity of its last writer. */
const WRITER_ANNOTATION = 'reloader.k8s.collaborne.com/writer';

/** The highest valid term: any client may write annotations, so a higher one is invented. */
export const LAST_TERM: number = 2 ** 40;

/** Parses the annotations of a shard; an invalid term counts as 0. */
export function markIn(annotations: Texts): TermMark {
  const text = annotations[TERM_ANNOTATION] ?? '';
  const term = /^\d{1,13}$/.test(text) ? Number(text) : 0;
  return { term: term <= LAST_TERM ? term : 0, writer: annotations[WRITER_ANNOTATION] ?? '' };
}

/** The annotations of a mark. */
export function annotationsOf({ term, writer, homeNamespace }: TermMark): Texts {
  return {
    [TERM_ANNOTATION]: String(term),
    [WRITER_ANNOTATION]: writer,
    ...(homeNamespace !== undefined && { [STATE_NAMESPACE_ANNOTATION]: homeNamespace }),
  };
}

/** The term of a new leader, above those of all `marks`. */
export function termAfter(marks: readonly TermMark[]): number {
  const highest = Math.max(0, ...marks.map(({ term }) => term));
  return highest < LAST_TERM ? highest + 1 : 1;
}

/** Whether `found` contests the lead of `own`: it is another process's mark of no earlier term, or a later one of the same process. */
export function contests(found: TermMark, own: TermMark): boolean {
  return found.writer === own.writer ? found.term > own.term : found.term >= own.term;
}

/** The shards, and in `entries` those that count. */
export interface ShardedState {
  readonly entries: Entries;
  /** Each shard, in order; there is always one. */
  readonly shards: readonly Entries[];
  /** The entries that have marks. */
  readonly marked: Entries;
}

/** Merges the shards. Of two entries of one object that of the lower shard counts. */
export function together(shards: readonly Entries[]): ShardedState {
  const entries = new Map<StateKey, StateEntry>();
  const marked = new Map<StateKey, StateEntry>();
  for (const [key, entry] of shards.flatMap((own) => [...own])) {
    if (entries.has(key)) continue;
    entries.set(key, entry);
    if (entry.marks !== undefined) marked.set(key, entry);
  }
  return { shards, entries, marked };
}

/** A state without entries. */
export const NO_STATE: ShardedState = together([new Map()]);
