/**
 * Plans the overrides of a write of the state: one for each edge of which a start would otherwise believe another running
 * digest. An override lies in the shard of its object, beside the entry, so that one write changes both.
 */

import { translated } from '../model/digest.ts';
import { type Edge, type Mark, markOf, recordedDigest, UNKNOWN } from '../model/edge.ts';
import { copyNameOf } from '../model/kinds/jobs.ts';
import { type ConfigRef, keyOf, type ObjectKey, wholeOf } from '../model/object-ref.ts';
import {
  localEntryKeyOf,
  type Overrides,
  parseStateKey,
  type StateEntry,
  type StateKey,
  workloadRefOf,
} from '../model/state-entry.ts';
import { isInFlight, type WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { LeftOut } from '../store/sync-gate.ts';
import { isOutdatedOn } from '../tracking/edge-policy.ts';

/** What a plan asks about lists and rollouts; pure queries of the present moment. */
export interface WriteGate {
  /** Whether `kind` and all kinds of workload are listed in `namespace`; streams that are `leftOut` do not count. */
  readonly isSynced: (namespace: string, kind: string, leftOut?: LeftOut) => boolean;
  /** Whether `workload` is about to be patched: it is in its quiet period, a patch is under way, or one is retried. */
  readonly isWaiting: (workload: ObjectKey) => boolean;
}

/** The entry that an object should have, and in which shard; undefined: the entry is to be removed. */
export interface Desired {
  readonly ref: ConfigRef;
  readonly entry: StateEntry | undefined;
  readonly shard: number;
}

/** The overrides that one shard should hold for one workload; undefined: the key is to be removed. */
export interface OverrideChange {
  readonly shard: number;
  readonly key: StateKey;
  readonly overrides: Overrides | undefined;
  /** False if marks of complete rollouts whose stamps are still there are all that goes: a later write removes them. */
  readonly isDue: boolean;
}

/**
 * The changes of overrides that have to be written together with the entries in `desired`. The overrides of each of `workloads`
 * are rebuilt from memory and compared with the shards, so that outdated ones disappear as well.
 */
export function changedOverrides(
  store: Store,
  workloads: ReadonlySet<WorkloadRecord>,
  desired: ReadonlyMap<ObjectKey, Desired>,
  gate: WriteGate,
): OverrideChange[] {
  const { shards } = store.persisted.state;
  const changes = staleOverrides(store, gate);
  for (const workload of workloads) {
    const key = store.persisted.overridesKeyOf(workload.workload.ref);
    const after = overridesByShard(store, workload, desired);
    for (const shard of new Set([...shards.keys(), ...after.keys()])) {
      const overrides = after.get(shard);
      const [before = {}, now = {}] = [shards[shard]?.overrides.get(key), overrides];
      const changed = Object.keys({ ...before, ...now }).filter((each) => before[each] !== now[each]);
      if (changed.length === 0) continue;
      const carried = marksCarried(store, workload);
      const isDue = changed.some((each) => each in now || before[each] !== carried[each]);
      changes.push({ shard, key, overrides, isDue });
    }
  }
  return changes;
}

/** The workloads with overrides in the state; their running digests may have changed since. */
export function withOverrides(store: Store): WorkloadRecord[] {
  const recorded = new Set(store.persisted.state.shards.flatMap(({ overrides }) => [...overrides.keys()]));
  const named = [...recorded].map((key) => workloadRefOf(key, store.settings.homeNamespace));
  if (!named.includes(undefined)) {
    return named.flatMap((ref) => (ref && store.workloads.get(keyOf(ref))) ?? []);
  }
  // A long key ends in a hash instead of the name: only the other direction tells which workload it belongs to.
  return [...store.workloads.values()].filter(({ workload }) =>
    recorded.has(store.persisted.overridesKeyOf(workload.ref)),
  );
}

/** The marks that mean nothing while the template has its present stamps. */
function marksCarried(store: Store, { edges }: WorkloadRecord): Overrides {
  const stamped = [...edges].flatMap(([config, { stamp }]) => {
    const ref = store.configs.get(config)?.ref;
    const entry = ref && store.persisted.entryOf(ref);
    const mark = entry === undefined ? UNKNOWN : markOf(stamp, entry);
    return ref === undefined || mark === UNKNOWN ? [] : [[localEntryKeyOf(ref), mark] as const];
  });
  return Object.fromEntries(stamped);
}

/** The overrides that one workload needs, by shard. */
function overridesByShard(
  store: Store,
  workload: WorkloadRecord,
  desired: ReadonlyMap<ObjectKey, Desired>,
): ReadonlyMap<number, Overrides> {
  const byShard = overridesOfFormer(store, workload);
  for (const [config, edge] of workload.edges) {
    const ref = store.configs.get(config)?.ref;
    const entry = desired.get(config)?.entry ?? (ref && store.persisted.entryOf(ref));
    if (ref === undefined || entry === undefined) continue;
    const mark = markFor(store, workload, { ref, config, entry, edge }, desired.has(config));
    if (mark === undefined) continue;
    const shard = desired.get(config)?.shard ?? store.persisted.shardOf(ref) ?? 0;
    const overrides = byShard.get(shard) ?? {};
    overrides[localEntryKeyOf(ref)] = mark;
    byShard.set(shard, overrides);
  }
  return byShard;
}

/** An outdated one is marked, and its mark stays, also where the entry keeps the digest that its pods run. */
function markFor(
  store: Store,
  record: WorkloadRecord,
  each: Parameters<typeof overrideFor>[2] & { readonly ref: ConfigRef },
  isWritten: boolean,
): Mark | undefined {
  const isMarked = (): boolean => store.persisted.overrideOf(record.workload.ref, each.ref) === UNKNOWN;
  const isBehind = isOutdatedOn(store, record, each.config, each.edge) && (isWritten || isMarked());
  return isBehind ? UNKNOWN : overrideFor(store, record, each);
}

/**
 * The mark of one edge; undefined where its pods run the digest of the entry. While older pods run beside those of our stamp, an undo
 * may make them all pods there are: only the stamp proves to a start that this did not happen.
 */
export function overrideFor(
  store: Store,
  record: WorkloadRecord,
  { config, entry, edge }: { readonly config: ObjectKey; readonly entry: StateEntry; readonly edge: Edge },
): Mark | undefined {
  const { stamp, rolloutInProgress } = edge;
  const runningDigest = recordedDigest(edge, isInFlight(record, config));
  if (runningDigest === undefined) return undefined;
  if (runningDigest !== translated(entry.digest, store.configs.get(config) ?? {})) return UNKNOWN;
  return rolloutInProgress ? markOf(stamp, entry) : undefined;
}

/**
 * While the key set that a workload follows of an object has no digest and no entry yet, the overrides of key sets that it
 * followed before stay: a start needs them to know that the edge was out of date.
 */
function overridesOfFormer(
  store: Store,
  { workload, edges: own }: WorkloadRecord,
): Map<number, Record<StateKey, Mark>> {
  const byShard = new Map<number, Record<StateKey, Mark>>();
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
      [localEntryKeyOf(former)]: runningDigest,
    });
  }
  return byShard;
}

/**
 * Overrides in the state of workloads that do not exist or follow nothing any more. Only a complete list proves that; a key
 * that cannot be parsed is kept, and so is that of a Job while its placeholder exists.
 */
function staleOverrides(store: Store, gate: WriteGate): OverrideChange[] {
  const alive = new Set(
    withOverrides(store).map(({ workload }) => store.persisted.overridesKeyOf(workload.ref)),
  );
  const { homeNamespace } = store.settings;
  const isRecreated = (key: StateKey): boolean => {
    const ref = workloadRefOf(key, homeNamespace);
    return ref !== undefined && store.copies.has(keyOf({ ...ref, name: copyNameOf(ref.name) }));
  };
  const isStale = (key: StateKey): boolean => {
    const about = parseStateKey(key, homeNamespace);
    if (about === undefined || alive.has(key) || isRecreated(key)) return false;
    return gate.isSynced(about.namespace, about.kind);
  };
  return store.persisted.state.shards.flatMap(({ overrides }, shard) =>
    [...overrides.keys()].filter(isStale).map((key) => ({ shard, key, overrides: undefined, isDue: true })),
  );
}
