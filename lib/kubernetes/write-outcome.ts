/** What an error means for the write, or the fresh look, that met it. */

import type { WriteResult } from '../model/outcome.ts';
import type { ApiError } from './api-error.ts';

/** A look that told nothing: the object may be there or not. */
export interface FailedRead {
  readonly kind: 'failed';
  readonly message: string;
  readonly retryAfterMs?: number;
}

/** The WriteResult of a write that ended with `error`. */
export function failedWrite(error: ApiError): WriteResult<never> {
  const { code, message } = error;
  switch (code) {
    case 'conflict':
    case 'already-exists':
      return { kind: 'conflict' };
    case 'not-found':
      return { kind: 'gone' };
    case 'forbidden':
      return { kind: 'rejected', code: 'forbidden', message };
    case 'invalid':
      return { kind: 'rejected', code: 'invalid', message };
    case 'throttled':
      return { kind: 'throttled', message, ...retryAfterOf(error) };
    default:
      return { kind: 'unanswered', message, ...retryAfterOf(error) };
  }
}

/** The result of a look that ended with `error`. */
export function failedRead(error: ApiError): FailedRead {
  return { kind: 'failed', message: error.message, ...retryAfterOf(error) };
}

function retryAfterOf({ retryAfterMs }: ApiError): { retryAfterMs?: number } {
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}
