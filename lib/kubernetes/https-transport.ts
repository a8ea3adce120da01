/**
 * Sends requests to a real API server, over HTTPS or HTTP, on kept connections. It retries only what is safe: any request once
 * after a 401, which was not carried out.
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
   * The longest time to the head of an answer, the wait for a connection included.
   * @default 30000
   */
  readonly headTimeoutMs?: number;
  /** How many requests are under way at once; watches, and requests to a proxy, do not count. @default 128 */
  readonly maxRequests?: number;
}

const HEAD_TIMEOUT_MS = 30_000;
const NOT_SENT = 'the proxy does not answer, or as many requests as may be are under way: not sent';
/** A bound for the start with its hundreds of lists; afterwards a fraction of it is under way. */
export const MAX_REQUESTS = 128;

/** The transport of the process. Safe for concurrent requests. */
export class HttpsTransport {
  readonly #credentials: Credentials;
  readonly #userAgent: string;
  readonly #headTimeoutMs: number;
  /** Cuts each call. */
  readonly #end = new AbortController();

  constructor(options: HttpsTransportOptions) {
    const { load, version, headTimeoutMs = HEAD_TIMEOUT_MS, maxRequests = MAX_REQUESTS } = options;
    this.#credentials = new Credentials(load, maxRequests);
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

  async #attempt(access: Access, request: ApiRequest): Promise<ApiResponse> {
    const signal =
      request.signal === undefined ? this.#end.signal : AbortSignal.any([request.signal, this.#end.signal]);
    signal.throwIfAborted();
    const call = this.#start(access, request);
    const cut = (): void => void call.destroy();
    signal.addEventListener('abort', cut, { once: true });
    call.once('close', () => signal.removeEventListener('abort', cut));
    const head = new Promise<IncomingMessage>((resolve, reject) => {
      call.once('response', resolve);
      call.on('error', reject);
      call.end(request.body);
    });
    const within = `within ${this.#headTimeoutMs / 1000} s`;
    const timeout = (): Error => new Error(call.socket ? `no answer ${within}` : `${NOT_SENT} ${within}`);
    const deadline = new IdleDeadline(this.#headTimeoutMs, signal, timeout);
    try {
      // A race, since a call that waits for its socket reports nothing when it is destroyed.
      return responseOf(await deadline.race(head), signal);
    } catch (error) {
      cut();
      this.#credentials.renew(access);
      throw error;
    } finally {
      deadline.end();
    }
  }

  #start(
    { target, watchAgent, basePath, headers }: Access,
    { method, path, headers: own, body }: ApiRequest,
  ): ClientRequest {
    const start = target.protocol === 'http:' ? httpRequest : httpsRequest;
    return start({
      ...target,
      ...(isWatch(path) && { agent: watchAgent }),
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
