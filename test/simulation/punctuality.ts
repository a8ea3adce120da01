/** Whether a change waits no longer than the maximum wait. */

import { hasReached } from './class-laws.ts';
import type { ConfigName, WorkloadName } from './history.ts';
import {
  askedSince,
  baselineOf,
  contentAt,
  countsCreation,
  countsDeletion,
  doubtMsOf,
  endOf,
  factsOf,
  inForceAt,
  isFollowing,
  isSelectedAt,
  type Of,
  rolloutsOf,
  workloadsOf,
  writesOf,
} from './timeline.ts';
import type { Recorded, Trace, Violation } from './trace.ts';

/** For the API server and the rounding of timers. */
const GRACE_MS = 1500;

/**
 * The changes that were in force all the time until their maximum wait was over, and beyond, without a rollout. Judged only
 * where nothing but people was in the history: all else may hold a rollout back.
 */
export function judgePunctuality(trace: Trace): readonly Violation[] {
  const { pace, budget, staging } = trace.settings;
  if (trace.accounting !== 'strict' || (pace ?? budget ?? staging) !== undefined) return [];
  return workloadsOf(trace).flatMap((workload) =>
    factsOf(trace, 'content')
      .filter((change) => isOverdue(trace, workload, change))
      .map(({ config, ms }) => {
        const message = `${workload} was not rolled in time for the change of ${config} at ${ms} ms`;
        return { law: 'economy', message } as const;
      }),
  );
}

function isOverdue(trace: Trace, workload: WorkloadName, change: Of<'content'>): boolean {
  const { config, at, ms } = change;
  const deadline = ms + trace.settings.maxWaitMs + GRACE_MS;
  const isMeanwhile = (fact: { readonly ms: number; readonly at: number }) =>
    fact.at >= at && fact.ms <= deadline;
  const contents = factsOf(trace, 'content').filter((fact) => fact.config === config);
  const anchor = anchorOf(trace, workload, config, at);
  const begin = contentAt(trace, config, anchor);
  const before = begin ?? (countsCreation(trace, config) ? '-' : undefined);
  const runningDigest = [before, ...ranBefore(trace, workload, config, at)];
  // What comes to be is followed where only deletions count, unless the pods still run what was before.
  const isMere =
    contentAt(trace, config, at - 1) === undefined &&
    countsDeletion(trace, config) &&
    !countsCreation(trace, config);
  const isLasting = contents
    .filter(isMeanwhile)
    .map((fact) => inForceAt(trace, config, fact.at))
    .every((inForce) => inForce !== undefined && !runningDigest.includes(inForce));
  const moments = (facts: readonly Recorded[]): readonly number[] => [
    at,
    ...[...factsOf(trace, 'workload'), ...facts].filter(isMeanwhile).map((fact) => fact.at),
  ];
  // Which of the two came first, in one moment, no two streams tell.
  const selections = factsOf(trace, 'selection').filter((fact) => fact.ms >= ms && fact.ms <= deadline);
  const isAsked =
    isSelectedAt(trace, at) &&
    selections.length === 0 &&
    moments(contents).every((moment) => isFollowing(trace, workload, config, moment));
  const isRolled = rolloutsOf(trace, workload).some((fact) => fact.at > at && isMeanwhile(fact));
  return (
    before !== undefined &&
    !isMere &&
    isLasting &&
    isAsked &&
    !isRolled &&
    !hasReached(trace, workload, config, deadline) &&
    isWatched(trace, at, deadline)
  );
}

/** When the pods were last known to run what was in force: at our last rollout, or when the baseline was taken. */
function anchorOf(trace: Trace, workload: WorkloadName, config: ConfigName, at: number): number {
  const rollout = rolloutsOf(trace, workload).findLast((fact) => fact.at < at);
  return Math.max(rollout?.at ?? 0, baselineOf(trace, workload, config, at));
}

/** What was in force when the workload began to ask, since our last rollout: what its pods may still run. */
function ranBefore(
  trace: Trace,
  workload: WorkloadName,
  config: ConfigName,
  at: number,
): readonly (string | undefined)[] {
  const rollout = rolloutsOf(trace, workload).findLast((fact) => fact.at < at)?.at ?? 0;
  return askedSince(trace, workload, config, at)
    .filter((since) => since >= rollout || contentAt(trace, config, rollout) === undefined)
    .flatMap((since) => [contentAt(trace, config, since), goneBefore(trace, config, since)]);
}

/** What was deleted so shortly before position `since` that it may have been there still, for all one can know. */
function goneBefore(trace: Trace, config: ConfigName, since: number): string | undefined {
  const deletion = writesOf(trace, config).findLast(({ at }) => at <= since);
  const ms = trace.facts.findLast(({ at }) => at <= since)?.ms ?? 0;
  const isNear = deletion !== undefined && ms - deletion.ms < doubtMsOf(trace);
  return isNear && deletion.content === undefined ? contentAt(trace, config, deletion.at - 1) : undefined;
}

/** Whether one process had listed everything before and lived until the deadline, and the history went on so long. */
function isWatched(trace: Trace, at: number, deadline: number): boolean {
  const end = factsOf(trace, 'settled').find((fact) => fact.at === endOf(trace))?.ms ?? 0;
  const listed = factsOf(trace, 'listed').findLast((fact) => fact.at < at);
  const death = factsOf(trace, 'died').find(({ replica }) => replica === listed?.replica);
  return end > deadline && listed !== undefined && (death === undefined || death.ms > deadline);
}
