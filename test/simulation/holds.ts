/** A workload that is rolled for keys waits for what its pods do not start without. */

import { split } from './api.ts';
import type { ConfigName, WorkloadName } from './history.ts';
import { contentAt, factsOf, isFollowing, type Of, rolloutsOf, workloadAt, workloadsOf } from './timeline.ts';
import type { Trace, Violation } from './trace.ts';

/** What is under way when an object goes ends by itself. */
const GRACE_MS = 500;

/**
 * Judged only where news comes at once, and where all workloads are rolled for keys. A Secret that no stream shows may be
 * there all the same: it holds nobody until that was found out. Nor does what a process has not listed yet.
 */
export function judgeHolds(trace: Trace): readonly Violation[] {
  if (trace.settings.keys?.noise !== true || trace.accounting === 'each') return [];
  // A pattern means the names that there are, not that of an object which is away.
  const lacks: Lacks = (workload, at) =>
    workloadAt(trace, workload, at)?.asked?.by !== 'pattern' &&
    needsOf(trace, workload, at).some(isConfigMap);
  return workloadsOf(trace)
    .flatMap((workload) => rolloutsOf(trace, workload))
    .filter((rollout) => hasListed(trace, rollout) && lacks(rollout.to, rollout.at))
    .filter(({ to, at, ms }) => isHeldSince(trace, to, ms - GRACE_MS, at, lacks))
    .map(({ to, ms }) => ({
      law: 'never',
      message: `${to} was rolled at ${ms} ms, without what its pods need`,
    }));
}

/** Whether something is absent just after position `at` that the workload follows and its pods need. */
export function isHeldAt(trace: Trace, workload: WorkloadName, at: number): boolean {
  return needsOf(trace, workload, at).length > 0;
}

type Lacks = (workload: WorkloadName, at: number) => boolean;

/** What is absent of what it needs. */
function needsOf(trace: Trace, workload: WorkloadName, at: number): readonly ConfigName[] {
  const { required = [] } = trace.settings;
  return required.filter(
    (config) => contentAt(trace, config, at) === undefined && isFollowing(trace, workload, config, at),
  );
}

/** Whether the process that wrote it had listed everything a while ago. */
function hasListed(trace: Trace, { replica, ms }: Of<'write'>): boolean {
  return factsOf(trace, 'listed').some((listed) => listed.replica === replica && listed.ms < ms - GRACE_MS);
}

function isConfigMap(config: ConfigName): boolean {
  return split(config).kind === 'ConfigMap';
}

/** Whether it was so all the time from `fromMs` to position `at`. */
function isHeldSince(
  trace: Trace,
  workload: WorkloadName,
  fromMs: number,
  at: number,
  lacks: Lacks,
): boolean {
  return [...factsOf(trace, 'content'), ...factsOf(trace, 'workload')]
    .filter((fact) => fact.ms >= fromMs && fact.at <= at)
    .every((fact) => lacks(workload, fact.at) && lacks(workload, fact.at - 1));
}
