/**
 * Sends requests to a real API server, over HTTPS or HTTP, on kept connections. It retries only what is safe: a read on a stale
 * connection, and any request once after a 401, which was not carried out.
 */

import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { ApiError } from './api-error.ts';
import { isWatch } from './api-path.ts';
import { type Access, Credentials } from './credentials.ts';
import { IdleDeadline } from './json-call.ts';
import { type ApiRequest, type ApiResponse, bodyOf, type Piece, type Send } from './transport.ts';

/** The settings of the transport. */
export interface HttpsTransportOptions {
  /** Reads the KubeConfig and its files anew: called before the first request, after a 401 and after a failed connection. */
  readonly load: () => KubeConfig;
  /** The version of the program, for the user agent. */
  readonly version: string;
  /**
   * The longest time to the head of an answer, connecting included; also the longest wait for a slot before that.
   * @default 30000
   */
  readonly headTimeoutMs?: number;
  /** How many requests are under way at once; watches do not count. The others wait in order. @default 128 */
  readonly maxRequests?: number;
}

const HEAD_TIMEOUT_MS = 30_000;
/** A bound for the start with its hundreds of lists; afterwards a fraction of it is under way. */
export const MAX_REQUESTS = 128;

/** The transport of the process. Safe for concurrent requests. */
export class HttpsTransport {
  readonly #credentials: Credentials;
  readonly #userAgent: string;
  readonly #headTimeoutMs: number;
  /** A watch takes no slot: it would keep it for minutes. */
  readonly #slots: Semaphore;
  /** Cuts each call; a request that waits for its slot is refused when it gets one. */
  readonly #end = new AbortController();

  constructor(options: HttpsTransportOptions) {
    const { load, version, headTimeoutMs = HEAD_TIMEOUT_MS, maxRequests = MAX_REQUESTS } = options;
    this.#slots = new Semaphore(maxRequests);
    this.#credentials = new Credentials(load);
    this.#userAgent = `kubernetes-reloader/${version}`;
    this.#headTimeoutMs = headTimeoutMs;
  }

  /**
   * See `Send`. A 401 is returned only after newly loaded credentials were refused too. After `close` every request is refused,
   * including retries.
   */
  readonly send: Send = async (request) => {
    this.#end.signal.throwIfAborted();
    const access = await this.#credentials.access();
    const response = await this.#attempt(access, request);
    if (response.status !== 401) return response;
    return await this.#withNewCredentials(access, request, response);
  };

  /** Closes every connection: requests under way fail, and later ones are refused. */
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
      return { ...first, body: bodyOf(pieces) }; // there are no new credentials: the 401 explains more
    }
    return await this.#attempt(access, request);
  }

  /** The server may close an idle connection while a request is on its way; a read is then sent once more. */
  async #attempt(access: Access, request: ApiRequest): Promise<ApiResponse> {
    try {
      return await this.#exchange(access, request);
    } catch (error) {
      if (!(error instanceof StaleSocketError)) this.#credentials.renew(access);
      else if (request.method === 'GET') return await this.#exchange(access, request);
      throw error;
    }
  }

  async #exchange(access: Access, request: ApiRequest): Promise<ApiResponse> {
    if (isWatch(request.path)) return await this.#call(access, request, () => undefined);
    const problem = `not sent within ${this.#headTimeoutMs / 1000} s: as many requests as may be are under way`;
    const release = await this.#slots.take(this.#headTimeoutMs, problem, request.signal);
    try {
      return await this.#call(access, request, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** @param onClose is called when the answer has been read to its end, or cut. */
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
      // A race, since a call that a proxy keeps waiting for its socket reports nothing when it is destroyed.
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

/** A counting semaphore, first come first served. */
class Semaphore {
  #free: number;
  /** The waiting callers in order; calling one gives it a slot. */
  readonly #waiting = new Set<() => void>();

  constructor(slots: number) {
    this.#free = slots;
  }

  /**
   * Resolves with a slot. The returned function gives it back; a second call does nothing.
   *
   * @throws an error with the message `problem` after `withinMs`, or the signal's reason: then no slot is taken.
   */
  async take(withinMs: number, problem: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(new IdleDeadline(withinMs, signal, () => new Error(problem)));
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
      if (!this.#waiting.delete(resolve)) this.#release(); // it had been given a slot in the same moment
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

/** The server closed a kept connection, probably before it received the request. */
class StaleSocketError extends Error {}

function staleOr(error: NodeJS.ErrnoException, call: ClientRequest): Error {
  const stale = call.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
  return stale ? new StaleSocketError(error.message, { cause: error }) : error;
}

function responseOf(message: IncomingMessage, signal: AbortSignal): ApiResponse {
  message.on('error', () => undefined); // the reader of the body gets it; without a listener it would end the process
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
