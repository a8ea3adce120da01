/**
 * What a write of the state keeps for workloads that may not be listed: of each object whose entry it writes, what was
 * committed before. What they ran since is unknown, since their pods start unseen; the oldest content makes them owe.
 */

import { type Ran, UNKNOWN } from '../model/edge.ts';
import { type OverrideScope, overriddenKeyOf, overrideKeyOf, overrideScopeOf } from '../model/overrides.ts';
import type { PersistedState } from '../model/persisted-state.ts';
import { type Exceptions, formatExceptions, type StateKey } from '../model/state-entry.ts';
import type { Edges, WorkloadRecord } from '../tracking/edges.ts';
import { isPartOfKnown } from '../tracking/other-scopes.ts';
import type { Desired, ExceptionChange, WriteGate } from './state-exceptions.ts';

/** The overrides of a plan. */
export interface OverridePlan {
  /** What the shards do not say yet. */
  readonly changes: readonly ExceptionChange[];
  /** What they say once the plan is written. */
  readonly after: Pick<PersistedState, 'exceptions'>;
  /** Those for whom nothing is kept any more: what was kept is to be recorded of each by itself. */
  readonly ended: readonly WorkloadRecord[];
}

type Kept = Map<StateKey, Readonly<Record<StateKey, Ran>>>;

/**
 * What is kept already is older, and stays, until the workloads are listed. Of an object without an entry nothing is kept,
 * unless the state speaks of other parts of it.
 */
export function planOverrides(edges: Edges, desired: Iterable<Desired>, gate: WriteGate): OverridePlan {
  const home = edges.homeNamespace;
  const before = edges.state.shards.map(({ exceptions }) => overridesIn(exceptions, home));
  const listed = scopesOf(before, home).filter(({ kind, namespace }) => gate.lists(kind, namespace));
  const over = new Set(listed.map((scope) => overrideKeyOf(scope, home)));
  const after: Kept[] = before.map((own) => new Map([...own].filter(([key]) => !over.has(key))));
  for (const { ref, entry, shard } of desired) {
    const ran = ranBefore(edges, { ref, entry, shard });
    if (ran === undefined) continue;
    for (const scope of gate.refused(ref.namespace)) {
      const key = overrideKeyOf(scope, home);
      const own = after[shard] ?? new Map();
      after[shard] = own.set(key, { [overriddenKeyOf(scope, ref, home)]: ran, ...own.get(key) });
    }
  }
  return { changes: differences(before, after), after: merged(after), ended: among(edges, listed) };
}

/** What was committed of the object before this plan changes it; undefined where there is nothing to be kept. */
function ranBefore(edges: Edges, { ref, entry }: Desired): Ran | undefined {
  const before = edges.entryOf(ref);
  if (entry === undefined) return undefined;
  if (before === undefined) return isPartOfKnown(edges, ref) ? UNKNOWN : undefined;
  return before.digest === entry.digest && before.number === entry.number ? undefined : before.digest;
}

function overridesIn(exceptions: ReadonlyMap<StateKey, Exceptions>, home: string): Kept {
  return new Map([...exceptions].filter(([key]) => overrideScopeOf(key, home) !== undefined));
}

function scopesOf(kept: readonly Kept[], home: string): readonly OverrideScope[] {
  const keys = new Set(kept.flatMap((own) => [...own.keys()]));
  return [...keys].map((key) => overrideScopeOf(key, home)).filter((scope) => scope !== undefined);
}

function differences(before: readonly Kept[], after: readonly Kept[]): ExceptionChange[] {
  const changes: ExceptionChange[] = [];
  for (const shard of after.keys()) {
    const [old = new Map(), now = new Map()] = [before[shard], after[shard]];
    for (const key of new Set<StateKey>([...old.keys(), ...now.keys()])) {
      const [was, is] = [old.get(key), now.get(key)];
      const isSame = (was && formatExceptions(was)) === (is && formatExceptions(is));
      if (!isSame) changes.push({ shard, key, exceptions: is });
    }
  }
  return changes;
}

function merged(shards: readonly Kept[]): Pick<PersistedState, 'exceptions'> {
  const exceptions = new Map<StateKey, Exceptions>();
  for (const own of shards) {
    for (const [key, ran] of own ?? []) exceptions.set(key, { ...exceptions.get(key), ...ran });
  }
  return { exceptions };
}

function among(edges: Edges, scopes: readonly OverrideScope[]): readonly WorkloadRecord[] {
  if (scopes.length === 0) return [];
  return [...edges.workloads.values()].filter(({ workload: { ref } }) =>
    scopes.some(
      ({ kind, namespace }) => kind === ref.kind && (namespace === undefined || namespace === ref.namespace),
    ),
  );
}
