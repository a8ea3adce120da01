/**
 * What follows when a shard of the state is read again and shows entries that this process did not write. Promise:
 * a foreign write can make an edge unknown (one rollout more), but never up to date.
 */

import { keyOf } from '../model/object-ref.ts';
import type { Entries } from '../model/persisted-state.ts';
import { sameEntry } from '../model/state-entry.ts';
import type { ConfigRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { isOutdatedOn, putEdge, recovered } from '../tracking/edge-policy.ts';
import { nextEdge } from '../tracking/edge-state.ts';
import { Effects } from '../tracking/effects.ts';

/**
 * Compares the state in `store` with what this process knew and sent. Where an entry is of another client, edges become unknown of
 * which a start would now believe another running digest. Entries that were removed are written again from memory. `before`: all
 * shards as known before the read; `sent`: the same with a write that is not answered; `isEmptied`: an entry that is gone is no news.
 */
export function takeInForeign(
  store: Store,
  before: Entries,
  sent: Entries = before,
  isEmptied = false,
): Effects {
  const effects = new Effects();
  for (const config of store.dependents.keys()) {
    const observed = store.configs.get(config);
    if (observed === undefined) continue;
    const { ref } = observed;
    const key = store.persisted.entryKeyOf(ref);
    const [entry, known] = [store.persisted.entryOf(ref), before.get(key)];
    if ([known, sent.get(key)].some((own) => sameEntry(entry, own))) continue;
    const detail = entry === undefined ? 'removed' : 'changed';
    if (entry === undefined ? !isEmptied : known !== undefined)
      effects.note({ reason: 'state-foreign', config: ref, detail });
    doubtFollowers(store, effects, observed);
  }
  return effects;
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
