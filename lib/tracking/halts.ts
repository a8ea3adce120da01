/**
 * Contents with which a workload did not get ready, so that no further one is rolled for them. A halt is remembered, in memory and
 * beside the entry of the object: what people do first, an undo or a deletion, takes away every other sign of it. It ends with
 * another content, or when a person repeats its token on the object, or when that workload gets ready after all.
 */

import { createHash } from 'node:crypto';
import { isResumedBy } from '../annotations/gating.ts';
import { isOfContent } from '../model/digest.ts';
import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import { type Halt, MOST_HALTS } from '../model/state-entry.ts';
import type { ConfigRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';

const NOTHING: readonly Halt[] = [];
/** In the place of a token, no halt: the workload has stayed ready with the content, or stood still before. */
export const PROVEN = '0';
/** See PROVEN. */
export const STOOD_STILL = '1';

/** What is remembered of the present content, the oldest first. */
export function notesOf(store: Store, config: ConfigRecord): readonly Halt[] {
  const known = store.halts.get(keyOf(config.ref));
  if (known?.changedAt === config.changedAt) return known.halts;
  const { digest, halts = NOTHING } = store.persisted.entryOf(config.ref) ?? {};
  return isOfContent(digest, config) ? halts : NOTHING;
}

/** The current halt: the newest one that a person has not let go on. */
export function haltOf(store: Store, config: ConfigRecord): Halt | undefined {
  return haltsOf(store, config).slice(resumedIn(store, config)).at(-1);
}

/** How many of the halts a person has let go on: those up to the one whose token the object repeats. */
export function resumedIn(store: Store, config: ConfigRecord): number {
  return haltsOf(store, config).findIndex(({ token }) => isResumedBy(config.annotations, token)) + 1;
}

/** Whether a person let the content go on although this workload did not get ready with it: it halts nothing more. */
export function isForgiven(store: Store, config: ConfigRecord, workload: ObjectKey): boolean {
  const halts = haltsOf(store, config);
  const forgiven = halts.slice(0, resumedIn(store, config));
  return halts.length >= MOST_HALTS || forgiven.some((halt) => halt.workload === workload);
}

/** Ends the current halts by the workload; whether there was one. */
export function endHalt(store: Store, config: ConfigRecord, workload: ObjectKey): boolean {
  const ended = haltsOf(store, config)
    .slice(resumedIn(store, config))
    .filter((halt) => halt.workload === workload);
  if (ended.length > 0)
    setNotes(
      store,
      config,
      notesOf(store, config).filter((halt) => !ended.includes(halt)),
    );
  return ended.length > 0;
}

/** The workload in a note. Short: there may be one for each follower. */
export function idOf(workload: ObjectKey): string {
  return createHash('sha1').update(workload).digest('hex').slice(0, 8);
}

/** Adds a halt or a note; false: it is known. */
export function addNote(store: Store, config: ConfigRecord, note: Halt): boolean {
  const notes = notesOf(store, config);
  if (notes.some(({ token, workload }) => token === note.token && workload === note.workload)) return false;
  setNotes(store, config, [...notes, note]);
  return true;
}

function haltsOf(store: Store, config: ConfigRecord): readonly Halt[] {
  return notesOf(store, config).filter(({ token }) => token !== PROVEN && token !== STOOD_STILL);
}

function setNotes(store: Store, config: ConfigRecord, halts: readonly Halt[]): void {
  store.halts.set(keyOf(config.ref), { changedAt: config.changedAt, halts });
}
