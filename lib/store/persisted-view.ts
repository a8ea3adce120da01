/** The state as it was last read or written, and the shards that a write without an answer may have used. */

import type { Mark } from '../model/edge.ts';
import { type ConfigRef, keyOf, type ObjectKey, type WorkloadRef, wholeOf } from '../model/object-ref.ts';
import type { Entries } from '../model/persisted-state.ts';
import { NO_STATE, type ShardedState, together } from '../model/shards.ts';
import {
  configRefOf,
  entryKeyOf,
  followerOf,
  markOfFollower,
  namespaceIn,
  type StateEntry,
  type StateKey,
} from '../model/state-entry.ts';
import { Index, once, parentOf } from './key-index.ts';

/** See the file's comment. */
export class PersistedView {
  readonly #homeNamespace: string;
  /** The shard of each entry, existing or sent: an entry never moves to another shard. */
  readonly places: Map<StateKey, number> = new Map();
  /** The known state: all shards together. */
  state: ShardedState = NO_STATE;
  readonly #names = once((entries: Entries) => this.#indexOf(entries, (ref) => keyOf(wholeOf(ref))));
  readonly #parts = once((entries: Entries) => this.#indexOf(entries, (ref) => ref.keys && keyOf(ref)));

  /** `homeNamespace`: the namespace of the state ConfigMap, whose objects' keys have no prefix. */
  constructor(homeNamespace: string) {
    this.#homeNamespace = homeNamespace;
  }

  /** The known state with one shard replaced; changes nothing. */
  withShard(shard: number, content: Entries): ShardedState {
    const before = this.state.shards;
    const length = Math.max(before.length, shard + 1);
    const shards = Array.from({ length }, (_, at) => before[at] ?? new Map());
    return together(shards.with(shard, content));
  }

  /** Replaces one shard of the known state, after it was read or written. */
  takeShard(shard: number, content: Entries): void {
    this.state = this.withShard(shard, content);
    for (const key of content.keys()) this.places.set(key, Math.min(shard, this.places.get(key) ?? shard));
  }

  /** By namespace and kind, the objects that have an entry, or of which a set of keys has one. */
  get names(): Index<string, ObjectKey> {
    return this.#names(this.state.entries);
  }

  /** By whole object, the sets of its keys that have an entry. */
  get parts(): Index<ObjectKey, ObjectKey> {
    return this.#parts(this.state.entries);
  }

  /** The key of the entry of `ref`. */
  entryKeyOf(ref: ConfigRef): StateKey {
    return entryKeyOf(ref, this.#homeNamespace);
  }

  /** The entry of `ref`. */
  entryOf(ref: ConfigRef): StateEntry | undefined {
    return this.state.entries.get(this.entryKeyOf(ref));
  }

  /** The shard of the entry of `ref`, also after the entry was removed; undefined before it is first written. */
  shardOf(ref: ConfigRef): number | undefined {
    return this.places.get(this.entryKeyOf(ref));
  }

  /** The mark of a dependency. */
  markOf(workload: WorkloadRef, config: ConfigRef): Mark | undefined {
    const entry = this.entryOf(config);
    return entry && markOfFollower(entry, workload);
  }

  /** The workloads that have a mark of their own; without those for which one mark of all followers stands. */
  markedWorkloads(): ReadonlySet<ObjectKey> {
    const workloads = [...this.state.marked].flatMap(([key, { marks = [] }]) => {
      const namespace = namespaceIn(key, this.#homeNamespace) ?? '';
      return [...marks].flatMap(([markKey]) => followerOf(markKey, namespace) ?? []);
    });
    return new Set(workloads.map(keyOf));
  }

  #indexOf(entries: Entries, keyIn: (ref: ConfigRef) => ObjectKey | undefined): Index<string, ObjectKey> {
    const index = new Index<string, ObjectKey>();
    for (const each of entries.keys()) {
      const ref = configRefOf(each, this.#homeNamespace);
      const key = ref && keyIn(ref);
      if (key !== undefined) index.add(parentOf(key), key);
    }
    return index;
  }
}
