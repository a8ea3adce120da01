/** What stands between a client and the transport: a `send` that tells of each request, and one that ends with a lead. */

import type { Leadership } from '../leader/elector.ts';
import { monotonicMs } from '../model/time.ts';
import { ApiError } from './api-error.ts';
import { isWatch } from './api-path.ts';
import type { ApiRequest, Send } from './transport.ts';

/** One request and how it ended. All but the duration have few values. */
export interface RequestReport {
  /** As RBAC names it: get, list, watch, create, update, patch, delete. */
  readonly verb: string;
  /** The plural, e.g. `configmaps`. */
  readonly resource: string;
  /** The status as text, or `none` where there was no answer. */
  readonly code: string;
  /** To the head of the answer. */
  readonly durationMs: number;
}

/** `send`, with `onRequest` called after each head or failure. */
export function observed(send: Send, onRequest: (report: RequestReport) => void): Send {
  return async (request) => {
    const startedAt = monotonicMs();
    let code = 'none';
    try {
      const response = await send(request);
      code = String(response.status);
      return response;
    } finally {
      onRequest({ ...namesOf(request), code, durationMs: monotonicMs() - startedAt });
    }
  };
}

/** `/api/v1/…` or `/apis/<group>/<version>/…`, then `[namespaces/<ns>/]<resource>[/<name>]`. */
const PATH = /^\/api(?:s\/[^/]+)?\/[^/]+(?:\/namespaces\/[^/]+)?\/([^/?]+)(\/[^/?]+)?/;
const VERBS = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;

function namesOf({ method, path }: ApiRequest): { verb: string; resource: string } {
  const [, resource = 'other', name] = PATH.exec(path) ?? [];
  if (method !== 'GET') return { verb: VERBS[method], resource };
  if (name !== undefined) return { verb: 'get', resource };
  return { verb: isWatch(path) ? 'watch' : 'list', resource };
}

/** `send` while the lead is valid: once it is lost nothing is sent any more, and what is under way is ended. */
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
