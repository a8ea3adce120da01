/**
 * Contents with which a workload did not get ready, so that no further one is rolled for them. A halt is remembered, in memory and
 * beside the entry of the object: what people do first, an undo or a deletion, takes away every other sign of it. It ends with
 * another content, or when a person repeats its token on the object, or when that workload gets ready after all.
 */

import { isResumedBy } from '../annotations/gating.ts';
import { isOfContent } from '../model/digest.ts';
import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import { type Halt, MOST_HALTS } from '../model/state-entry.ts';
import type { ConfigRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';

const NOTHING: readonly Halt[] = [];

/** What halted the present content of the object, the oldest first; a person may have let it go on since. */
export function haltsOf(store: Store, config: ConfigRecord): readonly Halt[] {
  const known = store.halts.get(keyOf(config.ref));
  if (known?.changedAt === config.changedAt) return known.halts;
  const { digest, halts = NOTHING } = store.persisted.entryOf(config.ref) ?? {};
  return isOfContent(digest, config) ? halts : NOTHING;
}

/** The halt in force: the newest one that a person has not let go on. */
export function haltOf(store: Store, config: ConfigRecord): Halt | undefined {
  return haltsOf(store, config).slice(resumedIn(store, config)).at(-1);
}

/** Whether a person let the content go on although this workload did not get ready with it: it halts nothing more. */
export function isForgiven(store: Store, config: ConfigRecord, workload: ObjectKey): boolean {
  const halts = haltsOf(store, config);
  const forgiven = halts.slice(0, resumedIn(store, config));
  return halts.length >= MOST_HALTS || forgiven.some((halt) => halt.workload === workload);
}

/** The workload is ready with the present content; whether that ends a halt. */
export function endHalt(store: Store, config: ConfigRecord, workload: ObjectKey): boolean {
  const halts = haltsOf(store, config);
  const resumed = resumedIn(store, config);
  const left = halts.filter((halt, index) => index < resumed || halt.workload !== workload);
  if (left.length < halts.length) setHalts(store, config, left);
  return left.length < halts.length;
}

/** Sets the workloads that did not get ready with the present content. */
export function setHalts(store: Store, config: ConfigRecord, halts: readonly Halt[]): void {
  store.halts.set(keyOf(config.ref), { changedAt: config.changedAt, halts });
}

/** How many of the halts a person has let go on: those up to the one whose token the object repeats. */
function resumedIn(store: Store, config: ConfigRecord): number {
  return haltsOf(store, config).findIndex(({ token }) => isResumedBy(config.annotations, token)) + 1;
}
