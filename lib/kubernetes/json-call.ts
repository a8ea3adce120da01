/** One request with one JSON answer. */

import { ApiError } from './api-error.ts';
import { IdleDeadline } from './idle-deadline.ts';
import { type ApiRequest, type ApiResponse, readStart, type Send } from './transport.ts';

/** The longest time between two pieces of an answer, and to its head. */
export const IDLE_MS = 60_000;
/** Many times the largest object. */
const LONGEST_BODY = 64 * 1024 * 1024;

/**
 * The JSON object of the answer, unchecked: `T` is what the API promises, so its fields are best all optional.
 *
 * @throws ApiError for every answer but 2xx, for none at all, and for a body that is no JSON object.
 */
export async function callJson<T extends object>(send: Send, request: ApiRequest): Promise<T> {
  const deadline = new IdleDeadline(IDLE_MS, request.signal);
  try {
    return (await readJson(await accepted(send, request, deadline))) as T;
  } catch (error) {
    throw ApiError.from(error);
  } finally {
    deadline.end();
  }
}

/**
 * The answer, its body under the deadline.
 *
 * @throws ApiError for every answer but 2xx, and for none at all.
 */
export async function accepted(
  send: Send,
  request: ApiRequest,
  deadline: IdleDeadline,
): Promise<ApiResponse> {
  const response = await deadline.race(send({ ...request, signal: deadline.signal }));
  const bounded = { ...response, body: deadline.over(response.body) };
  if (response.status < 200 || response.status > 299) throw await ApiError.fromResponse(bounded);
  return bounded;
}

/**
 * The whole body as text.
 *
 * @throws ApiError `malformed` if it is longer than any answer of the API.
 */
export async function readText(response: ApiResponse): Promise<string> {
  const text = await readStart(response.body, LONGEST_BODY);
  if (text.length >= LONGEST_BODY) throw new ApiError('malformed', 'the answer is too long');
  return text;
}

/**
 * The body as a JSON object.
 *
 * @throws ApiError `malformed`; its message does not quote the body.
 */
async function readJson(response: ApiResponse): Promise<object> {
  return parseObject(await readText(response), 'the answer');
}

/**
 * `text` as a JSON object; `what` names it in the error.
 *
 * @throws ApiError `malformed`; a parser's own message would quote the text, which may be a Secret's.
 */
export function parseObject(text: string, what: string): object {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new ApiError('malformed', `${what} is not JSON`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new ApiError('malformed', `${what} is not a JSON object`);
  }
  return parsed;
}
