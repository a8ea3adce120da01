/**
 * The kind overrides of a write of the state. A workload of a kind that the reloader may not list can follow any object, and
 * its pods start unseen. So each commit records, per such kind, the digest that was committed before. Once the kind may be
 * listed, its workloads start from this oldest digest and are out of date, rather than up to date without proof.
 */

import { translated } from '../model/digest.ts';
import { type RunningDigest, UNKNOWN } from '../model/edge.ts';
import { keyOf } from '../model/object-ref.ts';
import {
  type KindScope,
  keyUnderKind,
  kindOverrideKeyOf,
  kindScopeOf,
  type PersistedState,
} from '../model/persisted-state.ts';
import { formatOverrides, type Overrides, type StateKey } from '../model/state-entry.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { isPartOfKnown } from '../tracking/other-scopes.ts';
import type { Desired, OverrideChange, WriteGate } from './state-overrides.ts';

/** The kind overrides of one plan. */
export interface KindOverridePlan {
  /** The changes that the shards need. */
  readonly changes: readonly OverrideChange[];
  /** All kind overrides once the plan is written. */
  readonly after: Pick<PersistedState, 'overrides'>;
  /** The workloads of kinds that are listed by now: each needs an override of its own in place of the kind override. */
  readonly ended: readonly WorkloadRecord[];
}

type Kept = Map<StateKey, Overrides>;

/**
 * Plans the kind overrides that go with the entries in `desired`. A recorded kind override is older than the entry and stays as
 * it is until the kind is listed. An object without an entry gets none, unless the state has an entry of another part of it.
 */
export function planKindOverrides(
  store: Store,
  desired: Iterable<Desired>,
  gate: WriteGate,
): KindOverridePlan {
  const home = store.settings.homeNamespace;
  const before = store.persisted.state.shards.map(({ overrides }) => kindOverridesIn(overrides, home));
  const listed = scopesOf(before, home).filter(({ kind, namespace }) => gate.lists(kind, namespace));
  const over = new Set(listed.map((scope) => kindOverrideKeyOf(scope, home)));
  const after: Kept[] = before.map((own) => new Map([...own].filter(([key]) => !over.has(key))));
  for (const { ref, entry, shard } of desired) {
    const runningDigest = ranBefore(store, { ref, entry, shard });
    if (runningDigest === undefined) continue;
    for (const scope of gate.refused(ref.namespace)) {
      const key = kindOverrideKeyOf(scope, home);
      const own = after[shard] ?? new Map();
      after[shard] = own.set(key, { [keyUnderKind(scope, ref, home)]: runningDigest, ...own.get(key) });
    }
  }
  return { changes: differences(before, after), after: merged(after), ended: among(store, listed) };
}

/** The digest that is committed before this plan changes the entry; undefined if no override is needed. */
function ranBefore(store: Store, { ref, entry }: Desired): RunningDigest | undefined {
  const before = store.persisted.entryOf(ref);
  if (entry === undefined) return undefined;
  if (before === undefined) return isPartOfKnown(store, ref) ? UNKNOWN : undefined;
  // The same content under another algorithm.
  const digest = translated(before.digest, store.configs.get(keyOf(ref)) ?? {});
  return digest === entry.digest && before.sequence === entry.sequence ? undefined : (digest ?? UNKNOWN);
}

function kindOverridesIn(overrides: ReadonlyMap<StateKey, Overrides>, home: string): Kept {
  return new Map([...overrides].filter(([key]) => kindScopeOf(key, home) !== undefined));
}

function scopesOf(kept: readonly Kept[], home: string): readonly KindScope[] {
  const keys = new Set(kept.flatMap((own) => [...own.keys()]));
  return [...keys].map((key) => kindScopeOf(key, home)).filter((scope) => scope !== undefined);
}

function differences(before: readonly Kept[], after: readonly Kept[]): OverrideChange[] {
  const changes: OverrideChange[] = [];
  for (const shard of after.keys()) {
    const [old = new Map(), now = new Map()] = [before[shard], after[shard]];
    for (const key of new Set<StateKey>([...old.keys(), ...now.keys()])) {
      const [was, is] = [old.get(key), now.get(key)];
      const isSame = (was && formatOverrides(was)) === (is && formatOverrides(is));
      if (!isSame) changes.push({ shard, key, overrides: is });
    }
  }
  return changes;
}

function merged(shards: readonly Kept[]): Pick<PersistedState, 'overrides'> {
  const overrides = new Map<StateKey, Overrides>();
  for (const own of shards) {
    for (const [key, runningDigest] of own ?? [])
      overrides.set(key, { ...overrides.get(key), ...runningDigest });
  }
  return { overrides };
}

function among(store: Store, scopes: readonly KindScope[]): readonly WorkloadRecord[] {
  if (scopes.length === 0) return [];
  return [...store.workloads.values()].filter(({ workload: { ref } }) =>
    scopes.some(
      ({ kind, namespace }) => kind === ref.kind && (namespace === undefined || namespace === ref.namespace),
    ),
  );
}
