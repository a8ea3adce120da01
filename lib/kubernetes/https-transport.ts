/** Sends requests to a real API server, over HTTPS (or HTTP), on connections that are kept open. */

import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { ApiError } from './api-error.ts';
import { isWatch } from './api-path.ts';
import { type Access, Credentials } from './credentials.ts';
import { IdleDeadline } from './idle-deadline.ts';
import type { ApiRequest, ApiResponse, Piece, Send } from './transport.ts';

/** What the transport is made of. */
export interface HttpsTransportOptions {
  /** Reads the settings anew, files included: called before the first request and after each 401. */
  readonly load: () => KubeConfig;
  /** Of the program, for the user agent. */
  readonly version: string;
  /** The longest time to the head of an answer, connecting included; before that, the longest wait for a turn. @default 30000 */
  readonly headTimeoutMs?: number;
  /** So many requests are under way at a time, watches not counted; the others wait for their turn. @default 128 */
  readonly maxRequests?: number;
}

const HEAD_TIMEOUT_MS = 30_000;
/** With hundreds of lists at the start; a reloader at work has a fraction of it under way. */
export const MAX_REQUESTS = 128;

/** One per process. */
export class HttpsTransport {
  readonly #credentials: Credentials;
  readonly #userAgent: string;
  readonly #headTimeoutMs: number;
  /** A watch takes no place: it would keep it for minutes. */
  readonly #places: Semaphore;
  /** Cuts each call; one that waits for its place finds that it is closed. */
  readonly #end = new AbortController();

  constructor({
    load,
    version,
    headTimeoutMs = HEAD_TIMEOUT_MS,
    maxRequests = MAX_REQUESTS,
  }: HttpsTransportOptions) {
    this.#places = new Semaphore(maxRequests);
    this.#credentials = new Credentials(load);
    this.#userAgent = `kubernetes-reloader/${version}`;
    this.#headTimeoutMs = headTimeoutMs;
  }

  /**
   * See Send. A 401 is answered only after new credentials, if there are any, were refused too. Once it is closed every
   * request is refused, also what would be sent once more.
   */
  readonly send: Send = async (request) => {
    this.#end.signal.throwIfAborted();
    const access = await this.#credentials.access();
    const response = await this.#attempt(access, request);
    if (response.status !== 401) return response;
    return await this.#withNewCredentials(access, request, response);
  };

  /** Closes every connection; what is under way fails, and nothing is sent any more. */
  close(): void {
    this.#end.abort(new ApiError('aborted', 'nothing is sent any more: the program ends'));
    this.#credentials.close();
  }

  async #withNewCredentials(refused: Access, request: ApiRequest, first: ApiResponse): Promise<ApiResponse> {
    const pieces: Piece[] = [];
    for await (const piece of first.body) pieces.push(piece);
    this.#credentials.renew(refused);
    let access: Access;
    try {
      access = await this.#credentials.access();
    } catch {
      return { ...first, body: told(pieces) }; // there are no others: the refusal itself says more
    }
    return await this.#attempt(access, request);
  }

  /** An idle connection may be closed by the server while a request is on its way: a read is simply sent once more. */
  async #attempt(access: Access, request: ApiRequest): Promise<ApiResponse> {
    try {
      return await this.#exchange(access, request);
    } catch (error) {
      if (request.method !== 'GET' || !(error instanceof StaleSocketError)) throw error;
      return await this.#exchange(access, request);
    }
  }

  async #exchange(access: Access, request: ApiRequest): Promise<ApiResponse> {
    if (isWatch(request.path)) return await this.#call(access, request, () => undefined);
    const inVain = `not sent within ${this.#headTimeoutMs / 1000} s: as many requests as may be are under way`;
    const leave = await this.#places.take(this.#headTimeoutMs, inVain, request.signal);
    try {
      return await this.#call(access, request, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** @param onClose is told when an answer has been read, or cut. */
  async #call(access: Access, request: ApiRequest, onClose: () => void): Promise<ApiResponse> {
    const signal =
      request.signal === undefined ? this.#end.signal : AbortSignal.any([request.signal, this.#end.signal]);
    signal.throwIfAborted();
    const call = this.#start(access, request);
    const cut = (): void => void call.destroy();
    signal.addEventListener('abort', cut, { once: true });
    call.once('close', () => {
      signal.removeEventListener('abort', cut);
      onClose();
    });
    const head = new Promise<IncomingMessage>((resolve, reject) => {
      call.once('response', resolve);
      call.on('error', (error) => reject(staleOr(error, call)));
      call.end(request.body);
    });
    const timeout = (): Error => new Error(`no answer within ${this.#headTimeoutMs / 1000} s`);
    const deadline = new IdleDeadline(this.#headTimeoutMs, signal, timeout);
    try {
      // A call that has no socket yet, since a proxy keeps it waiting, tells nothing of its end.
      return responseOf(await deadline.race(head), signal);
    } catch (error) {
      cut();
      throw error;
    } finally {
      deadline.end();
    }
  }

  #start(
    { target, basePath, headers }: Access,
    { method, path, headers: own, body }: ApiRequest,
  ): ClientRequest {
    const start = target.protocol === 'http:' ? httpRequest : httpsRequest;
    return start({
      ...target,
      method,
      path: `${basePath}${path}`,
      headers: {
        accept: 'application/json',
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        ...own,
        ...headers,
        'user-agent': this.#userAgent,
      },
    });
  }
}

/** So many at a time, the others in the order in which they came. */
class Semaphore {
  #free: number;
  /** Those who wait; calling one gives it a place. */
  readonly #waiting = new Set<() => void>();

  constructor(places: number) {
    this.#free = places;
  }

  /**
   * Resolves when there is a place; what it answers gives the place back, and does nothing when called again.
   *
   * @throws an error that says `inVain` after `withinMs`, or the signal's reason: then there is no place to give back.
   */
  async take(withinMs: number, inVain: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(new IdleDeadline(withinMs, signal, () => new Error(inVain)));
    let isHeld = true;
    return () => {
      if (isHeld) this.#release();
      isHeld = false;
    };
  }

  async #turn(deadline: IdleDeadline): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    try {
      await deadline.race(promise);
    } catch (error) {
      if (!this.#waiting.delete(resolve)) this.#release(); // its turn had come
      throw error;
    } finally {
      deadline.end();
    }
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}

/** The server closed a kept connection before it saw the request. */
class StaleSocketError extends Error {}

function staleOr(error: NodeJS.ErrnoException, call: ClientRequest): Error {
  const stale = call.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
  return stale ? new StaleSocketError(error.message, { cause: error }) : error;
}

function responseOf(message: IncomingMessage, signal: AbortSignal): ApiResponse {
  message.on('error', () => undefined); // told by the iteration of the body, if anybody reads it
  const headers = Object.entries(message.headers).map(([name, value]) => [name, String(value)] as const);
  return {
    status: message.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    body: piecesOf(message, signal),
  };
}

async function* piecesOf(message: IncomingMessage, signal: AbortSignal): AsyncGenerator<Piece> {
  try {
    for await (const piece of message) yield piece as Buffer;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

async function* told(pieces: readonly Piece[]): AsyncGenerator<Piece> {
  yield* pieces;
}
