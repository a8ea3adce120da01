/** What is different about classes for the judge: pods tell what they have mounted, each for itself. */

import { isClass } from './contents.ts';
import type { ConfigName, WorkloadName } from './history.ts';
import { CLASS } from './manifests.ts';
import { contentAt, endOf, factsOf, type Pod, podsOf } from './timeline.ts';
import type { Trace } from './trace.ts';

/** The provider reported no version of what it mounted. */
export function startedUntold({ reads }: Pod, config: ConfigName): boolean {
  return isClass(config) && reads[config] === undefined;
}

/** Whether a pod runs that tells what it has mounted of the class: without one nothing more is heard of it. */
export function isMounted(trace: Trace, config: ConfigName, at: number): boolean {
  return podsOf(trace).some(({ started, gone, reads }) => started <= at && gone > at && reads[config]);
}

/** Whether it is a class, and each pod of the workload has mounted what is in force. */
export function hasReached(trace: Trace, workload: WorkloadName, config: ConfigName, ms: number): boolean {
  const at = trace.facts.findLast((fact) => fact.ms <= ms)?.at ?? 0;
  const pods = podsOf(trace).filter((pod) => pod.workload === workload && pod.started <= at && pod.gone > at);
  return isClass(config) && pods.every((pod) => pod.reads[config] === contentAt(trace, config, at));
}

/** How many pods began with a content of the class that was not in force then, and is not later: who rolled meanwhile is rolled. */
export function takenBackFor(trace: Trace, workload: WorkloadName): number {
  const isFollower = factsOf(trace, 'workload').some(
    (fact) => fact.workload === workload && fact.follows.includes(CLASS),
  );
  const begun = podsOf(trace).filter(({ started, reads }) => {
    const inForce = contentAt(trace, CLASS, started);
    const isBack = factsOf(trace, 'mounted').some(
      (fact) => fact.content === inForce && fact.at > started && fact.at < endOf(trace),
    );
    const read = reads[CLASS];
    return read !== undefined && inForce !== undefined && read !== inForce && isBack;
  });
  return isFollower ? begun.length : 0;
}
