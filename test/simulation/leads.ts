/** Where a leader is elected: who writes has the lead, and it is taken over in time. */

import { markIn, type TermMark } from '../../lib/model/shards.ts';
import type { LooseObject } from './api.ts';
import { COPIED_WRITER } from './foreign-leases.ts';
import { LONGEST_TAKE_OVER_MS } from './replica.ts';
import { factsOf, type Of } from './timeline.ts';
import type { Trace, Violation } from './trace.ts';

/** To begin a term, once one leads. */
const BEGIN_MS = 1000;
const AFTER_RELEASE_MS = 2000;

/** The writes without a lead, or in a term that is over, and the leads that a standby took over too late. */
export function judgeLeads(trace: Trace): readonly Violation[] {
  const messages = [...unledOf(trace), ...overwrittenOf(trace), ...lateTakeOversOf(trace)];
  return messages.map((message) => ({ law: 'never', message }));
}

function unledOf(trace: Trace): readonly string[] {
  return factsOf(trace, 'unled').map(({ replica, path, sinceMs }) => {
    const since = sinceMs === undefined ? 'without a Lease' : `${sinceMs} ms after it sent its last renewal`;
    return `replica ${replica} wrote ${path} ${since}`;
  });
}

/** What a state records is written over no other process's mark, but for one of a former term that people have copied there. */
function overwrittenOf(trace: Trace): readonly string[] {
  return factsOf(trace, 'write').flatMap(({ to, replica, before, after }) => {
    const { writer, term } = markOf(before);
    if (to !== 'state' || writer === '' || writer.endsWith(`_${replica}`)) return [];
    if (writer === COPIED_WRITER && term < markOf(after).term) return [];
    return [`replica ${replica} wrote the state in the term of ${writer}`];
  });
}

function markOf(state: unknown): TermMark {
  return markIn((state as Partial<LooseObject> | undefined)?.metadata?.annotations ?? {});
}

/** Whether a process was started that may not read the keys of digests: it may take the lead, and can do nothing with it. */
function isKeyless(trace: Trace): boolean {
  let allowed = true;
  return trace.facts.some((fact) => {
    if (fact.type === 'key-rights') allowed = fact.allowed;
    return fact.type === 'started' && !allowed;
  });
}

/** Judged where requests are answered and people leave the Lease alone. */
function lateTakeOversOf(trace: Trace): readonly string[] {
  const isHindered = factsOf(trace, 'hindered').length + factsOf(trace, 'lease-edited').length > 0;
  if (trace.accounting === 'each' || isHindered || isKeyless(trace)) return [];
  return factsOf(trace, 'died').flatMap((death) => {
    const most = death.how === 'ended' ? AFTER_RELEASE_MS : LONGEST_TAKE_OVER_MS + BEGIN_MS;
    if (death.how === 'lost') return [`replica ${death.replica} lost the lead`];
    const later = trace.facts.slice(trace.facts.indexOf(death));
    const isInTime = later.some(({ type, ms }) => type === 'listed' && ms <= death.ms + most);
    if (isInTime || !hasStandby(trace, death, death.ms + most)) return [];
    return [`the lead that ended at ${death.ms} ms was not taken over within ${most} ms`];
  });
}

/** Whether another process was warm at that death, and is there until `untilMs`. */
function hasStandby(trace: Trace, death: Of<'died'>, untilMs: number): boolean {
  const before = trace.facts.slice(0, trace.facts.indexOf(death));
  return before.some((fact) => {
    if (fact.type !== 'standby') return false;
    const isGone = (end: Of<'ended'> | Of<'died'>): boolean =>
      end.replica === fact.replica && end.ms <= untilMs;
    return !factsOf(trace, 'ended').some(isGone) && !factsOf(trace, 'died').some(isGone);
  });
}
