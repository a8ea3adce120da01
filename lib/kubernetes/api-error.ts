/** The one error of this folder: what went wrong with a request, without a status number, and what that means for a read or a write. */

import type { WriteResult } from '../model/outcome.ts';
import { type ApiResponse, readStart } from './transport.ts';

/** Every way in which a request can fail. */
export type ApiErrorCode =
  /** Who we are is not known (401), new credentials have been tried. */
  | 'unauthorized'
  /** RBAC, a webhook, a quota or a terminating namespace (403). */
  | 'forbidden'
  /** The API server says that there is no such object (404). */
  | 'not-found'
  /** Somebody else wrote first (409). */
  | 'conflict'
  /** A create found the name taken (409). */
  | 'already-exists'
  /** The resourceVersion or the continue token is too old (410). */
  | 'expired'
  /** The resourceVersion is newer than what this API server has seen (504): ask again. */
  | 'version-too-new'
  /** The request itself is wrong, now and later (400, 405, 406, 413, 415, 422). */
  | 'invalid'
  /** Not carried out, try again later (429). */
  | 'throttled'
  /** The server failed (5xx), or the answer is not the API server's. */
  | 'unavailable'
  /** What was received is not what the API sends. */
  | 'malformed'
  /** The resourceVersions are no numbers, as an aggregated API may have them: what is newer cannot be told. */
  | 'unordered'
  /** Nothing was heard for too long. */
  | 'silent'
  /** No answer: refused, cut, no credentials. */
  | 'unanswered'
  /** The caller's own signal ended it, or the end of the program. */
  | 'aborted';

/** A `Status` as the API server sends it; every field possibly absent. */
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

const CODES: Readonly<Record<number, ApiErrorCode>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  405: 'invalid',
  406: 'invalid',
  409: 'conflict',
  410: 'expired',
  413: 'invalid',
  415: 'invalid',
  422: 'invalid',
  429: 'throttled',
};
/** API servers ask for seconds. More is a mistake of something in between, and as long as it counts nothing is heard. */
const LONGEST_RETRY_AFTER_MS = 60_000;
const LONGEST_STATUS = 64 * 1024;
const LONGEST_MESSAGE = 1_024;

/** A request that did not succeed. `message` is for people and never holds the content of an object. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
  readonly code: ApiErrorCode;
  /** The server asked for at least this wait before the next try. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ApiErrorCode,
    message: string,
    options: { readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }

  /** Whatever was thrown while a request was made or its answer read. */
  static from(thrown: unknown): ApiError {
    if (thrown instanceof ApiError) return thrown;
    if (thrown instanceof Error && thrown.name === 'AbortError') {
      return new ApiError('aborted', 'aborted', { cause: thrown });
    }
    return new ApiError('unanswered', messageOf(thrown), { cause: thrown });
  }

  /** An answer that is not 2xx; reads its body, at most 64 KiB of it. */
  static async fromResponse(response: ApiResponse): Promise<ApiError> {
    const status = parseStatus(await readStart(response.body, LONGEST_STATUS));
    return ApiError.fromStatus(response.status, status, response.headers['retry-after']);
  }

  /**
   * A `Status` object, from an answer or from an ERROR event of a watch. A 404 without one comes from something between us
   * and the API server: it says nothing about an object.
   */
  static fromStatus(number: number, status: object | undefined, retryAfter?: string): ApiError {
    const raw: RawStatus = status ?? {};
    const code = number === 404 && raw.kind !== 'Status' ? 'unavailable' : codeOf(number, raw);
    const told = (raw.message ?? `the server answered ${number}`).slice(0, LONGEST_MESSAGE);
    const message = code === 'unauthorized' ? `${told}: check the token or certificate` : told;
    return new ApiError(code, message, { retryAfterMs: retryAfterMsOf(retryAfter, raw) });
  }
}

function codeOf(number: number, { reason, details }: RawStatus): ApiErrorCode {
  if (reason === 'AlreadyExists') return 'already-exists';
  if (number === 504 && details?.causes?.some((cause) => cause.reason === 'ResourceVersionTooLarge')) {
    return 'version-too-new';
  }
  return CODES[number] ?? (number >= 400 && number < 500 ? 'invalid' : 'unavailable');
}

function retryAfterMsOf(header: string | undefined, { details }: RawStatus): number | undefined {
  const seconds = /^\d+$/.test(header ?? '') ? Number(header) : details?.retryAfterSeconds;
  if (typeof seconds !== 'number' || !(seconds > 0)) return undefined;
  return Math.min(seconds * 1000, LONGEST_RETRY_AFTER_MS);
}

function parseStatus(text: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined; // a proxy's page, or cut: the status line alone has to do
  }
}

/** An AggregateError of a name with several addresses has no message of its own. */
function messageOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '') return messageOf(thrown.errors[0]);
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** A read that told nothing: the object may be there or not. */
export interface FailedRead {
  readonly kind: 'failed';
  readonly message: string;
  readonly retryAfterMs?: number;
  /** The service account may not read it. */
  readonly isForbidden?: boolean;
}

/** What a read has found; `absent` only where the API server says that there is none. */
export type Reading<T> =
  | { readonly kind: 'found'; readonly object: T }
  | { readonly kind: 'absent' }
  | FailedRead;

/** The result of `read`. Never throws. */
export async function readingOf<T>(read: () => Promise<T>): Promise<Reading<T>> {
  try {
    return { kind: 'found', object: await read() };
  } catch (thrown) {
    const error = ApiError.from(thrown);
    return error.code === 'not-found' ? { kind: 'absent' } : failedRead(error);
  }
}

/** The result of `write`. Never throws. */
export async function writeResultOf<T>(write: () => Promise<T>): Promise<WriteResult<T>> {
  try {
    return { kind: 'accepted', object: await write() };
  } catch (thrown) {
    return failedWrite(thrown);
  }
}

/** The result of a write that ended with what was `thrown`. */
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
    case 'throttled':
      return { kind: 'throttled', message, ...retryAfterOf(error) };
    default:
      return { kind: 'unanswered', message, ...retryAfterOf(error) };
  }
}

/** The result of a read that ended with what was `thrown`. */
export function failedRead(thrown: unknown): FailedRead {
  const error = ApiError.from(thrown);
  const isForbidden = error.code === 'forbidden' && { isForbidden: true };
  return { kind: 'failed', message: error.message, ...retryAfterOf(error), ...isForbidden };
}

function retryAfterOf({ retryAfterMs }: ApiError): { retryAfterMs?: number } {
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}
