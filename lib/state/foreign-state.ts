/**
 * What follows when a shard of the state is read again and shows entries that this process did not write. Promise:
 * a foreign write can make an edge unknown (one rollout more), but never up to date.
 */

import { translated } from '../model/digest.ts';
import type { Edge } from '../model/edge.ts';
import { type ConfigRef, keyOf } from '../model/object-ref.ts';
import type { Entries } from '../model/persisted-state.ts';
import { sameEntry } from '../model/state-entry.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { isOutdatedOn, putEdge } from '../tracking/edge-policy.ts';
import { nextEdge } from '../tracking/edge-state.ts';
import { Effects } from '../tracking/effects.ts';
import { believedAtStart } from './state-write.ts';

/** The two states that this process may have written; the third, as just read, is in `store.persisted`. */
export interface Comparison {
  /** All shards together, as known before the read. */
  readonly before: Entries;
  /** The same with the write that was sent to the shard and not answered. @default no such write */
  readonly sent?: Entries | undefined;
  /** The shard lost all of its entries: this is reported once, not for each entry. */
  readonly isEmptied: boolean;
}

/** An entry that another client changed or removed. */
export interface ForeignEntry {
  readonly ref: ConfigRef;
  readonly how: 'removed' | 'changed';
}

/**
 * Compares the state in `store` with what this process knew and sent. An edge of which a start would now believe something that
 * this process never wrote becomes unknown. Entries that were removed are written again from memory by the next commit.
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

/** Whether this process wrote the entry of `ref`. */
function judge(
  store: Store,
  [before, sent]: readonly [Entries, Entries],
  ref: ConfigRef,
): ForeignEntry['how'] | 'first' | 'own' {
  const key = store.persisted.entryKeyOf(ref);
  const live = store.persisted.entryOf(ref);
  const known = before.get(key);
  if (sameEntry(live, known) || sameEntry(live, sent.get(key))) return 'own';
  if (live === undefined) return 'removed';
  return known === undefined ? 'first' : 'changed';
}

/**
 * Whether a start would believe a running digest that differs from this edge's, and that no state of `own` would lead it to.
 */
function isDoubted(
  store: Store,
  own: readonly Entries[],
  workload: WorkloadRecord,
  ref: ConfigRef,
  { runningDigest }: Edge,
): boolean {
  const record = store.configs.get(keyOf(ref)) ?? {};
  const believed = translated(believedAtStart(store, store.persisted.state.entries, workload, ref), record);
  if (believed === undefined || believed === runningDigest) return false;
  return own.every((state) => translated(believedAtStart(store, state, workload, ref), record) !== believed);
}

function doubt(store: Store, effects: Effects, workload: WorkloadRecord, ref: ConfigRef, edge: Edge): void {
  const config = keyOf(ref);
  const next = putEdge(store, workload, config, nextEdge(edge, { type: 'doubted' }));
  if (isOutdatedOn(store, workload, config, next))
    effects.enqueue(keyOf(workload.workload.ref), { type: 'changed', config });
}
