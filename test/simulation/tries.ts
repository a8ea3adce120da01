/** Who takes our stamps back, again and again, brings about a bounded number of rollouts for one content. */

import type { WorkloadName } from './history.ts';
import { endOf, workloadsOf } from './timeline.ts';
import type { Recorded, Trace, Violation } from './trace.ts';

/** By one process. Where no answer comes it does not know of each, so there may be as many again. */
const MOST_TRIES = 10;

/** The workloads that were rolled more often than that, with nothing new but stamps that went. */
export function judgeTries(trace: Trace): readonly Violation[] {
  const most = (trace.accounting === 'each' ? 2 : 1) * MOST_TRIES;
  return workloadsOf(trace).flatMap((workload) => {
    const tries = mostTriesOf(trace, workload);
    if (tries <= most) return [];
    return [{ law: 'economy', message: `${workload} was rolled ${tries} times for one content` } as const];
  });
}

/** The most rollouts by one process in a row. */
function mostTriesOf(trace: Trace, workload: WorkloadName): number {
  const tries = new Map<number, number>();
  const end = endOf(trace);
  let takenBack = 0;
  let most = 0;
  for (const fact of trace.facts.filter((one) => one.at <= end && concerns(one, workload))) {
    if (fact.type === 'taken-back') takenBack += 1;
    else if (fact.type === 'owner-write' && takenBack > 0) takenBack -= 1;
    else if (fact.type !== 'write') tries.clear();
    else tries.set(fact.replica, (tries.get(fact.replica) ?? 0) + 1);
    most = Math.max(most, ...tries.values());
  }
  return most;
}

/** Whether it is a rollout of the workload, a stamp that is taken back, or something that it may be rolled for anew. */
function concerns(fact: Recorded, workload: WorkloadName): boolean {
  switch (fact.type) {
    case 'content':
    case 'selection':
    case 'listed':
    case 'state-edited':
      return true;
    case 'workload':
    case 'taken-back':
    case 'owner-write':
      return fact.workload === workload;
    case 'write':
      return fact.to === workload && fact.isResume !== true;
    default:
      return false;
  }
}
