/** Wrappers of `send`: one measures each request, the other refuses requests after the lead is lost. */

import type { Leadership } from '../leader/elector.ts';
import { ApiError } from './api-error.ts';
import { isWatch } from './api-path.ts';
import type { ApiRequest, Send } from './transport.ts';

/** The report about one request. All fields have few values, as labels of metrics must. */
export interface RequestReport {
  /** As RBAC names it: get, list, watch, create, update, patch, delete. */
  readonly verb: string;
  /** The plural, e.g. `configmaps`. */
  readonly resource: string;
  /** The status as text, or `none` without an answer. */
  readonly code: string;
}

/** `send`, with `onRequest` called after the head of each answer and after each failure. */
export function observed(send: Send, onRequest: (report: RequestReport) => void): Send {
  return async (request) => {
    let code = 'none';
    try {
      const response = await send(request);
      code = String(response.status);
      return response;
    } finally {
      onRequest({ ...namesOf(request), code });
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

/**
 * `send` for the requests of one term: once the lead is lost, it refuses every request and aborts those under way. This bounds
 * what a former leader can still write to requests that the API server has already received.
 */
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
