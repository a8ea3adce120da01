/**
 * The overrides that a write of the state records: of every workload whose running digest is not the entry's,
 * each in the shard of its object, beside the entry.
 */

import { type Edge, isUncommitted, type RunningDigest, recordedDigest } from '../model/edge.ts';
import { type KindScope, kindOverrideOf, kindScopeOf } from '../model/kind-overrides.ts';
import { type ConfigRef, keyOf, type ObjectKey, wholeOf } from '../model/object-ref.ts';
import {
  formatOverrides,
  type Overrides,
  overriddenKeyOf,
  parseStateKey,
  type StateEntry,
  type StateKey,
  workloadRefOf,
} from '../model/state-entry.ts';
import { sequenceInFlight, type WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { LeftOut } from '../store/sync-gate.ts';
import { type KindOverridePlan, planKindOverrides } from './kind-overrides.ts';

/** What a plan has to know of the rest of the program. */
export interface WriteGate {
  /** Whether `kind` is watched in `namespace`, and it and all kinds of workload there are listed, but for those `leftOut`. */
  readonly isSynced: (namespace: string, kind: string, leftOut?: LeftOut) => boolean;
  /** The workloads that may follow what is in `namespace` and that may not be listed. */
  readonly refused: (namespace: string) => readonly KindScope[];
  /** Whether all workloads of a kind are listed, in one namespace or (undefined) in all. */
  readonly lists: (kind: string, namespace: string | undefined) => boolean;
  /** Whether `workload` is going to be patched soon: a quiet period, a patch under way, a conflict. */
  readonly isWaiting: (workload: ObjectKey) => boolean;
}

/** What an object's entry is to be, and in which shard; without an entry it is to be removed. */
export interface Desired {
  readonly ref: ConfigRef;
  readonly entry: StateEntry | undefined;
  readonly shard: number;
}

/** What one shard is to say of one workload; undefined: nothing any more. */
export interface OverrideChange {
  readonly shard: number;
  readonly key: StateKey;
  readonly overrides: Overrides | undefined;
}

/** Where the shards do not say what they should once the entries are as `desired`: all of each workload, rebuilt from memory. */
export function changedOverrides(
  store: Store,
  workloads: ReadonlySet<WorkloadRecord>,
  desired: ReadonlyMap<ObjectKey, Desired>,
  gate: WriteGate,
): OverrideChange[] {
  const { shards } = store.persisted.state;
  const kindOverrides = planKindOverrides(store, desired.values(), gate);
  const changes = [...staleOverrides(store, gate), ...kindOverrides.changes];
  for (const workload of new Set([...workloads, ...kindOverrides.ended])) {
    const key = store.persisted.overridesKeyOf(workload.workload.ref);
    const after = overridesByShard(store, workload, desired, kindOverrides);
    for (const shard of new Set([...shards.keys(), ...after.keys()])) {
      const before = shards[shard]?.overrides.get(key);
      const overrides = after.get(shard);
      const [oldText, newText] = [before && formatOverrides(before), overrides && formatOverrides(overrides)];
      if (oldText !== newText) changes.push({ shard, key, overrides });
    }
  }
  return changes;
}

/** The workloads with recorded overrides, of which some may have become untrue. */
export function withOverrides(store: Store): WorkloadRecord[] {
  const recorded = recordedKeys(store);
  const named = [...recorded].map((key) => workloadRefOf(key, store.settings.homeNamespace));
  if (!named.includes(undefined)) {
    return named.flatMap((ref) => (ref && store.workloads.get(keyOf(ref))) ?? []);
  }
  // A key that ends in a digest does not say whose it is.
  return [...store.workloads.values()].filter(({ workload }) =>
    recorded.has(store.persisted.overridesKeyOf(workload.ref)),
  );
}

/** The overrides of one workload, by shard, where a start would believe something else without them. */
function overridesByShard(
  store: Store,
  workload: WorkloadRecord,
  desired: ReadonlyMap<ObjectKey, Desired>,
  kindOverrides: KindOverridePlan,
): ReadonlyMap<number, Overrides> {
  const byShard = overridesOfFormer(store, workload);
  for (const [config, edge] of workload.edges) {
    const ref = store.configs.get(config)?.ref;
    const entry = desired.get(config)?.entry ?? (ref && store.persisted.entryOf(ref));
    if (ref === undefined || entry === undefined) continue;
    const runningDigest = overrideFor(store, workload, { config, ref, entry, edge }, kindOverrides);
    if (runningDigest === undefined) continue;
    const shard = desired.get(config)?.shard ?? store.persisted.shardOf(ref) ?? 0;
    const overrides = byShard.get(shard) ?? {};
    overrides[overriddenKeyOf(workload.workload.ref.namespace, ref)] = runningDigest;
    byShard.set(shard, overrides);
  }
  return byShard;
}

/** Undefined where a start believes as much by the stamp, or by the entry and no override stands before it. */
function overrideFor(
  store: Store,
  record: WorkloadRecord,
  about: {
    readonly config: ObjectKey;
    readonly ref: ConfigRef;
    readonly entry: StateEntry;
    readonly edge: Edge;
  },
  { after }: KindOverridePlan,
): RunningDigest | undefined {
  const { config, ref, entry, edge } = about;
  const runningDigest = recordedDigest(edge, sequenceInFlight(record, config) > 0);
  if (runningDigest === undefined || isUncommitted(edge.stamp, entry)) return undefined;
  const isByKind =
    kindOverrideOf(after, record.workload.ref, ref, store.settings.homeNamespace) !== undefined;
  return runningDigest === entry.digest && !isByKind ? undefined : runningDigest;
}

/** Where nothing can be written yet of what is followed of an object, what is recorded of another part of it stays. */
function overridesOfFormer(
  store: Store,
  { workload, edges: own }: WorkloadRecord,
): Map<number, Record<StateKey, RunningDigest>> {
  const byShard = new Map<number, Record<StateKey, RunningDigest>>();
  if (store.abandoned.isEmpty) return byShard;
  const unwritten = [...own.keys()].flatMap((config) => {
    const { ref, digest } = store.configs.get(config) ?? {};
    return ref !== undefined && digest === undefined && store.persisted.entryOf(ref) === undefined
      ? [ref]
      : [];
  });
  for (const former of unwritten.flatMap((ref) => store.abandoned.of(keyOf(wholeOf(ref))))) {
    const runningDigest = store.persisted.overrideOf(workload.ref, former);
    if (runningDigest === undefined || store.persisted.entryOf(former) === undefined) continue;
    const shard = store.persisted.shardOf(former) ?? 0;
    byShard.set(shard, {
      ...byShard.get(shard),
      [overriddenKeyOf(workload.ref.namespace, former)]: runningDigest,
    });
  }
  return byShard;
}

/** Recorded overrides of workloads that are known to be gone or to follow nothing any more. */
function staleOverrides(store: Store, gate: WriteGate): OverrideChange[] {
  const alive = new Set(
    withOverrides(store).map(({ workload }) => store.persisted.overridesKeyOf(workload.ref)),
  );
  const isStale = (key: StateKey): boolean => {
    const about = parseStateKey(key, store.settings.homeNamespace);
    if (about === undefined || kindScopeOf(key, store.settings.homeNamespace) !== undefined) return false;
    return !alive.has(key) && gate.isSynced(about.namespace, about.kind);
  };
  return store.persisted.state.shards.flatMap(({ overrides }, shard) =>
    [...overrides.keys()].filter(isStale).map((key) => ({ shard, key, overrides: undefined })),
  );
}

function recordedKeys(store: Store): ReadonlySet<StateKey> {
  return new Set(store.persisted.state.shards.flatMap(({ overrides }) => [...overrides.keys()]));
}
