/** What follows when a shard of the state is read again and shows what this process did not write. */

import { asUnknown, type Edge } from '../model/edge.ts';
import type { ConfigRef, ObjectKey } from '../model/object-ref.ts';
import type { PersistedState } from '../model/persisted-state.ts';
import { exceptionKeyOf, type StateEntry } from '../model/state-entry.ts';
import type { Edges } from './edges.ts';
import { Effects } from './effects.ts';
import { adoptEntry, type StateWrite } from './state-write.ts';

type Exceptions = StateWrite['exceptions'];

/** What was sent to a shard and not answered, or refused because somebody else was faster. */
export type Sent = Pick<StateWrite, 'entries' | 'exceptions'>;

/** Nothing was sent. */
export const NOTHING_SENT: Sent = { entries: new Map(), exceptions: new Map() };

/** How one look at a shard differs from what was known. */
export interface Comparison {
  /** What all shards were known to say together. */
  readonly before: PersistedState;
  readonly sent: Sent;
  /** The shard was emptied: the damage is one, and no entry is told. */
  readonly isEmptied: boolean;
}

/** What one object's entry became in somebody else's hands. */
export interface ForeignEntry {
  readonly config: ObjectKey;
  readonly ref: ConfigRef;
  readonly how: 'removed' | 'changed';
}

/**
 * Compares the state now known to `edges` with what was known and sent. Where this process had no entry, what is there
 * counts from now on. What somebody changed must be looked at afresh, and is uncertain until it is written again.
 */
export function takeInForeign(
  edges: Edges,
  { before, sent, isEmptied }: Comparison,
): { readonly effects: Effects; readonly foreign: readonly ForeignEntry[] } {
  const effects = new Effects();
  const foreign: ForeignEntry[] = [];
  for (const { config, ref, how, live } of entriesOfOthers(edges, before, sent)) {
    if (live !== undefined) remember(edges, config, live);
    if (how === 'first') adoptEntry(edges, effects, config);
    if (how === 'changed') edges.contested.add(config);
    if (how === 'changed' || (how === 'removed' && !isEmptied)) foreign.push({ config, ref, how });
  }
  takeInExceptions(edges, effects, before, sent.exceptions);
  return { effects, foreign };
}

/** The entries of what is followed that are not as this process knew or sent them. */
function* entriesOfOthers(edges: Edges, before: PersistedState, sent: Sent) {
  for (const config of edges.dependents.configs()) {
    const ref = edges.configs.get(config)?.ref;
    if (ref === undefined) continue;
    const key = edges.entryKeyOf(ref);
    const live = edges.state.entries.get(key);
    const how = judge(before.entries.get(key), live, sent.entries.get(key));
    if (how !== 'ours') yield { config, ref, how, live };
  }
}

/** The entry is another process's; the numbers of this one's stamps go on from there. */
function remember(edges: Edges, config: ObjectKey, entry: StateEntry): void {
  edges.elsewhere.set(config, entry);
  edges.raiseFloor(config, entry.number);
}

/**
 * An exception that somebody else wrote says that the pods may not run what this process believes: then nobody knows, and
 * the workload is rolled once more. Two processes that each wrote their own belief would never end.
 */
function takeInExceptions(edges: Edges, effects: Effects, before: PersistedState, sent: Exceptions): void {
  for (const [workload, record] of edges.workloads) {
    const key = edges.exceptionsKeyOf(record.workload.ref);
    const [live = {}, known = {}, ours = {}] = [
      edges.state.exceptions.get(key),
      before.exceptions.get(key),
      sent.get(key),
    ];
    for (const [config, edge] of record.edges) {
      const observed = edges.configs.get(config);
      const local = observed === undefined ? '' : exceptionKeyOf(record.workload.ref.namespace, observed.ref);
      const isForeign = live[local] !== known[local] && live[local] !== ours[local];
      if (isForeign && live[local] !== undefined) doubt(edges, effects, workload, config, edge);
    }
  }
}

function doubt(edges: Edges, effects: Effects, workload: ObjectKey, config: ObjectKey, edge: Edge): void {
  const record = edges.workloads.get(workload);
  const observed = edges.configs.get(config);
  if (record === undefined || observed === undefined || record.inFlight !== undefined) return;
  if (!edges.asks(record, observed) || !edges.wouldForget(record, observed, edge)) return;
  const next = edges.put(record, config, asUnknown(edge));
  if (edges.owesOn(record, config, next)) effects.touch(workload, config);
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
