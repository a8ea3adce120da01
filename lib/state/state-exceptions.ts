/**
 * The exceptions that a write of the state records: of every workload whose pods ran something else than the entry says,
 * each in the shard of its object, beside the entry.
 */

import { type Edge, type Ran, recordedRan, speaks } from '../model/edge.ts';
import { type ConfigRef, keyOf, type ObjectKey, wholeOf } from '../model/object-ref.ts';
import { type OverrideScope, overrideOf, overrideScopeOf } from '../model/overrides.ts';
import {
  type Exceptions,
  exceptionKeyOf,
  formatExceptions,
  parseStateKey,
  type StateEntry,
  type StateKey,
  workloadRefOf,
} from '../model/state-entry.ts';
import type { LeftOut } from '../store/sync-gate.ts';
import { type Edges, numberOnItsWay, type WorkloadRecord } from '../tracking/edges.ts';
import { type OverridePlan, planOverrides } from './state-overrides.ts';

/** What a plan has to know of the rest of the program. */
export interface WriteGate {
  /** Whether `kind` is watched in `namespace`, and it and all kinds of workload there are listed, but for those `leftOut`. */
  readonly isSynced: (namespace: string, kind: string, leftOut?: LeftOut) => boolean;
  /** The workloads that may follow what is in `namespace` and that may not be listed. */
  readonly refused: (namespace: string) => readonly OverrideScope[];
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
export interface ExceptionChange {
  readonly shard: number;
  readonly key: StateKey;
  readonly exceptions: Exceptions | undefined;
}

/** Where the shards do not say what they should once the entries are as `desired`: all of each workload, rebuilt from memory. */
export function changedExceptions(
  edges: Edges,
  workloads: ReadonlySet<WorkloadRecord>,
  desired: ReadonlyMap<ObjectKey, Desired>,
  gate: WriteGate,
): ExceptionChange[] {
  const { shards } = edges.state;
  const overrides = planOverrides(edges, desired.values(), gate);
  const changes = [...staleExceptions(edges, gate), ...overrides.changes];
  for (const workload of new Set([...workloads, ...overrides.ended])) {
    const key = edges.exceptionsKeyOf(workload.workload.ref);
    const after = exceptionsByShard(edges, workload, desired, overrides);
    for (const shard of new Set([...shards.keys(), ...after.keys()])) {
      const before = shards[shard]?.exceptions.get(key);
      const exceptions = after.get(shard);
      const [oldText, newText] = [
        before && formatExceptions(before),
        exceptions && formatExceptions(exceptions),
      ];
      if (oldText !== newText) changes.push({ shard, key, exceptions });
    }
  }
  return changes;
}

/** The workloads that have recorded exceptions, of which some may have become untrue. */
export function withExceptions(edges: Edges): WorkloadRecord[] {
  const recorded = recordedKeys(edges);
  const named = [...recorded].map((key) => workloadRefOf(key, edges.homeNamespace));
  if (!named.includes(undefined)) {
    return named.flatMap((ref) => (ref && edges.workloads.get(keyOf(ref))) ?? []);
  }
  // A key that ends in a digest does not say whose it is.
  return [...edges.workloads.values()].filter(({ workload }) =>
    recorded.has(edges.exceptionsKeyOf(workload.ref)),
  );
}

/** The exceptions of one workload, by shard: where a start would not believe what is to be recorded. */
function exceptionsByShard(
  edges: Edges,
  workload: WorkloadRecord,
  desired: ReadonlyMap<ObjectKey, Desired>,
  overrides: OverridePlan,
): ReadonlyMap<number, Exceptions> {
  const byShard = exceptionsOfFormer(edges, workload);
  for (const [config, edge] of workload.edges) {
    const ref = edges.configs.get(config)?.ref;
    const entry = desired.get(config)?.entry ?? (ref && edges.entryOf(ref));
    if (ref === undefined || entry === undefined) continue;
    const ran = exceptionFor(edges, workload, { config, ref, entry, edge }, overrides);
    if (ran === undefined) continue;
    const shard = desired.get(config)?.shard ?? edges.shardOf(ref) ?? 0;
    const exceptions = byShard.get(shard) ?? {};
    exceptions[exceptionKeyOf(workload.workload.ref.namespace, ref)] = ran;
    byShard.set(shard, exceptions);
  }
  return byShard;
}

/** Undefined where a start believes as much by the stamp, or by the entry and no override stands before it. */
function exceptionFor(
  edges: Edges,
  record: WorkloadRecord,
  about: {
    readonly config: ObjectKey;
    readonly ref: ConfigRef;
    readonly entry: StateEntry;
    readonly edge: Edge;
  },
  { after }: OverridePlan,
): Ran | undefined {
  const { config, ref, entry, edge } = about;
  const ran = recordedRan(edge, numberOnItsWay(record, config) > 0);
  if (ran === undefined || speaks(edge.stamp, entry)) return undefined;
  const isOverridden = overrideOf(after, record.workload.ref, ref, edges.homeNamespace) !== undefined;
  return ran === entry.digest && !isOverridden ? undefined : ran;
}

/** Where nothing can be written yet of what is followed of an object, what is recorded of another part of it stays. */
function exceptionsOfFormer(
  edges: Edges,
  { workload, edges: own }: WorkloadRecord,
): Map<number, Record<StateKey, Ran>> {
  const byShard = new Map<number, Record<StateKey, Ran>>();
  if (edges.abandoned.isEmpty) return byShard;
  const unwritten = [...own.keys()].flatMap((config) => {
    const { ref, digest } = edges.configs.get(config) ?? {};
    return ref !== undefined && digest === undefined && edges.entryOf(ref) === undefined ? [ref] : [];
  });
  for (const former of unwritten.flatMap((ref) => edges.abandoned.of(keyOf(wholeOf(ref))))) {
    const ran = edges.exceptionOf(workload.ref, former);
    if (ran === undefined || edges.entryOf(former) === undefined) continue;
    const shard = edges.shardOf(former) ?? 0;
    byShard.set(shard, { ...byShard.get(shard), [exceptionKeyOf(workload.ref.namespace, former)]: ran });
  }
  return byShard;
}

/** Recorded exceptions of workloads that are gone or follow nothing any more, where that is positively known. */
function staleExceptions(edges: Edges, gate: WriteGate): ExceptionChange[] {
  const alive = new Set(withExceptions(edges).map(({ workload }) => edges.exceptionsKeyOf(workload.ref)));
  const isStale = (key: StateKey): boolean => {
    const about = parseStateKey(key, edges.homeNamespace);
    if (about === undefined || overrideScopeOf(key, edges.homeNamespace) !== undefined) return false;
    return !alive.has(key) && gate.isSynced(about.namespace, about.kind);
  };
  return edges.state.shards.flatMap(({ exceptions }, shard) =>
    [...exceptions.keys()].filter(isStale).map((key) => ({ shard, key, exceptions: undefined })),
  );
}

function recordedKeys(edges: Edges): ReadonlySet<StateKey> {
  return new Set(edges.state.shards.flatMap(({ exceptions }) => [...exceptions.keys()]));
}
