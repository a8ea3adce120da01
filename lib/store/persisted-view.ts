/** The state as it was last read or written, and what a write under way may have changed of it. */

import type { RunningDigest } from '../model/edge.ts';
import { type ConfigRef, keyOf, type ObjectKey, type WorkloadRef } from '../model/object-ref.ts';
import { EMPTY_STATE, type PersistedState, recordedOf } from '../model/persisted-state.ts';
import { NO_STATE, type ShardedState, together } from '../model/shards.ts';
import { entryKeyOf, overridesKeyOf, type StateEntry, type StateKey } from '../model/state-entry.ts';

/** See the file's comment. */
export class PersistedView {
  readonly #homeNamespace: string;
  /** The shard in which each entry lies, or was last sent to or seen: a key does not move. */
  readonly places: Map<StateKey, number> = new Map();
  /** Sequences that a state write, or a stamp on a workload that has ceased to follow, may have used. */
  readonly minSequences: Map<ObjectKey, number> = new Map();
  /** When the state had been written last as it was first read, see lastWriteOf. */
  writtenAt: number | undefined;
  /** The state that is known. */
  state: ShardedState = NO_STATE;

  /** `homeNamespace`: the namespace of the state ConfigMap, whose objects' keys have no prefix. */
  constructor(homeNamespace: string) {
    this.#homeNamespace = homeNamespace;
  }

  /** The state that is known, but for one shard, which says this. */
  withShard(shard: number, says: PersistedState): ShardedState {
    const before = this.state.shards;
    const length = Math.max(before.length, shard + 1);
    const shards = Array.from({ length }, (_, at) => (at === shard ? says : (before[at] ?? EMPTY_STATE)));
    return together(shards, this.#homeNamespace);
  }

  /** One shard is known to say this from now on. */
  takeShard(shard: number, says: PersistedState): void {
    this.state = this.withShard(shard, says);
    for (const [key, home] of this.state.homes) this.places.set(key, home);
  }

  /** The key of the entry of `ref`. */
  entryKeyOf(ref: ConfigRef): StateKey {
    return entryKeyOf(ref, this.#homeNamespace);
  }

  /** The key of the overrides of `ref`. */
  overridesKeyOf(ref: WorkloadRef): StateKey {
    return overridesKeyOf(ref, this.#homeNamespace);
  }

  /** The entry of `ref`. */
  entryOf(ref: ConfigRef): StateEntry | undefined {
    return this.state.entries.get(this.entryKeyOf(ref));
  }

  /** The shard in which the entry of `ref` lies, or would again; undefined before it is first written. */
  shardOf(ref: ConfigRef): number | undefined {
    const key = this.entryKeyOf(ref);
    return this.places.get(key) ?? this.state.homes.get(key);
  }

  /** Puts the entry of `ref` where that of `former` lies, which it replaces: one write does both. */
  placeBeside(ref: ConfigRef, former: ConfigRef): void {
    const shard = this.shardOf(former);
    if (shard !== undefined && this.shardOf(ref) === undefined) this.places.set(this.entryKeyOf(ref), shard);
  }

  /** The override of an edge: its own, else the one for all workloads of its kind. */
  overrideOf(workload: WorkloadRef, config: ConfigRef): RunningDigest | undefined {
    return recordedOf(this.state, workload, config, this.#homeNamespace).runningDigest;
  }

  /** Whether an edge has no override but the one for all workloads of its kind: its pods started unseen. */
  isByKind(workload: WorkloadRef, config: ConfigRef): boolean {
    return recordedOf(this.state, workload, config, this.#homeNamespace).isOfKind;
  }

  /** The sequence up to which stamps of `ref` are committed, or may be once a write under way is answered. */
  minSequenceOf(ref: ConfigRef): number {
    return Math.max(this.entryOf(ref)?.sequence ?? 0, this.minSequences.get(keyOf(ref)) ?? 0);
  }

  /** Keeps later stamps of the object from using `sequence`, or a lower one. */
  raiseMinSequence(config: ObjectKey, sequence: number): void {
    this.minSequences.set(config, Math.max(this.minSequences.get(config) ?? 0, sequence));
  }
}
