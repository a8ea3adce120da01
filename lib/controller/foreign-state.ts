/** What follows when the state ConfigMap is read again and shows entries that this process did not write. */

import type { ConfigRef, ObjectKey } from '../model/object-ref.ts';
import type { StateEntry, StateKey } from '../model/state-entry.ts';
import type { Edges } from './edges.ts';
import { Effects } from './effects.ts';
import { adoptEntry } from './state-write.ts';

/** The entries of a state, by key. */
export type Entries = ReadonlyMap<StateKey, StateEntry | undefined>;

/** What one object's entry became in somebody else's hands. */
export interface ForeignEntry {
  readonly config: ObjectKey;
  readonly ref: ConfigRef;
  readonly how: 'removed' | 'changed';
}

/**
 * Compares the state now known to `edges` with what was known `before` and what was `sent` and not answered. Where this
 * process had no entry, what is there counts from now on. What somebody changed must be looked at afresh, and is uncertain
 * until it is written again; with the whole map gone the damage is one, and no entry is told.
 */
export function takeInForeign(
  edges: Edges,
  before: Entries,
  sent: Entries,
): { readonly effects: Effects; readonly foreign: readonly ForeignEntry[] } {
  const effects = new Effects();
  const foreign: ForeignEntry[] = [];
  const after = edges.state.entries;
  for (const config of edges.dependents.configs()) {
    const ref = edges.configs.get(config)?.ref;
    if (ref === undefined) continue;
    const key = edges.entryKeyOf(ref);
    const how = judge(before.get(key), after.get(key), sent.get(key));
    if (how === 'first') adoptEntry(edges, effects, config);
    if (how === 'removed' && after.size > 0) foreign.push({ config, ref, how });
    if (how !== 'changed') continue;
    edges.floors.set(config, Math.max(edges.floors.get(config) ?? 0, after.get(key)?.number ?? 0));
    edges.contested.add(config);
    foreign.push({ config, ref, how });
  }
  return { effects, foreign };
}

/** Whose the live entry is, seen from what was known and what was sent. */
function judge(
  known: StateEntry | undefined,
  live: StateEntry | undefined,
  sent: StateEntry | undefined,
): 'ours' | 'removed' | 'first' | 'changed' {
  if (live === undefined) return known === undefined ? 'ours' : 'removed';
  if (sameEntry(live, known) || sameEntry(live, sent)) return 'ours';
  return known === undefined ? 'first' : 'changed';
}

function sameEntry(a: StateEntry, b: StateEntry | undefined): boolean {
  return a.digest === b?.digest && a.number === b.number;
}
