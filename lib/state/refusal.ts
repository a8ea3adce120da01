/** A write of the state that had no effect, or whose effect is not known. */

import type { FailedRead, WriteResult } from '../model/outcome.ts';

/** The result of a write that was refused or not answered; one that was not answered may still have an effect. */
export type Refusal = Exclude<WriteResult<never>, { kind: 'accepted' }>;

/** A failed read, as the refusal of the write that had to wait for it. */
export function refusalOf({ message, isForbidden, retryAfterMs }: FailedRead): Refusal {
  if (isForbidden === true) return { kind: 'rejected', code: 'forbidden', message };
  return { kind: 'unanswered', message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** A refused write, as a failure of what it was sent for. */
export function failureOf(refusal: Refusal, about: string): FailedRead {
  const message = `${about}: ${'message' in refusal ? refusal.message : 'another client wrote it first'}`;
  const isForbidden = refusal.kind === 'rejected' && refusal.code === 'forbidden';
  return {
    kind: 'failed',
    message,
    ...('retryAfterMs' in refusal ? { retryAfterMs: refusal.retryAfterMs } : {}),
    ...(isForbidden ? { isForbidden } : {}),
  };
}
