/** Rollouts of Argo: no new revision during an abort, a restart with its record, and no two patches in one window. */

import { isDeepStrictEqual } from 'node:util';
import type { LooseObject } from './api.ts';
import { factsOf, type Of, rolloutsOf, workloadsOf } from './timeline.ts';
import type { Trace, Violation } from './trace.ts';

const RESTARTED_AT = 'reloader.k8s.collaborne.com/restarted-at';
/** What is on its way when a person aborts. */
const GRACE_MS = 100;

/** That each content reaches the pods, and no rollout is without a reason, is judged as with any workload. */
export function judgeRollouts(trace: Trace): readonly Violation[] {
  if (trace.settings.argo === undefined) return [];
  const messages = workloadsOf(trace).flatMap((workload) => {
    const rollouts = rolloutsOf(trace, workload);
    return [
      ...rollouts.filter((rollout) => isForced(trace, rollout)).map(said('during an abort')),
      ...rollouts.filter((rollout) => !isRecorded(rollout)).map(said('by a restart without its record')),
      ...rollouts
        .filter((one, index) => isInOneWindow(trace, rollouts[index - 1], one))
        .map(said('twice in a window')),
    ];
  });
  return messages.map((message) => ({ law: 'never', message }));
}

function said(how: string): (rollout: Of<'write'>) => string {
  return ({ to, ms }) => `${to} was rolled at ${ms} ms, ${how}`;
}

/** A restart brings no new revision. Who hears late of an abort does not know of it. */
function isForced(trace: Trace, rollout: Of<'write'>): boolean {
  if (trace.accounting === 'each' || isRestart(rollout)) return false;
  const last = factsOf(trace, 'aborted').findLast(
    ({ workload, at }) => workload === rollout.to && at < rollout.at,
  );
  return last?.aborted === true && rollout.ms - last.ms > GRACE_MS;
}

/** The record speaks only together with its restart. */
function isRecorded(rollout: Of<'write'>): boolean {
  const { metadata, spec } = (rollout.after ?? {}) as Partial<LooseObject>;
  return !isRestart(rollout) || metadata?.annotations?.[RESTARTED_AT] === spec?.restartAt;
}

function isRestart({ before, after }: Of<'write'>): boolean {
  const [old, now] = [before, after].map((object) => (object as LooseObject | undefined)?.spec);
  return isDeepStrictEqual(old?.template, now?.template);
}

/** A change that comes after a patch waits for its own quiet period. What else needs one has no window, or another process. */
function isInOneWindow(trace: Trace, before: Of<'write'> | undefined, rollout: Of<'write'>): boolean {
  if (trace.accounting !== 'strict' || before === undefined || before.replica !== rollout.replica)
    return false;
  return rollout.ms - before.ms < trace.settings.coalescePeriodMs - GRACE_MS;
}
