/** What workloads show about a content, as anybody could see it. */

import { type Json, pick } from '../sandbox/json.ts';
import type { ConfigName, WorkloadName } from './history.ts';
import { factsOf, isFollowing, type Of, workloadAt } from './timeline.ts';
import type { Recorded, Trace } from './trace.ts';

type Rollout = Of<'write'>;

const STAMPS = 'reloader.k8s.collaborne.com/stamps';
/** For the API server and the rounding of timers. */
const GRACE_MS = 1000;
/** Until a controller has observed an edit that concerns no pods. */
const BLIP_MS = 50;

/** Whether the stamps of the workload say that it was not healthy before. */
export function isMarkedUnhealthy(workload: unknown): boolean {
  const stamps = pick(workload as Json, 'spec', 'template', 'metadata', 'annotations', STAMPS);
  return String(stamps ?? '').includes('unhealthy-before');
}

/** Its place in the stages just after position `at`. */
export function orderAt(trace: Trace, workload: WorkloadName, at: number): number {
  return Number(healthAt(trace, workload, at)?.order ?? 0);
}

/** Whether pods of the workload could show that the content is good, as it was when it was rolled, and as its stamps say. */
export function canShow(trace: Trace, { to, at, after }: Rollout): boolean {
  const isRollable = workloadAt(trace, to, at)?.rollable === true;
  return isRollable && healthAt(trace, to, at)?.hasPods === true && !isMarkedUnhealthy(after);
}

/** Whether the workload was ready before its rollout, and shows until `now` whether the content is good: nobody has changed it. */
export function isEvidence(trace: Trace, rollout: Rollout, now: Rollout): boolean {
  const { to, at } = rollout;
  const isMeanwhile = (fact: Recorded & { readonly workload: WorkloadName }): boolean =>
    fact.workload === to && fact.at >= at && fact.at <= now.at;
  const place = orderAt(trace, to, at);
  const healths = factsOf(trace, 'health').filter(isMeanwhile);
  const workloads = factsOf(trace, 'workload').filter(isMeanwhile);
  const ownWrites = factsOf(trace, 'write').filter((fact) => isMeanwhile({ ...fact, workload: fact.to }));
  return (
    canShow(trace, rollout) &&
    isReadyAt(trace, to, at - 1) &&
    healths.every(({ hasPods, order }) => hasPods && Number(order) === place) &&
    workloads.every(({ exists, rollable }) => exists && rollable) &&
    !factsOf(trace, 'owner-write').some(isMeanwhile) &&
    !ownWrites.some(({ after }) => isMarkedUnhealthy(after))
  );
}

function healthAt(trace: Trace, workload: WorkloadName, at: number): Of<'health'> | undefined {
  return factsOf(trace, 'health').findLast((fact) => fact.workload === workload && fact.at <= at);
}

/** Whether all its pods are new and ready just after position `at`. */
function isReadyAt(trace: Trace, workload: WorkloadName, at: number): boolean {
  return (
    factsOf(trace, 'rolling').findLast((fact) => fact.workload === workload && fact.at <= at)?.rolling ===
    false
  );
}

/** For how long the workload had been ready when it was rolled, in ms; not at all: 0. */
export function readySince(trace: Trace, { to, at, ms }: Rollout): number {
  const last = factsOf(trace, 'rolling').findLast((fact) => fact.workload === to && fact.at < at);
  return last?.rolling === false ? Math.max(0, ms - last.ms - GRACE_MS) : 0;
}

/** Whether the workload has been ready for the soak since the rollout and before `now`; where news comes late, for a moment. */
export function wasReady(trace: Trace, rollout: Rollout, now: Rollout): boolean {
  return wasReadyBetween(trace, rollout.to, rollout, now);
}

/** The same, between two moments. */
export function wasReadyBetween(
  trace: Trace,
  workload: WorkloadName,
  from: Pick<Recorded, 'at'>,
  to: Pick<Recorded, 'at' | 'ms'>,
): boolean {
  const { accounting, settings } = trace;
  const leastMs = accounting === 'each' ? 0 : Math.max(0, (settings.staging?.soakMs ?? 0) - GRACE_MS);
  const all = factsOf(trace, 'rolling').filter((fact) => fact.workload === workload && fact.at <= to.at);
  const isBlip = (index: number): boolean => {
    const [fact, next] = [all[index], all[index + 1]];
    return fact?.rolling === true && fact.at > from.at && (next?.ms ?? to.ms) - fact.ms < BLIP_MS;
  };
  const facts = all.filter((_, index) => !isBlip(index) && !isBlip(index - 1));
  return facts.some((fact, index) => {
    const end = facts[index + 1];
    if (fact.rolling || (end?.at ?? to.at) <= from.at) return false;
    return (end?.ms ?? to.ms) - fact.ms >= leastMs;
  });
}

/** Whether a person has let a halt of the object go on between two positions. */
export function isResumed(trace: Trace, config: ConfigName, from: number, to: number): boolean {
  return factsOf(trace, 'staged').some(
    (fact) => fact.config === config && fact.resume !== undefined && fact.at > from && fact.at <= to,
  );
}

/** Whether the workload follows the object all the time from one position to another. */
export function isFollowingSince(
  trace: Trace,
  workload: WorkloadName,
  config: ConfigName,
  from: number,
  to: number,
): boolean {
  const facts = factsOf(trace, 'workload').filter((fact) => fact.workload === workload);
  return (
    isFollowing(trace, workload, config, from) &&
    facts
      .filter(({ at }) => at > from && at <= to)
      .every(({ at }) => isFollowing(trace, workload, config, at))
  );
}
