/** What follows when a shard of the state is read again and shows what this process did not write. */

import { asUnknown, type Edge } from '../model/edge.ts';
import { type ConfigRef, keyOf } from '../model/object-ref.ts';
import type { PersistedState } from '../model/persisted-state.ts';
import type { Edges, WorkloadRecord } from '../tracking/edges.ts';
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
  edges: Edges,
  { before, sent = before, isEmptied }: Comparison,
): { readonly effects: Effects; readonly foreign: readonly ForeignEntry[] } {
  const effects = new Effects();
  const foreign: ForeignEntry[] = [];
  for (const config of edges.dependents.configs()) {
    const ref = edges.configs.get(config)?.ref;
    if (ref === undefined) continue;
    const how = judge(edges, [before, sent], ref);
    if (how === 'changed' || (how === 'removed' && !isEmptied)) foreign.push({ ref, how });
    for (const [workload, edge] of edges.edgesOf(config)) {
      if (isDoubted(edges, [before, sent], workload, ref, edge)) doubt(edges, effects, workload, ref, edge);
    }
  }
  return { effects, foreign };
}

/** Whose the entry of `ref` is, seen from what was known and sent; the numbers of stamps go on above that of others. */
function judge(
  edges: Edges,
  [before, sent]: readonly [PersistedState, PersistedState],
  ref: ConfigRef,
): ForeignEntry['how'] | 'first' | 'own' {
  const key = edges.entryKeyOf(ref);
  const live = edges.entryOf(ref);
  const known = before.entries.get(key);
  if (sameEntry(live, known) || sameEntry(live, sent.entries.get(key))) return 'own';
  if (live === undefined) return 'removed';
  edges.raiseMinSequence(keyOf(ref), live.sequence);
  return known === undefined ? 'first' : 'changed';
}

/** Whether a start would believe of the edge what neither this process does nor what it knew and sent says. */
function isDoubted(
  edges: Edges,
  own: readonly PersistedState[],
  workload: WorkloadRecord,
  ref: ConfigRef,
  { runningDigest }: Edge,
): boolean {
  const believed = believedAtStart(edges, edges.state, workload, ref);
  if (believed === undefined || believed === runningDigest) return false;
  return own.every((state) => believedAtStart(edges, state, workload, ref) !== believed);
}

function doubt(edges: Edges, effects: Effects, workload: WorkloadRecord, ref: ConfigRef, edge: Edge): void {
  const config = keyOf(ref);
  const next = edges.put(workload, config, asUnknown(edge));
  if (edges.isOutdatedOn(workload, config, next)) effects.enqueue(keyOf(workload.workload.ref), config);
}
