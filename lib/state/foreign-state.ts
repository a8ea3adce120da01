/** What follows when a shard of the state is read again and shows what this process did not write. */

import type { Edge } from '../model/edge.ts';
import { type ConfigRef, keyOf } from '../model/object-ref.ts';
import type { PersistedState } from '../model/persisted-state.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { isOutdatedOn, putEdge } from '../tracking/edge-policy.ts';
import { nextEdge } from '../tracking/edge-state.ts';
import { Effects } from '../tracking/effects.ts';
import { believedAtStart, sameEntry } from './state-write.ts';

/** How one look at a shard differs from what was known. */
export interface Comparison {
  /** What all shards were known to say together. */
  readonly before: PersistedState;
  /** What they say if the write is in force that was sent to this one and not answered. @default none was sent */
  readonly sent?: PersistedState | undefined;
  /** The shard was emptied: the damage is one, and no entry is told. */
  readonly isEmptied: boolean;
}

/** What one object's entry became in the hands of a person or of another program. */
export interface ForeignEntry {
  readonly ref: ConfigRef;
  readonly how: 'removed' | 'changed';
}

/**
 * Compares the state now known to `edges` with what was known and sent. What others wrote may add a doubt: it settles nothing
 * and removes no doubt, and what they removed is written again from memory.
 */
export function takeInForeign(
  store: Store,
  { before, sent = before, isEmptied }: Comparison,
): { readonly effects: Effects; readonly foreign: readonly ForeignEntry[] } {
  const effects = new Effects();
  const foreign: ForeignEntry[] = [];
  for (const config of store.dependents.configs()) {
    const ref = store.configs.get(config)?.ref;
    if (ref === undefined) continue;
    const how = judge(store, [before, sent], ref);
    if (how === 'changed' || (how === 'removed' && !isEmptied)) foreign.push({ ref, how });
    for (const [workload, edge] of store.edgesOf(config)) {
      if (isDoubted(store, [before, sent], workload, ref, edge)) doubt(store, effects, workload, ref, edge);
    }
  }
  return { effects, foreign };
}

/** Which program wrote the entry of `ref`, judged by what was known and sent; later stamps have a sequence above it. */
function judge(
  store: Store,
  [before, sent]: readonly [PersistedState, PersistedState],
  ref: ConfigRef,
): ForeignEntry['how'] | 'first' | 'own' {
  const key = store.persisted.entryKeyOf(ref);
  const live = store.persisted.entryOf(ref);
  const known = before.entries.get(key);
  if (sameEntry(live, known) || sameEntry(live, sent.entries.get(key))) return 'own';
  if (live === undefined) return 'removed';
  store.persisted.raiseMinSequence(keyOf(ref), live.sequence);
  return known === undefined ? 'first' : 'changed';
}

/** Whether a start would believe of the edge what neither this process does nor what it knew and sent says. */
function isDoubted(
  store: Store,
  own: readonly PersistedState[],
  workload: WorkloadRecord,
  ref: ConfigRef,
  { runningDigest }: Edge,
): boolean {
  const believed = believedAtStart(store, store.persisted.state, workload, ref);
  if (believed === undefined || believed === runningDigest) return false;
  return own.every((state) => believedAtStart(store, state, workload, ref) !== believed);
}

function doubt(store: Store, effects: Effects, workload: WorkloadRecord, ref: ConfigRef, edge: Edge): void {
  const config = keyOf(ref);
  const next = putEdge(store, workload, config, nextEdge(edge, { type: 'doubted' }));
  if (isOutdatedOn(store, workload, config, next))
    effects.enqueue(keyOf(workload.workload.ref), { type: 'changed', config });
}
