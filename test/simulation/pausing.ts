/** Deployments that ask for a pause: what a reloader may write to them, and when it is over. */

import { parseGoDurationMs } from '../../lib/model/time.ts';
import type { LooseObject } from './api.ts';
import { EPOCH_MS } from './clock.ts';
import type { WorkloadName } from './history.ts';
import { factsOf, type Of } from './timeline.ts';
import type { Trace, Violation } from './trace.ts';

/** How long a pause is to be, as a Deployment says it. */
export const PERIOD = 'deployment.reloader.stakater.com/pause-period';
/** When a reloader began it; without this a pause is a person's. */
export const PAUSED_AT = 'deployment.reloader.stakater.com/paused-at';

/** To look again, since the end is by the time of day. */
const LOOK_MS = 60_000;
/** For the quiet period of a start, the API server and the rounding of timers. */
const GRACE_MS = 10_000;

/** The pause of a workload that a reloader began; undefined: it is in none. */
export function pauseOf(workload: LooseObject): Omit<Of<'pause'>, 'type' | 'workload' | 'at' | 'ms'> {
  const { annotations = {} } = workload.metadata;
  const since = workload.spec.paused === true ? annotations[PAUSED_AT] : undefined;
  return { since, periodMs: since === undefined ? undefined : periodMsOf(workload) };
}

/**
 * Each patch of an unpaused Deployment that asks for a pause begins one, one that comes in a pause leaves it as it was, and
 * nobody but people ends it before its time: then no period has two rollouts. None outlasts its time while somebody looks.
 * Not judged where the time of day jumps, by which they end. What people paused is judged with all that is not the reloader's.
 */
export function judgePauses(trace: Trace): readonly Violation[] {
  if (factsOf(trace, 'jumped').length > 0) return [];
  const writes = factsOf(trace, 'write').flatMap((write) => wrongOf(write));
  const ends = factsOf(trace, 'pause').filter((fact) => isOverdue(trace, fact));
  const overdue = ends.map(({ workload, since }) => `${workload} is still paused, which began ${since}`);
  return [...writes, ...overdue].map((message) => ({ law: 'convergence', message }));
}

function wrongOf(write: Of<'write'>): string[] {
  const [before, after] = [write.before, write.after] as (LooseObject | undefined)[];
  if (before?.metadata === undefined || after === undefined || !write.to.startsWith('Deployment/')) return [];
  const { since } = pauseOf(before);
  if (since !== undefined) return wrongOfPaused(write, before, pauseOf(after).since);
  const asks = before.spec.paused !== true && (periodMsOf(before) ?? 0) > 0 && write.isResume !== true;
  return asks && pauseOf(after).since === undefined ? [`${write.to} was rolled without its pause`] : [];
}

function wrongOfPaused({ to, ms }: Of<'write'>, before: LooseObject, now: string | undefined): string[] {
  const { since = '', periodMs = 0 } = pauseOf(before);
  if (now === undefined && EPOCH_MS + ms < Date.parse(since) + periodMs)
    return [`the pause of ${to} was ended before its time`];
  return now === undefined || now === since ? [] : [`the pause of ${to} was begun again`];
}

/** Whether the pause that `fact` tells of goes on although it was over while one process looked for long enough. */
function isOverdue(trace: Trace, fact: Of<'pause'>): boolean {
  if (fact.since === undefined) return false;
  const pauses = factsOf(trace, 'pause').filter(({ workload }) => workload === fact.workload);
  const next = pauses.find(({ at }) => at > fact.at);
  const endsMs = Date.parse(fact.since) + (fact.periodMs ?? 0) - EPOCH_MS;
  const begin = Math.max(fact.ms, endsMs);
  const mostMs = LOOK_MS + trace.settings.maxWaitMs + GRACE_MS;
  if (next === undefined) return factsOf(trace, 'settled').some(({ ms }) => ms > begin + mostMs);
  if (trace.accounting === 'each' || isRefused(trace, fact.workload)) return false;
  return factsOf(trace, 'listed').some(({ replica, ms }) => {
    const death = factsOf(trace, 'died').find((died) => died.replica === replica);
    const deadline = Math.max(begin, ms) + mostMs;
    return deadline < next.ms && (death?.ms ?? Number.POSITIVE_INFINITY) > deadline;
  });
}

function isRefused(trace: Trace, workload: WorkloadName): boolean {
  return factsOf(trace, 'refused').some((fact) => fact.workload === workload);
}

function periodMsOf({ metadata }: LooseObject): number | undefined {
  const text = metadata.annotations?.[PERIOD];
  return text === undefined ? undefined : parseGoDurationMs(text);
}
