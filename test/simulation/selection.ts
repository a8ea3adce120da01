/** Where nothing is selected nothing is rolled, and nothing is begun. */

import { entryChangesOf, factsOf, isSelectedAt, rolloutsOf, workloadsOf } from './timeline.ts';
import type { Recorded, Trace, Violation } from './trace.ts';

/** What is under way when a namespace is deselected ends by itself. */
const GRACE_MS = 500;

/** The end of a pause is no rollout. Judged only where news comes at once: who has not heard of the selection cannot heed it. */
export function judgeSelection(trace: Trace): readonly Violation[] {
  if (trace.settings.selected === undefined || trace.accounting === 'each') return [];
  const rolled = workloadsOf(trace)
    .flatMap((workload) => rolloutsOf(trace, workload))
    .filter((rollout) => isDeselected(trace, rollout));
  const messages = [
    ...rolled.map(({ to, ms }) => `${to} was rolled at ${ms} ms, where nothing is selected`),
    ...wrongsOfEntries(trace),
  ];
  return messages.map((message) => ({ law: 'never', message }));
}

function wrongsOfEntries(trace: Trace): string[] {
  return entryChangesOf(trace)
    .filter(({ fact }) => isDeselected(trace, fact))
    .flatMap(({ begun }) => begun)
    .map((config) => `an entry of ${config} was begun where nothing is selected`);
}

/** Whether the namespace has not been selected for a while. */
function isDeselected(trace: Trace, { at, ms }: Recorded): boolean {
  const last = factsOf(trace, 'selection').findLast((fact) => fact.at <= at);
  return !isSelectedAt(trace, at) && (last === undefined || ms - last.ms > GRACE_MS);
}
