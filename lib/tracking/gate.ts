/**
 * What keeps an outdated workload from being rolled now although nothing failed: a hold, or a window that is closed. It follows
 * from the present annotations and the time alone, so that a restart finds the same. A list of rules, the first one counts. Pure.
 */

import { heldUntil, isUrgent } from '../annotations/gating.ts';
import { describe } from '../model/object-ref.ts';
import type { Gate } from '../model/outcome.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { isOutdatedOn } from './edge-policy.ts';

type Rule = (store: Store, record: WorkloadRecord, now: number) => Gate | undefined;

const RULES: readonly Rule[] = [
  (_, { workload }, now) => holdOf(workload.annotations, 'it', now),
  (store, record, now) =>
    outdatedObjects(store, record)
      .map(({ ref, annotations }) => holdOf(annotations, describe(ref), now))
      .find((gate) => gate !== undefined),
  (store, record, now) => {
    const { vocabularies } = store.settings;
    const until = vocabularies.reloadWindowOf(record.workload)?.closedUntil(now);
    if (until === undefined || isUrgentFor(store, record)) return undefined;
    return {
      type: 'window',
      until,
      message: `its reload window is closed, at least until ${timeText(until)}`,
    };
  },
];

/** What keeps the workload from being rolled at `now`, in ms since 1970; undefined: nothing. */
export function gateOf(store: Store, record: WorkloadRecord, now: number): Gate | undefined {
  for (const rule of RULES) {
    const gate = rule(store, record, now);
    if (gate !== undefined) return gate;
  }
  return undefined;
}

/** Whether a change that the workload needs a rollout for is urgent: it waits for no window and no pause. */
export function isUrgentFor(store: Store, record: WorkloadRecord): boolean {
  return outdatedObjects(store, record).some(({ annotations }) => isUrgent(annotations));
}

/** The objects that the workload is out of date with. */
export function outdatedObjects(store: Store, record: WorkloadRecord): readonly ConfigRecord[] {
  return [...record.edges]
    .filter(([config, edge]) => isOutdatedOn(store, record, config, edge))
    .flatMap(([config]) => store.configs.get(config) ?? []);
}

function holdOf(annotations: Readonly<Record<string, string>>, who: string, now: number): Gate | undefined {
  const until = heldUntil(annotations);
  if (until === undefined || until <= now) return undefined;
  const end = until === Number.POSITIVE_INFINITY ? 'its annotation hold is taken away' : timeText(until);
  return { type: 'hold', until, message: `${who} is held until ${end}` };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
