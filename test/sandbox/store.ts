/** All objects of a sandbox, one counter of versions, and the history that watches and old snapshots are served from. */

import type { ResourceRow } from './resource-table.ts';
import { type VersionCodec, type VersionStyle, versionCodec } from './resource-versions.ts';
import { keyOfObject, type StoredObject } from './stored-object.ts';

/** One write. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The counter's value for this write. */
  readonly sequence: number;
  readonly key: string;
  /** The object after the write; for DELETED its last state under the version of the deletion. */
  readonly object: StoredObject;
  readonly previous: StoredObject | undefined;
}

/** Called synchronously after each write. Must not write itself. */
export type ChangeListener = (row: ResourceRow, change: Change) => void;

/** How many writes of one kind are remembered; older ones expire, as from a full watch cache. */
const HISTORY = 20_000;

interface Collection {
  readonly objects: Map<string, StoredObject>;
  /** The writes after `floor`, oldest first. */
  log: Change[];
  floor: number;
  /** The keys in order; undefined after a create or a delete. */
  sorted: readonly string[] | undefined;
}

/** The store. Objects handed in are kept as they are and must never be changed afterwards. */
export class Store {
  readonly #codec: VersionCodec;
  readonly #collections = new Map<ResourceRow, Collection>();
  readonly #listeners: ChangeListener[] = [];
  #sequence = 0;
  #compacted = 0;
  #uids = 0;

  constructor(style: VersionStyle) {
    this.#codec = versionCodec(style);
  }

  /** The number of writes so far. */
  get sequence(): number {
    return this.#sequence;
  }

  /** A uid that no other object of this store has. */
  newUid(): string {
    this.#uids += 1;
    return `00000000-0000-4000-8000-${String(this.#uids).padStart(12, '0')}`;
  }

  /** `sequence` as clients see it on this kind. */
  versionOf(row: ResourceRow, sequence: number): string {
    return this.#codec.encode(row, sequence);
  }

  /** The counter's value behind a resourceVersion; undefined for what this store never gave out. */
  sequenceOf(row: ResourceRow, resourceVersion: string): number | undefined {
    return this.#codec.decode(row, resourceVersion);
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  get(row: ResourceRow, key: string): StoredObject | undefined {
    return this.#collection(row).objects.get(key);
  }

  /** The kinds that were ever stored or read. */
  get rows(): readonly ResourceRow[] {
    return [...this.#collections.keys()];
  }

  /** All objects of a kind, in the order of their keys. */
  all(row: ResourceRow): readonly StoredObject[] {
    const collection = this.#collection(row);
    collection.sorted ??= [...collection.objects.keys()].sort();
    return collection.sorted.flatMap((key) => collection.objects.get(key) ?? []);
  }

  /** All objects of a kind as they were after write number `sequence`, or at the oldest time still known. */
  allAt(row: ResourceRow, sequence: number): readonly StoredObject[] {
    const { objects, log } = this.#collection(row);
    if ((log.at(-1)?.sequence ?? 0) <= sequence) return this.all(row);
    const past = new Map(objects);
    for (const change of log.toReversed()) {
      if (change.sequence <= sequence) break;
      if (change.previous === undefined) past.delete(change.key);
      else past.set(change.key, change.previous);
    }
    return [...past.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  /** Creates or replaces an object; it gets the next version. */
  put(row: ResourceRow, draft: StoredObject): StoredObject {
    const collection = this.#collection(row);
    const key = keyOfObject(draft);
    const previous = collection.objects.get(key);
    const object = this.#numbered(row, draft);
    if (previous === undefined) collection.sorted = undefined;
    collection.objects.set(key, object);
    this.#record(row, collection, {
      type: previous === undefined ? 'ADDED' : 'MODIFIED',
      sequence: this.#sequence,
      key,
      object,
      previous,
    });
    return object;
  }

  /** Removes an object that is there; answers its last state. */
  remove(row: ResourceRow, object: StoredObject): StoredObject {
    const collection = this.#collection(row);
    const key = keyOfObject(object);
    const last = this.#numbered(row, object);
    collection.sorted = undefined;
    collection.objects.delete(key);
    const sequence = this.#sequence;
    this.#record(row, collection, { type: 'DELETED', sequence, key, object: last, previous: object });
    return last;
  }

  /** Forgets all history: what was read before now is expired, unless nothing at all was written since. */
  compact(): void {
    this.#compacted = this.#sequence;
    for (const collection of this.#collections.values()) collection.log = [];
  }

  /** Whether the history after `sequence` is no longer known. */
  isExpired(row: ResourceRow, sequence: number): boolean {
    return sequence < Math.max(this.#compacted, this.#collection(row).floor);
  }

  /** The writes of a kind after `sequence`, oldest first. */
  since(row: ResourceRow, sequence: number): readonly Change[] {
    const { log } = this.#collection(row);
    const first = log.findLastIndex((change) => change.sequence <= sequence) + 1;
    return first === log.length ? [] : log.slice(first);
  }

  #numbered(row: ResourceRow, draft: StoredObject): StoredObject {
    this.#sequence += 1;
    const resourceVersion = this.versionOf(row, this.#sequence);
    return { ...draft, metadata: { ...draft.metadata, resourceVersion } };
  }

  #record(row: ResourceRow, collection: Collection, change: Change): void {
    collection.log.push(change);
    if (collection.log.length > HISTORY) {
      const dropped = collection.log.splice(0, HISTORY / 2);
      collection.floor = dropped.at(-1)?.sequence ?? collection.floor;
    }
    for (const listener of this.#listeners) listener(row, change);
  }

  #collection(row: ResourceRow): Collection {
    const found = this.#collections.get(row) ?? { objects: new Map(), log: [], floor: 0, sorted: undefined };
    this.#collections.set(row, found);
    return found;
  }
}
