/** What the state says of an object that somebody follows is never taken out of it: a start would take what it finds for the baseline. */

import { ELSEWHERE } from './manifests.ts';
import { contentAt, entryChangesOf, isFollowing, workloadsOf } from './timeline.ts';
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
  // The consent of one that is gone is forgotten with its last follower: who names it then begins with its first content.
  if (isConsentForgotten(trace, config, at)) return false;
  return workloadsOf(trace).some((workload) => isFollowing(trace, workload, config, at));
}

function isConsentForgotten(trace: Trace, config: string, at: number): boolean {
  const needsConsent = config === ELSEWHERE && trace.settings.elsewhere === 'consent';
  return needsConsent && contentAt(trace, config, at) === undefined;
}
