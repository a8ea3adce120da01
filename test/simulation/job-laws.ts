/** Jobs that are created anew are never lost, and what is not the reloader's to touch is not touched. */

import type { WorkloadName } from './history.ts';
import { factsOf, type Of } from './timeline.ts';
import type { Trace, Violation } from './trace.ts';

/** That each content reaches them, and how often, is judged as with any workload: who is created anew is rolled. */
export function judgeJobs(trace: Trace): readonly Violation[] {
  const jobs = Map.groupBy(factsOf(trace, 'job'), ({ workload }) => workload);
  const messages = [...jobs].flatMap(([workload, facts]) => [
    ...facts.flatMap((fact, index) => {
      const wrong = wrongOf(fact, thereAfter(facts.slice(0, index)), trace.accounting === 'each');
      return wrong === undefined ? [] : [`${workload} ${wrong} at ${fact.ms} ms`];
    }),
    ...leftOf(workload, facts),
  ]);
  return messages.map((message) => ({ law: 'never', message }));
}

interface There {
  readonly job: Of<'job'> | undefined;
  readonly copy: Of<'job'> | undefined;
}

/** What became last of the Job and of its copy. */
function thereAfter(facts: readonly Of<'job'>[]): There {
  return {
    job: facts.findLast(({ what }) => what === 'made' || what === 'deleted'),
    copy: facts.findLast(({ what }) => what === 'made copy' || what === 'deleted copy'),
  };
}

/** What is sent as a Job goes cannot be held back any more. */
const UNDER_WAY_MS = 500;

function isGoneForLong(job: Of<'job'> | undefined, ms: number): boolean {
  return job?.what === 'deleted' && ms - job.ms > UNDER_WAY_MS;
}

/** What a reloader may not do. News that come late may let it copy what is gone: that comes back. */
function wrongOf(
  { what, by, isOwned, isOfSuspended, ms }: Of<'job'>,
  { job, copy }: There,
  isLate: boolean,
): string | undefined {
  if (by === undefined) return undefined;
  // A request that is late was sent before.
  if (isOfSuspended && !isLate) return 'is a run of a suspended CronJob';
  if (isOwned) return what === 'made' ? undefined : 'was touched, which is not to be';
  if (what === 'made copy')
    return isGoneForLong(job, ms) && !isLate ? 'was copied once it was gone' : undefined;
  const isBacked = what === 'deleted copy' || copy?.what === 'made copy';
  return isBacked ? undefined : `was ${what} without a copy`;
}

function leftOf(workload: WorkloadName, facts: readonly Of<'job'>[]): string[] {
  const { job, copy } = thereAfter(facts);
  if (copy?.what === 'made copy') return [`a copy of ${workload} is left`];
  return job?.what === 'deleted' && job.by !== undefined ? [`${workload} is lost`] : [];
}
