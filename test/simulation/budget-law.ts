/** A rollout begins only into a free slot. That none waits for ever, and none is lost, is judged as without a budget. */

import type { LooseObject } from './api.ts';
import { factsOf, type Of } from './timeline.ts';
import type { Trace, Violation } from './trace.ts';

/** A rollout that stands still takes its slot for so long at least. */
const DEADLINE_MS = 600_000;

type Rollout = Of<'write'>;

/** See the file's comment. */
export function judgeBudget(trace: Trace): readonly Violation[] {
  const { budget } = trace.settings;
  const most = budget?.slots ?? 0;
  if (most === 0) return [];
  const rollouts = factsOf(trace, 'write').filter(isRollout);
  return rollouts.flatMap((rollout) => {
    if (isRollingBefore(trace, rollout)) return []; // its pods were being replaced already
    const begun = rollouts.filter(
      (other) => isBefore(trace, other, rollout) && isInProgress(trace, other, rollout),
    );
    const others = new Set(begun.map(({ to }) => to));
    if (others.size < most) return [];
    const message = `${rollout.to} was rolled at ${rollout.ms} ms beside ${[...others].join(', ')}, of ${most} slots`;
    return [{ law: 'never', message }];
  });
}

/** Pods are replaced by the write. */
function isRollout({ to, isResume, after }: Rollout): boolean {
  const spec = (after as LooseObject | undefined)?.spec;
  return /^(Deployment|StatefulSet|DaemonSet)\//.test(to) && isResume !== true && spec?.replicas !== 0;
}

function isRollingBefore(trace: Trace, { to, at }: Rollout): boolean {
  return factsOf(trace, 'rolling').findLast((fact) => fact.workload === to && fact.at < at)?.rolling === true;
}

/** Whether who began the second one has to know of the first. */
function isBefore(trace: Trace, first: Rollout, second: Rollout): boolean {
  if (first.to === second.to || first.at >= second.at || second.ms - first.ms >= DEADLINE_MS) return false;
  if (first.replica === second.replica) return true;
  const listed = factsOf(trace, 'listed').find(({ replica }) => replica === second.replica);
  return trace.accounting !== 'each' && first.at < (listed?.at ?? 0);
}

/** Whether pods of it were still being replaced, and nobody had changed what that takes. */
function isInProgress(trace: Trace, { to, at }: Rollout, until: Rollout): boolean {
  const isOfIt = (fact: { readonly workload: string; readonly at: number }): boolean =>
    fact.workload === to && fact.at <= until.at;
  const wasChanged = [...factsOf(trace, 'workload'), ...factsOf(trace, 'owner-write')].some(
    (fact) => isOfIt(fact) && fact.at > at,
  );
  const isRollable = (workload: string): boolean =>
    factsOf(trace, 'workload').findLast((fact) => fact.workload === workload && fact.at <= until.at)
      ?.rollable === true;
  const looks = factsOf(trace, 'rolling').filter((fact) => isOfIt(fact) && fact.at >= at);
  return !wasChanged && isRollable(to) && isRollable(until.to) && looks.every(({ rolling }) => rolling);
}
