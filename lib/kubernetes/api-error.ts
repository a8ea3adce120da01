/**
 * The one error of this folder: a closed set of codes in place of status numbers, and the translation of each code into the
 * result of a read or of a write. No caller outside this folder sees a status number or matches a message.
 */

import type { FailedRead, Reading, WriteResult } from '../model/outcome.ts';
import { objectIn } from '../model/text.ts';
import { type ApiResponse, readStart } from './transport.ts';

/** Every way in which a request can fail. */
export type ApiErrorCode =
  /** The credentials are not accepted (401), nor are newly loaded ones. */
  | 'unauthorized'
  /** RBAC, a webhook, a quota or a terminating namespace (403). */
  | 'forbidden'
  /** The API server says that there is no such object (404). */
  | 'not-found'
  /** Another client wrote first (409). */
  | 'conflict'
  /** A create found the name taken (409). */
  | 'already-exists'
  /** The resourceVersion or the continue token is too old (410). */
  | 'expired'
  /** The resourceVersion is newer than what this API server has seen (504): ask again. */
  | 'version-too-new'
  /** The request itself is wrong and will stay so (400, 405, 406, 413, 415, 422). */
  | 'invalid'
  /** A test of a JSON patch failed, or one of its paths does not exist (422 without causes). */
  | 'unmet'
  /** The server asks to retry later (429); the request was not carried out. */
  | 'throttled'
  /** The server failed (5xx), or the answer is not from the API server. */
  | 'unavailable'
  /** The answer does not have the form that the API promises. */
  | 'malformed'
  /** The resourceVersions are not numbers, as an aggregated API may have them: they have no order. */
  | 'unordered'
  /** No byte arrived for too long. */
  | 'silent'
  /** No answer: connection refused or cut, or no credentials. */
  | 'unanswered'
  /** The signal of the caller or the end of the program ended the request. */
  | 'aborted';

/** A `Status` as the API server sends it; every field may be absent. */
interface RawStatus {
  readonly kind?: string;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason?: string }[];
  };
}

/** The others of 4xx are `invalid`, and of 5xx `unavailable`. */
const CODES: Readonly<Record<number, ApiErrorCode>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  409: 'conflict',
  410: 'expired',
  429: 'throttled',
};
/** API servers ask for seconds; a proxy in front may ask for hours, in which this process would observe nothing. */
const LONGEST_RETRY_AFTER_MS = 60_000;
/** In characters, as the next one. */
const LONGEST_STATUS = 64 * 1024;
const LONGEST_MESSAGE = 1_024;
/** What to do about a message that does not say it. */
const TODOS: readonly (readonly [RegExp, string])[] = [
  [/self-signed certificate|unable to (get|verify).* certificate/, 'set its certificate-authority'],
  [/HTTP request to an HTTPS server/, 'write https in its address'],
  [/wrong version number/, 'it may be one of http, not https'],
  [/^404 page not found/, 'it does not serve this kind, or is no API server'],
];

/** A request that failed. `message` is for the log and never holds the content of an object. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
  readonly code: ApiErrorCode;
  /** The least wait before the next attempt that the server asked for. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ApiErrorCode,
    message: string,
    options: {
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }

  /** Converts whatever was thrown while a request was sent or its answer read; an unknown error means no answer. */
  static from(thrown: unknown): ApiError {
    if (thrown instanceof ApiError) return thrown;
    if (thrown instanceof Error && thrown.name === 'AbortError') {
      return new ApiError('aborted', 'aborted', { cause: thrown });
    }
    return new ApiError('unanswered', withTodo(messageOf(thrown)), { cause: thrown });
  }

  /** The error for an answer that is not 2xx; reads at most 64 KiB of its body. */
  static async fromResponse(response: ApiResponse): Promise<ApiError> {
    const text = await readStart(response.body, LONGEST_STATUS);
    const { 'retry-after': retryAfter, 'content-type': type = 'text/plain' } = response.headers;
    const line = type.startsWith('text/plain') ? text.trim() : '';
    // The page of a proxy, or a body that was cut, is no object: the status number has to do.
    return ApiError.fromStatus(response.status, objectIn(text), retryAfter, line);
  }

  /**
   * The error for a `Status` object, of an answer or of an ERROR event of a watch. A 404 without a Status comes from a proxy
   * and proves nothing about the object, so it is `unavailable`. `line`: the answer, if it is a line of text in place of a Status.
   */
  static fromStatus(number: number, status: object | undefined, retryAfter?: string, line = ''): ApiError {
    const raw: RawStatus = status ?? {};
    const code = number === 404 && raw.kind !== 'Status' ? 'unavailable' : codeOf(number, raw);
    const isLine = raw.message === undefined && /^[^<].{0,199}$/.test(line);
    const answered = `the server answered ${number}${isLine ? `: ${withTodo(line)}` : ''}`;
    const sent = (raw.message ?? answered).slice(0, LONGEST_MESSAGE);
    const message = code === 'unauthorized' ? `${sent}: check the token or certificate` : sent;
    return new ApiError(code, message, { retryAfterMs: retryAfterMsOf(retryAfter, raw) });
  }
}

function codeOf(number: number, { reason, details }: RawStatus): ApiErrorCode {
  if (reason === 'AlreadyExists') return 'already-exists';
  if (number === 504 && details?.causes?.some((cause) => cause.reason === 'ResourceVersionTooLarge')) {
    return 'version-too-new';
  }
  if (number === 422 && (details?.causes ?? []).length === 0) return 'unmet';
  return CODES[number] ?? (number >= 400 && number < 500 ? 'invalid' : 'unavailable');
}

function retryAfterMsOf(header: string | undefined, { details }: RawStatus): number | undefined {
  const seconds = /^\d+$/.test(header ?? '') ? Number(header) : details?.retryAfterSeconds;
  if (typeof seconds !== 'number' || !(seconds > 0)) return undefined;
  return Math.min(seconds * 1000, LONGEST_RETRY_AFTER_MS);
}

/** An AggregateError of a name with several addresses has no message of its own. */
function messageOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '') return messageOf(thrown.errors[0]);
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function withTodo(message: string): string {
  const todo = TODOS.find(([pattern]) => pattern.test(message))?.[1];
  return todo === undefined ? message : `${message}: ${todo}`;
}

/** Runs `read` and converts its error into a result. Never rejects. */
export async function readingOf<T>(read: () => Promise<T>): Promise<Reading<T>> {
  try {
    return { kind: 'found', object: await read() };
  } catch (thrown) {
    const error = ApiError.from(thrown);
    return error.code === 'not-found' ? { kind: 'absent' } : failedRead(error);
  }
}

/** Runs `write` and converts its error into a result. Never rejects. */
export async function writeResultOf<T>(write: () => Promise<T>): Promise<WriteResult<T>> {
  try {
    return { kind: 'accepted', object: await write() };
  } catch (thrown) {
    return failedWrite(thrown);
  }
}

/** The result of a write that threw. Every error after which the write may be applied becomes `unanswered`. */
export function failedWrite(thrown: unknown): WriteResult<never> {
  const error = ApiError.from(thrown);
  const { code, message } = error;
  switch (code) {
    case 'conflict':
    case 'already-exists':
      return { kind: 'conflict' };
    case 'not-found':
      return { kind: 'gone' };
    case 'forbidden':
    case 'invalid':
      return { kind: 'rejected', code, message };
    case 'unmet':
      return { kind: 'rejected', code: 'invalid', message };
    case 'throttled':
      return { kind: 'throttled', message, ...retryAfterOf(error) };
    default:
      return { kind: 'unanswered', message, ...retryAfterOf(error) };
  }
}

/** The result of a read that threw. */
export function failedRead(thrown: unknown): FailedRead {
  const error = ApiError.from(thrown);
  const isForbidden = error.code === 'forbidden' && { isForbidden: true };
  return { kind: 'failed', code: error.code, message: error.message, ...retryAfterOf(error), ...isForbidden };
}

function retryAfterOf({ retryAfterMs }: ApiError): { retryAfterMs?: number } {
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}
