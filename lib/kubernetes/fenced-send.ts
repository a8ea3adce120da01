/** A `send` for one term of a leader: once the lead is lost nothing is sent any more, and what is under way is ended. */

import type { Leadership } from '../leader/elector.ts';
import { ApiError } from './api-error.ts';
import type { Send } from './transport.ts';

/** `send` while `lead` is valid. */
export function fenced(send: Send, { signal, isValid }: Leadership): Send {
  const lost = new AbortController();
  signal.addEventListener('abort', () => isValid() || lost.abort(), { once: true });
  return async (request) => {
    if (!isValid()) throw new ApiError('aborted', 'the lead is lost: nothing is sent any more');
    const { signal: own } = request;
    const either = own === undefined ? lost.signal : AbortSignal.any([own, lost.signal]);
    return await send({ ...request, signal: either });
  };
}
