/** What the state says of an object that somebody follows is never taken out of it: a start would take what it finds for the baseline. */

import { entryChangesOf, factsOf, isFollowing, workloadsOf } from './timeline.ts';
import type { Recorded, Trace, Violation } from './trace.ts';

/** From a decision to its write. */
const AT_ONCE_MS = 20;

/** Judged only where nobody else edits the state, and where news comes at once. */
export function judgeEntries(trace: Trace): readonly Violation[] {
  if (trace.accounting === 'each') return [];
  return entryChangesOf(trace).flatMap(({ fact, gone }) =>
    gone
      .filter((config) => isFollowed(trace, config, fact))
      .map((config) => ({
        law: 'never',
        message: `the entry of ${config} was forgotten, which somebody follows`,
      })),
  );
}

/** Not by one that ceased to follow it in the same moment: who wrote that may not have heard that it follows again. */
function isFollowed(trace: Trace, config: string, { at, ms }: Recorded): boolean {
  const edits = factsOf(trace, 'workload').filter((fact) => fact.at <= at && ms - fact.ms <= AT_ONCE_MS);
  return workloadsOf(trace).some((workload) =>
    [at, ...edits.map((edit) => edit.at)].every((moment) => isFollowing(trace, workload, config, moment)),
  );
}
