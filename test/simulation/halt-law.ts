/** A content with which a workload did not get ready goes to nobody else, until a person lets it go on or that workload gets ready. */

import type { WorkloadName } from './history.ts';
import { isEvidence, isResumed, wasReadyBetween } from './stage-health.ts';
import type { StagedChange } from './stage-law.ts';
import { factsOf, type Of } from './timeline.ts';
import type { Halt, Recorded, Trace } from './trace.ts';

type Rollout = Of<'write'>;

/** To hear that a workload fails, and to write that down. */
const ENOUGH_MS = 5000;
/** The longest time that a patch is on its way, where requests may be slow. */
const UNDER_WAY_MS = 60_000;

/** Why the rollout may not bring the content. */
export function judgeHalt(trace: Trace, rollout: Rollout, change: StagedChange): readonly string[] {
  const { config } = change;
  return [
    ...recordedHalts(trace, rollout, change).map(
      ({ workload }) => `with ${config}, which ${workload} halted`,
    ),
    ...seenFailing(trace, rollout, change).map((workload) => `with ${config}, with which ${workload} failed`),
  ];
}

/** What the state said just before, as far as whoever wrote the rollout had to know it. */
function recordedHalts(trace: Trace, rollout: Rollout, { config, since }: StagedChange): readonly Halt[] {
  const slackMs = trace.accounting === 'each' ? UNDER_WAY_MS : ENOUGH_MS;
  const fact = factsOf(trace, 'halts').findLast(({ at }) => at < rollout.at);
  const halted = fact?.of[config];
  if (fact === undefined || halted === undefined || halted.content !== since.content) return [];
  if (rollout.ms - fact.ms < slackMs) return [];
  const listed = factsOf(trace, 'listed').findLast(
    ({ replica, at }) => replica === rollout.replica && at < rollout.at,
  );
  const written = factsOf(trace, 'write').findLast(({ to, at }) => to === 'state' && at <= fact.at);
  if (written?.replica !== rollout.replica && fact.at > (listed?.at ?? 0)) return [];
  const inForce = halted.halts.slice(forgivenIn(trace, rollout, config, halted.halts));
  return inForce.some(({ workload }) => wasReadyBetween(trace, workload, fact, rollout))
    ? []
    : inForce.slice(-1);
}

/** How many of the halts a person has let go on. */
function forgivenIn(trace: Trace, { at }: Rollout, config: string, halts: readonly Halt[]): number {
  const staged = factsOf(trace, 'staged').findLast((fact) => fact.config === config && fact.at <= at);
  return halts.findIndex(({ token }) => token === staged?.resume) + 1;
}

/** The workloads that failed with the content for long enough to be heard of, by a process that lived on. */
function seenFailing(
  trace: Trace,
  rollout: Rollout,
  { config, since, begun }: StagedChange,
): readonly WorkloadName[] {
  if (trace.accounting === 'each' || factsOf(trace, 'hindered').length > 0) return [];
  const isLetGo = isResumed(trace, config, since.at, rollout.at);
  return isLetGo ? [] : begun.filter((other) => isSeenFailing(trace, other, rollout)).map(({ to }) => to);
}

function isSeenFailing(trace: Trace, begun: Rollout, rollout: Rollout): boolean {
  const healths = factsOf(trace, 'health').filter(({ workload }) => workload === begun.to);
  return healths.some((fact, index) => {
    if (!fact.isGivenUp || fact.at <= begun.at || fact.at >= rollout.at) return false;
    if (!isEvidence(trace, begun, { ...rollout, at: fact.at })) return false;
    const endMs = Math.min(endOf(trace, begun.to, healths[index + 1], fact), rollout.ms);
    return isHeard(trace, fact.ms, endMs) && !wasReadyBetween(trace, begun.to, fact, rollout);
  });
}

/** Until when it is seen to fail: whatever is done to it ends that. */
function endOf(trace: Trace, workload: WorkloadName, next: Recorded | undefined, { at }: Recorded): number {
  const acts = [...factsOf(trace, 'owner-write'), ...factsOf(trace, 'workload')].filter(
    (fact) => fact.workload === workload && fact.at > at,
  );
  return Math.min(...[...acts, ...(next ? [next] : [])].map(({ ms }) => ms), Number.POSITIVE_INFINITY);
}

/** Whether a process that had listed everything lived for long enough between the two moments. */
function isHeard(trace: Trace, fromMs: number, toMs: number): boolean {
  return factsOf(trace, 'listed').some(({ replica, at, ms }) => {
    const death = factsOf(trace, 'died').find((died) => died.replica === replica && died.at > at);
    return Math.min(toMs, death?.ms ?? Number.POSITIVE_INFINITY) - Math.max(fromMs, ms) >= ENOUGH_MS;
  });
}
