/** Reads of a command. */

import { ApiError, readingOf } from '../kubernetes/api-error.ts';
import { collectionPath, isWatch, objectPath } from '../kubernetes/api-path.ts';
import { callDated, callJson, callList } from '../kubernetes/json-call.ts';
import { type ApiRequest, type ApiResponse, bodyOf, type Send } from '../kubernetes/transport.ts';
import { discover } from '../kubernetes/workloads/discovery.ts';
import type { ApiResource } from '../model/object-ref.ts';
import type { Reading } from '../model/outcome.ts';
import type { RawObject } from '../model/raw-objects.ts';

const REVIEWS = '/selfsubjectaccessreviews';

/** One object. Never rejects. */
export async function readObject<T extends RawObject>(
  send: Send,
  resource: ApiResource,
  namespace: string | undefined,
  name: string,
): Promise<Reading<T>> {
  const path = objectPath(resource, namespace, name);
  return await readingOf(() => callJson<T>(send, { method: 'GET', path }));
}

/** The time by the API server in ms since 1970, else by this computer. Never rejects. */
export async function timeOf(send: Send): Promise<number> {
  const reading = await readingOf(() => callDated(send, { method: 'GET', path: '/version' }));
  return Date.parse((reading.kind === 'found' && reading.object.date) || '') || Date.now();
}

/** Whether the cluster is known to lack a kind. Never rejects. */
export async function isNotServed(send: Send, row: Parameters<typeof discover>[1]): Promise<boolean> {
  return row.group !== '' && (await discover(send, row, new AbortController().signal)).is === 'absent';
}

/** That it lacks the kind. */
export function notServed({ group, resource }: ApiResource): string {
  return `the cluster does not serve ${resource}.${group}`;
}

/** The objects of a kind, in one namespace or (undefined) in all. Never rejects. */
export async function listObjects<T extends RawObject>(
  send: Send,
  resource: ApiResource,
  namespace: string | undefined,
  selectors: Readonly<{ labelSelector?: string; fieldSelector?: string }> = {},
): Promise<Reading<readonly T[]>> {
  return await readingOf(() => callList<T>(send, collectionPath(resource, namespace), selectors));
}

/**
 * `send` without writes: a request that would change something is refused before it is sent. `answer` may take the place of the
 * API server for some requests, such as watches.
 */
export function readOnly(send: Send, answer: (request: ApiRequest) => ApiResponse | undefined): Send {
  return async (request) => {
    const own = answer(request);
    if (own !== undefined) return own;
    const isReview = request.method === 'POST' && request.path.split('?', 1)[0]?.endsWith(REVIEWS);
    if ((request.method !== 'GET' || isWatch(request.path)) && isReview !== true)
      throw new ApiError('forbidden', `this command writes nothing: ${request.method} ${request.path}`);
    return await send(request);
  };
}

/** An answer that the object does not exist. */
export function notFound(): ApiResponse {
  return answerOf(404, { kind: 'Status', reason: 'NotFound', code: 404 });
}

/** An answer with a JSON body. */
export function answerOf(status: number, object: object): ApiResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: bodyOf([JSON.stringify(object)]) };
}
