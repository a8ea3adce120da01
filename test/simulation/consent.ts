/** Of an object of another namespace nothing is stamped or written to the state but what was in force while it allowed that. */

import { entryKeyOf } from '../../lib/model/state-entry.ts';
import { type LooseObject, NAMESPACE, split } from './api.ts';
import { readOfDigest } from './contents.ts';
import { ELSEWHERE } from './manifests.ts';
import { contentAt, entryChangesOf, factsOf, isAllowed, writesOf } from './timeline.ts';
import type { Recorded, Trace, Violation, WriteFact } from './trace.ts';

/** What is under way when a consent is withdrawn ends by itself. */
const GRACE_MS = 500;
const STAMPS = 'reloader.k8s.collaborne.com/stamps';
const ENTRY = entryKeyOf({ ...split(ELSEWHERE), kind: 'ConfigMap' }, NAMESPACE);

/** Which contents are used is judged in every history, at which time only where news comes at once. */
export function judgeConsent(trace: Trace): readonly Violation[] {
  if (trace.settings.elsewhere !== 'consent') return [];
  const used = factsOf(trace, 'write').filter((write) => digestIn(write.before) !== digestIn(write.after));
  const messages = [
    ...used.filter((write) => !isOfAllowed(trace, write)).map(({ to }) => `a write to ${to} reveals it`),
    ...(trace.accounting === 'each' ? [] : untimely(trace, used)),
    ...keptEdges(trace),
  ];
  return messages.map((message) => ({
    law: 'never',
    message: `${ELSEWHERE} is not allowed, and ${message}`,
  }));
}

/** The digest of the object in the stamps of a template, or in the state; undefined: none. */
function digestIn(object: unknown): string | undefined {
  const { data, spec } = (object ?? {}) as Partial<LooseObject>;
  const stamps = JSON.parse(spec?.template?.metadata?.annotations?.[STAMPS] ?? '{}');
  const text: string | undefined = data?.[ENTRY] ?? stamps[ELSEWHERE];
  return text?.replace(/\.\d+$/, '');
}

function isOfAllowed(trace: Trace, { after, at }: WriteFact & Recorded): boolean {
  const digest = digestIn(after);
  if (digest === undefined) return true;
  const read = readOfDigest(ELSEWHERE, digest);
  return writesOf(trace, ELSEWHERE).some(
    (write) => write.at <= at && write.content === read && write.mark === 'allow',
  );
}

function untimely(trace: Trace, used: readonly (WriteFact & Recorded)[]): string[] {
  const stamped = used.filter(({ to, after }) => to !== 'state' && digestIn(after) !== undefined);
  const begun = entryChangesOf(trace).filter((change) => change.begun.includes(ELSEWHERE));
  return [
    ...stamped
      .filter((write) => isWithdrawn(trace, write))
      .map(({ to, ms }) => `${to} was rolled at ${ms} ms`),
    ...begun
      .filter(({ fact }) => isWithdrawn(trace, fact))
      .map(({ fact }) => `an entry was begun at ${fact.ms} ms`),
  ];
}

/** Whether the object has not allowed it for a while. */
function isWithdrawn(trace: Trace, { at, ms }: Recorded): boolean {
  const last = writesOf(trace, ELSEWHERE).findLast((write) => write.at <= at);
  return !isAllowed(trace, ELSEWHERE, at) && (last === undefined || ms - last.ms > GRACE_MS);
}

/** In the end no edge of an object is left that exists and does not allow it. */
function keptEdges(trace: Trace): string[] {
  return factsOf(trace, 'settled').flatMap(({ at, beliefs }) => {
    if (isAllowed(trace, ELSEWHERE, at) || contentAt(trace, ELSEWHERE, at) === undefined) return [];
    return beliefs
      .filter(({ config }) => config === ELSEWHERE)
      .map(({ workload }) => `${workload} follows it`);
  });
}
