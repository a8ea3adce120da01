/** Sends one request with one JSON answer, and reads answers within bounds of time and size. */

import { ApiError } from './api-error.ts';
import { withQuery } from './api-path.ts';
import {
  type ApiRequest,
  type ApiResponse,
  decoderOf,
  type Piece,
  readStart,
  type Send,
} from './transport.ts';

/** The longest time to the head of an answer, and between two pieces of its body. */
export const IDLE_MS = 60_000;
/** An Accept header that asks for the metadata of a list's objects only; a server that cannot do that sends whole objects. */
export const METADATA_ALONE =
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;q=0.9';
const PAGE = 500;
/** In characters: many times the largest object. */
const LONGEST_BODY = 64 * 1024 * 1024;

/**
 * The JSON object of the answer. Its fields are not checked, so `T` should have only optional ones.
 *
 * @throws ApiError if there is no answer, it is not 2xx, or its body is not a JSON object.
 */
export async function callJson<T extends object>(send: Send, request: ApiRequest): Promise<T> {
  return (await callDated<T>(send, request)).object;
}

/** The objects of all pages of a list, of the present moment and not from a cache of the API server. @throws ApiError as callJson */
export async function callList<T extends object>(
  send: Send,
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
  accept = 'application/json',
): Promise<readonly T[]> {
  const items: T[] = [];
  let next: string | undefined;
  do {
    const page = await callJson<{
      readonly items?: readonly T[] | null;
      readonly metadata?: { readonly continue?: string };
    }>(send, {
      method: 'GET',
      path: withQuery(path, { ...query, limit: PAGE, continue: next }),
      headers: { accept },
    });
    items.push(...(page.items ?? []));
    next = page.metadata?.continue;
  } while (next !== undefined && next !== '');
  return items;
}

/** As callJson, with the `Date` of the answer, by the API server's clock: a time of day to the second. */
export async function callDated<T extends object>(
  send: Send,
  request: ApiRequest,
): Promise<{ readonly object: T; readonly date: string | undefined }> {
  const deadline = new IdleDeadline(IDLE_MS, request.signal);
  try {
    const response = await accepted(send, request, deadline);
    const object = parseObject(await readText(response), 'the answer') as T;
    return { object, date: response.headers['date'] };
  } catch (error) {
    throw ApiError.from(error);
  } finally {
    deadline.end();
  }
}

/**
 * An answer with 2xx, its body under the deadline.
 *
 * @throws ApiError if there is no answer or it is not 2xx.
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
 * The lines of a body, without line ends and without blank lines. Text after the last line end is dropped: that line was cut.
 *
 * @throws ApiError `malformed` if a line is longer than `longest` characters; also any error of the body.
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

/** The abort reason of `end()`. One for all: a new error per request would collect a stack for nothing. */
const OVER = new ApiError('aborted', 'the request is over');

/**
 * A deadline for silence: its signal is aborted by the caller's signal, or when no byte arrived for too long. It runs from its construction.
 * The caller has to call `end()` in every case, or the timer and the listener leak.
 */
export class IdleDeadline {
  readonly #controller = new AbortController();
  /** Aborted with the parent's reason, with the error of `expired`, or by `end()`. */
  readonly signal: AbortSignal = this.#controller.signal;
  readonly #idleMs: number;
  readonly #parent: AbortSignal | undefined;
  readonly #expired: () => Error;
  readonly #onParentAbort = (): void => this.#controller.abort(this.#parent?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param idleMs the longest time without a `touch()`; then the signal is aborted with the error that `expired` makes. */
  constructor(
    idleMs: number,
    parent?: AbortSignal,
    expired = (): Error => new ApiError('silent', `nothing was heard for ${idleMs / 1000} s`),
  ) {
    this.#expired = expired;
    this.#idleMs = idleMs;
    this.#parent = parent;
    if (parent?.aborted) this.#onParentAbort();
    parent?.addEventListener('abort', this.#onParentAbort, { once: true });
    this.touch();
  }

  /** A byte arrived: restarts the time. */
  touch(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(this.#expired()), this.#idleMs);
  }

  /** The request is over: removes listener and timer, and aborts a body that may still be open. */
  end(): void {
    clearTimeout(this.#timer);
    this.#parent?.removeEventListener('abort', this.#onParentAbort);
    this.#controller.abort(OVER);
  }

  /** Settles with `promise`, or rejects with the signal's reason if that comes first. */
  race<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason);
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }

  /** The pieces of `body`. Each one restarts the time, and the signal ends the wait for the next one. */
  async *over(body: AsyncIterable<Piece>): AsyncGenerator<Piece> {
    const pieces = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const piece = await this.race(pieces.next());
        if (piece.done === true) return;
        this.touch();
        yield piece.value;
      }
    } finally {
      // Not awaited: a body that hangs would hang here as well; the signal cuts it.
      void pieces.return?.().catch(() => undefined);
    }
  }
}
