/** A `send` for one term of a leader: once the lead is lost nothing is sent any more, and what is under way is ended. */

import { ApiError } from './api-error.ts';
import type { Send } from './transport.ts';

/** The lead, as long as it lasts. */
export interface Lead {
  /** Aborted when the lead is lost, and when the process is to end: then it is still valid. */
  readonly signal: AbortSignal;
  /** Whether the lead is valid at this moment. */
  readonly isValid: () => boolean;
}

/** `send` while `lead` is valid. */
export function fenced(send: Send, { signal, isValid }: Lead): Send {
  const lost = new AbortController();
  signal.addEventListener('abort', () => isValid() || lost.abort(), { once: true });
  return async (request) => {
    if (!isValid()) throw new ApiError('aborted', 'the lead is lost: nothing is sent any more');
    const { signal: own } = request;
    const either = own === undefined ? lost.signal : AbortSignal.any([own, lost.signal]);
    return await send({ ...request, signal: either });
  };
}
