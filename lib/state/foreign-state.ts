/**
 * What follows when a shard of the state is read again and shows entries that this process did not write. Promise:
 * a foreign write can make an edge unknown (one rollout more), but never up to date.
 */

import { type ConfigRef, keyOf } from '../model/object-ref.ts';
import type { Entries } from '../model/persisted-state.ts';
import { sameEntry } from '../model/state-entry.ts';
import type { ConfigRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { isOutdatedOn, putEdge, recovered } from '../tracking/edge-policy.ts';
import { nextEdge } from '../tracking/edge-state.ts';
import { Effects } from '../tracking/effects.ts';

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
 * Compares the state in `store` with what this process knew and sent. Where an entry is of another client, edges become unknown of
 * which a start would now believe another running digest. Entries that were removed are written again from memory.
 */
export function takeInForeign(
  store: Store,
  { before, sent = before, isEmptied }: Comparison,
): { readonly effects: Effects; readonly foreign: readonly ForeignEntry[] } {
  const effects = new Effects();
  const foreign: ForeignEntry[] = [];
  for (const config of store.dependents.keys()) {
    const observed = store.configs.get(config);
    if (observed === undefined) continue;
    const { ref } = observed;
    const key = store.persisted.entryKeyOf(ref);
    const [entry, known] = [store.persisted.entryOf(ref), before.get(key)];
    if ([known, sent.get(key)].some((own) => sameEntry(entry, own))) continue;
    if (entry === undefined && !isEmptied) foreign.push({ ref, how: 'removed' });
    if (entry !== undefined && known !== undefined) foreign.push({ ref, how: 'changed' });
    doubtFollowers(store, effects, observed);
  }
  return { effects, foreign };
}

function doubtFollowers(store: Store, effects: Effects, observed: ConfigRecord): void {
  const config = keyOf(observed.ref);
  const entry = store.persisted.entryOf(observed.ref);
  for (const [record, edge] of store.edgesOf(config)) {
    const believed = recovered(entry, record, observed, edge);
    if (believed === undefined || believed === edge.runningDigest) continue;
    const next = putEdge(store, record, config, nextEdge(edge, { type: 'doubted' }));
    if (isOutdatedOn(store, record, config, next))
      effects.enqueue(keyOf(record.workload.ref), { type: 'changed', config });
  }
}
