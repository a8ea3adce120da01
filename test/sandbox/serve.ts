/** A sandbox, or whatever else answers requests, behind node:http, for processes: the bundle, the demo, kubectl as far as it sends JSON. */

import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ApiRequest, ApiResponse, Send } from '../../lib/kubernetes/transport.ts';
import { textBody } from './event-stream.ts';
import { StatusError } from './status-error.ts';

/** How a sandbox is served. */
export interface ServeOptions {
  /** @default 0: any free port */
  readonly port?: number;
  /** The bearer tokens accepted now; may change. No token at all is the administrator. @default every token */
  readonly tokens?: ReadonlySet<string>;
  /** Serves https with these, PEM. @default http */
  readonly tls?: { readonly key: string; readonly cert: string };
}

type HttpServer = ReturnType<typeof createServer> | ReturnType<typeof createTlsServer>;

/** A sandbox that listens on 127.0.0.1. */
export interface Served {
  readonly port: number;
  readonly url: string;
  /** Ends all connections and stops to listen. */
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Serves `handle` over HTTP. A request that `handle` rejects is a connection that breaks off. */
export async function serve(handle: Send, options: ServeOptions = {}): Promise<Served> {
  const server = serverOf(options, (request, response) => {
    void answer(handle, options.tokens, request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const port = portOf(server);
  const close = (): Promise<void> => closed(server);
  const scheme = options.tls === undefined ? 'http' : 'https';
  return { port, url: `${scheme}://127.0.0.1:${port}`, close, [Symbol.asyncDispose]: close };
}

function serverOf({ tls }: ServeOptions, listener: RequestListener): HttpServer {
  const settings = { keepAliveTimeout: 60_000 };
  return tls === undefined
    ? createServer(settings, listener)
    : createTlsServer({ ...settings, ...tls }, listener);
}

/**
 * A kubeconfig for a served sandbox. It carries insecure-skip-tls-verify since client libraries refuse http:// without.
 *
 * @param token sent by client libraries; kubectl sends none over http
 */
export function kubeconfig(url: string, namespace = 'default', token?: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'sandbox',
    clusters: [{ name: 'sandbox', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'sandbox', user: token === undefined ? {} : { token } }],
    contexts: [{ name: 'sandbox', context: { cluster: 'sandbox', user: 'sandbox', namespace } }],
  });
}

async function answer(
  handle: Send,
  tokens: ReadonlySet<string> | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const answered = await answerOf(handle, tokens, request, gone.signal);
    response.writeHead(answered.status, answered.headers);
    response.flushHeaders();
    await write(answered, response);
    response.end();
  } catch {
    // The client went away, or a fault wants it to see a broken connection: either way there is nobody to tell.
    response.destroy();
  }
}

async function answerOf(
  handle: Send,
  tokens: ReadonlySet<string> | undefined,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<ApiResponse> {
  try {
    const body = await text(request);
    if (!isAccepted(tokens, request)) throw new StatusError(401, 'Unauthorized', 'Unauthorized');
    return await handle(apiRequest(request, body, signal));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { retryAfterSeconds } = error.details;
    const headers = {
      'content-type': 'application/json',
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    };
    return { status: error.code, headers, body: textBody(JSON.stringify(error.toStatus())) };
  }
}

async function write(answered: ApiResponse, response: ServerResponse): Promise<void> {
  for await (const piece of answered.body) {
    if (response.write(piece) || response.destroyed) continue;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        response.off('drain', go);
        response.off('close', go);
        resolve();
      };
      response.once('drain', go);
      response.once('close', go);
    });
  }
}

function apiRequest(request: IncomingMessage, body: string, signal: AbortSignal): ApiRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string') headers[name] = value;
  return {
    method: methodOf(request.method),
    path: request.url ?? '/',
    headers,
    ...(body === '' ? {} : { body }),
    signal,
  };
}

function methodOf(method: string | undefined): ApiRequest['method'] {
  return METHODS.find((each) => each === method) ?? 'GET';
}

const METHODS: readonly ApiRequest['method'][] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

function isAccepted(tokens: ReadonlySet<string> | undefined, request: IncomingMessage): boolean {
  const token = /^Bearer (.*)$/i.exec(request.headers.authorization ?? '')?.[1];
  return token === undefined || tokens === undefined || tokens.has(token);
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server does not listen on a port');
  return address.port;
}

function closed(server: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
