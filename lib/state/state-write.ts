/** Plans the writes of the state, one for each shard. All parts of an object lie in one shard, so each write may fail alone. */

import { UNKNOWN } from '../model/edge.ts';
import { type ConfigRef, configRefIn, keyOf, type ObjectKey, wholeKeyOf } from '../model/object-ref.ts';
import type { Entries } from '../model/persisted-state.ts';
import {
  EVERY_FOLLOWER,
  formatEntry,
  type Marks,
  type StateEntry,
  type StateKey,
  sameEntry,
} from '../model/state-entry.ts';
import type { Store } from '../store/store.ts';
import { partsOf } from '../tracking/other-scopes.ts';
import { compress, type Due, dueOf, isFollowed, type WriteGate } from './compress.ts';

const PRESSING: readonly Due[] = ['not', 'soon', 'now'];

/** One merge patch of one shard. */
export class StateWrite {
  readonly shard: number;
  /** Undefined removes a key. */
  readonly entries: Map<StateKey, StateEntry | undefined> = new Map();
  /** The objects whose entries it writes. */
  readonly touched: Set<ObjectKey> = new Set();
  /** The most pressing of its entries. */
  due: Due = 'not';

  constructor(shard: number) {
    this.shard = shard;
  }

  /** `entries` as the data of the merge patch: null removes a key. */
  get data(): Readonly<Record<StateKey, string | null>> {
    return Object.fromEntries(
      [...this.entries].map(([key, entry]) => [key, entry ? formatEntry(entry) : null]),
    );
  }

  /** Adds the entry of an object. */
  add(config: ObjectKey, key: StateKey, entry: StateEntry | undefined, due: Due): void {
    this.entries.set(key, entry);
    this.touched.add(config);
    if (PRESSING.indexOf(due) > PRESSING.indexOf(this.due)) this.due = due;
  }
}

/** The input of the planner. */
export interface StateRequest {
  /** Objects whose entries may differ from what they should be. */
  readonly configs: Iterable<ObjectKey>;
  readonly gate: WriteGate;
  /** Chooses the shard for a new entry of so many bytes. */
  readonly place: (bytes: number) => number;
  /** By how many bytes a shard may grow. @default without limit */
  readonly room?: (shard: number) => number;
}

/** Applies a write that the API server accepted. The result: objects to look at again, since they may have changed on its way. */
export function applyStateWrite(store: Store, write: StateWrite): ReadonlySet<ObjectKey> {
  store.persisted.takeShard(write.shard, shardAfter(store, write));
  for (const key of write.entries.keys())
    if (!store.persisted.state.entries.has(key)) store.persisted.places.delete(key);
  const wholes = [...new Set([...write.touched].map(wholeKeyOf))];
  const parts = wholes.flatMap((whole) => partsOf(store, configRefIn(whole)).map(keyOf));
  return new Set([...write.touched, ...wholes, ...parts]);
}

/** The shard as it is once the write is applied. */
export function shardAfter({ persisted }: Store, write: StateWrite): Entries {
  const entries = new Map(persisted.state.shards[write.shard]);
  for (const [key, entry] of write.entries) {
    if (entry === undefined) entries.delete(key);
    else entries.set(key, entry);
  }
  return entries;
}

/** Called before a write is sent: from now on its shards count as used, even if the answer is lost. */
export function noteSent(store: Store, write: StateWrite): void {
  for (const [key, entry] of write.entries)
    if (entry !== undefined) store.persisted.places.set(key, write.shard);
}

const FOR_ALL: Marks = new Map([[EVERY_FOLLOWER, UNKNOWN]]);

/** The next writes. A plan sends nothing and changes nothing. */
export class StatePlan {
  /** The objects whose entry differs, or waits for its removal, and how soon it has to be written. */
  readonly pending: Map<ObjectKey, Due> = new Map();
  /** The shards that have no room for some of them, and the objects whose first entry has none. */
  readonly full: Set<number> = new Set();
  readonly withoutRoom: Set<ObjectKey> = new Set();
  readonly #store: Store;
  readonly #request: StateRequest;
  readonly #writes = new Map<number, StateWrite>();
  /** By shard, by how many bytes it may still grow. */
  readonly #room = new Map<number, number>();
  /** By whole object, the shard of the parts that are planned. */
  readonly #places = new Map<ObjectKey, number>();

  constructor(store: Store, request: StateRequest) {
    this.#store = store;
    this.#request = request;
    for (const config of request.configs) this.#add(config);
  }

  /** One for each shard that differs; the lowest shard first. */
  get writes(): readonly StateWrite[] {
    return [...this.#writes.values()].sort((a, b) => a.shard - b.shard);
  }

  #add(config: ObjectKey): void {
    const { gate } = this.#request;
    const { persisted, configs } = this.#store;
    const ref = configs.get(config)?.ref ?? configRefIn(config);
    const before = persisted.entryOf(ref);
    const wanted = compress(this.#store, gate, ref);
    const isSame = sameEntry(wanted, before);
    if (!isSame || (before !== undefined && !isFollowed(this.#store, ref))) this.pending.set(config, 'not');
    if (isSame) return;
    const shard = this.#shardOf(ref, wanted);
    const entry = wanted && this.#fitting(config, ref, wanted, shard);
    if (this.withoutRoom.has(config) || sameEntry(entry, before)) return;
    const due = dueOf(this.#store, gate, ref, entry);
    const write = this.#writes.get(shard) ?? new StateWrite(shard);
    this.#writes.set(shard, write);
    write.add(config, persisted.entryKeyOf(ref), entry, due);
    this.pending.set(config, due);
  }

  /** The shard of the object: all of its parts lie in one, so that one write can replace one by another. */
  #shardOf(ref: ConfigRef, entry: StateEntry | undefined): number {
    const { persisted } = this.#store;
    const whole = wholeKeyOf(keyOf(ref));
    const object = configRefIn(whole);
    const parts = [ref, object, ...partsOf(this.#store, object)];
    const known = parts.map((part) => persisted.shardOf(part)).find((shard) => shard !== undefined);
    const bytes = (first: StateEntry): number => persisted.entryKeyOf(ref).length + formatEntry(first).length;
    const shard = known ?? this.#places.get(whole) ?? (entry ? this.#request.place(bytes(entry)) : 0);
    this.#places.set(whole, shard);
    return shard;
  }

  /**
   * What has room of an entry. Where its marks have none, one stands for all followers: beyond the limit too, since a start would be
   * wrong without it. Undefined where a first entry has no room.
   */
  #fitting(config: ObjectKey, ref: ConfigRef, entry: StateEntry, shard: number): StateEntry | undefined {
    const { persisted } = this.#store;
    const { room = () => Number.POSITIVE_INFINITY } = this.#request;
    const before = persisted.entryOf(ref);
    const used = before ? formatEntry(before).length : -persisted.entryKeyOf(ref).length;
    const rest = this.#room.get(shard) ?? room(shard);
    const small = entry.marks === undefined ? entry : { ...entry, marks: FOR_ALL };
    const growthOf = (one: StateEntry): number => formatEntry(one).length - used;
    const fits = (one: StateEntry): boolean => growthOf(one) <= Math.max(0, rest);
    const chosen = fits(entry) ? entry : before !== undefined || fits(small) ? small : undefined;
    if (chosen !== entry) this.full.add(shard);
    if (chosen === undefined) this.withoutRoom.add(config);
    else this.#room.set(shard, rest - growthOf(chosen));
    return chosen;
  }
}
