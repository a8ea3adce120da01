/** Sends requests to a real API server, over HTTPS (or HTTP), on connections that are kept open. */

import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { type Access, Credentials } from './credentials.ts';
import type { ApiRequest, ApiResponse, Piece, Send } from './transport.ts';

/** What the transport is made of. */
export interface HttpsTransportOptions {
  /** Reads the settings anew, files included: called before the first request and after each 401. */
  readonly load: () => KubeConfig;
  /** Of the program, for the user agent. */
  readonly version: string;
  /** The longest time to the head of an answer, connecting included. @default 30000 */
  readonly headTimeoutMs?: number;
}

const HEAD_TIMEOUT_MS = 30_000;

/** One per process. */
export class HttpsTransport {
  readonly #credentials: Credentials;
  readonly #userAgent: string;
  readonly #headTimeoutMs: number;

  constructor({ load, version, headTimeoutMs = HEAD_TIMEOUT_MS }: HttpsTransportOptions) {
    this.#credentials = new Credentials(load);
    this.#userAgent = `kubernetes-reloader/${version}`;
    this.#headTimeoutMs = headTimeoutMs;
  }

  /** See Send. A 401 is answered only after new credentials, if there are any, were refused too. */
  readonly send: Send = async (request) => {
    const access = await this.#credentials.access();
    const response = await this.#attempt(access, request);
    if (response.status !== 401) return response;
    return await this.#withNewCredentials(access, request, response);
  };

  /** Closes every connection; what is under way fails. */
  close(): void {
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

  #exchange(access: Access, request: ApiRequest): Promise<ApiResponse> {
    const { signal } = request;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const call = this.#start(access, request);
      const timeout = new Error(`no answer within ${this.#headTimeoutMs / 1000} s`);
      const timer = setTimeout(() => call.destroy(timeout), this.#headTimeoutMs);
      const onAbort = (): void => void call.destroy();
      signal?.addEventListener('abort', onAbort, { once: true });
      call.once('response', (message) => {
        clearTimeout(timer);
        resolve(responseOf(message, signal));
      });
      call.on('error', (error) => reject(signal?.aborted ? signal.reason : staleOr(error, call)));
      call.once('close', () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      });
      call.end(request.body);
    });
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

/** The server closed a kept connection before it saw the request. */
class StaleSocketError extends Error {}

function staleOr(error: NodeJS.ErrnoException, call: ClientRequest): Error {
  const stale = call.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
  return stale ? new StaleSocketError(error.message, { cause: error }) : error;
}

function responseOf(message: IncomingMessage, signal: AbortSignal | undefined): ApiResponse {
  message.on('error', () => undefined); // told by the iteration of the body, if anybody reads it
  const headers = Object.entries(message.headers).map(([name, value]) => [name, String(value)] as const);
  return {
    status: message.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    body: piecesOf(message, signal),
  };
}

async function* piecesOf(message: IncomingMessage, signal: AbortSignal | undefined): AsyncGenerator<Piece> {
  try {
    for await (const piece of message) yield piece as Buffer;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

async function* told(pieces: readonly Piece[]): AsyncGenerator<Piece> {
  yield* pieces;
}
