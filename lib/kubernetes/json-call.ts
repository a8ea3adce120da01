/** One request with one JSON answer, and how answers are read. */

import { ApiError } from './api-error.ts';
import { IdleDeadline } from './idle-deadline.ts';
import {
  type ApiRequest,
  type ApiResponse,
  decoderOf,
  type Piece,
  readStart,
  type Send,
} from './transport.ts';

/** The longest time between two pieces of an answer, and to its head. */
export const IDLE_MS = 60_000;
/** Asks for the metadata of a list's objects alone, of a server that knows how; from any other the rest is dropped with the answer. */
export const METADATA_ALONE =
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;q=0.9';
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
    const text = await readText(await accepted(send, request, deadline));
    return parseObject(text, 'the answer') as T;
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
 * The lines of a body, without their ends; blank ones are left out. What follows the last line end is not told: it is a line
 * that was cut, or one that is still to come.
 *
 * @throws ApiError `malformed` where one is longer than `longest`, and whatever reading the body throws.
 */
export async function* linesOf(body: AsyncIterable<Piece>, longest: number): AsyncGenerator<string> {
  const decode = decoderOf();
  let started = '';
  for await (const piece of body) {
    const [first = '', ...others] = decode(piece).split('\n');
    const lines = [started + first, ...others];
    if (lines.some((line) => line.length > longest))
      throw new ApiError('malformed', `a line is longer than ${longest} characters`);
    started = lines.pop() ?? '';
    yield* lines.filter((line) => line.trim() !== '');
  }
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
