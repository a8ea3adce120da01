/** What the state says of an object that somebody follows is never taken out of it: a start would take what it finds for the baseline. */

import { entryChangesOf, isFollowing, workloadsOf } from './timeline.ts';
import type { Trace, Violation } from './trace.ts';

/** Judged only where nobody else edits the state, and where news comes at once. */
export function judgeEntries(trace: Trace): readonly Violation[] {
  if (trace.accounting === 'each') return [];
  return entryChangesOf(trace).flatMap(({ fact, gone }) =>
    gone
      .filter((config) => isFollowed(trace, config, fact.at))
      .map((config) => ({
        law: 'never',
        message: `the entry of ${config} was forgotten, which somebody follows`,
      })),
  );
}

function isFollowed(trace: Trace, config: string, at: number): boolean {
  return workloadsOf(trace).some((workload) => isFollowing(trace, workload, config, at));
}
