/** Pods are evicted for a reason, and no more of them at a time than is allowed. */

import { factsOf, type Of, writesOf } from './timeline.ts';
import type { Trace, Violation } from './trace.ts';

/** Times in metadata are to the second, and those of two servers may differ by one. */
const DOUBT_MS = 2_500;

/** That each content reaches the pods is judged as with any workload. */
export function judgeEvictions(trace: Trace): readonly Violation[] {
  const messages = factsOf(trace, 'evicted').flatMap((fact) => {
    const { pod, workload, ms } = fact;
    const who = `${pod} of ${workload} was evicted at ${ms} ms`;
    return [
      ...(hasReason(trace, fact) ? [] : [`${who} without a reason`]),
      ...(isAllowed(trace, fact) ? [] : [`${who}, ${fact.away} are not ready then`]),
    ];
  });
  return messages.map((message) => ({ law: 'economy', message }));
}

/** It was created before a write of an object that its workload followed. What a process knew that died is not asked for. */
function hasReason(trace: Trace, { workload, createdMs, at }: Of<'evicted'>): boolean {
  if (trace.accounting === 'each' || factsOf(trace, 'died').some((death) => death.at < at)) return true;
  const followed = factsOf(trace, 'workload').filter((fact) => fact.workload === workload && fact.at <= at);
  const configs = new Set(followed.flatMap(({ follows }) => follows));
  return [...configs].some((config) => {
    const times = writesOf(trace, config)
      .filter((fact) => fact.at <= at)
      .map(({ ms }) => ms);
    const isTwice = times.some((ms, index) => ms - (times[index - 1] ?? Number.NEGATIVE_INFINITY) < 1000);
    return isTwice || times.some((ms) => ms >= createdMs - DOUBT_MS);
  });
}

/** One that was not ready served nothing. */
function isAllowed({ settings, accounting }: Trace, { wasReady, away }: Of<'evicted'>): boolean {
  return accounting !== 'strict' || !wasReady || away <= (settings.evictions?.max ?? 1);
}
