/** A server of HTTP or HTTPS: its limits, its certificate, how it answers, and how it ends without disconnecting clients that still receive an answer. */

import { constants } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse, type Server as WebServer } from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import type { Server } from 'node:net';
import { createSecureContext } from 'node:tls';
import { Connections, Deliveries } from './connections.ts';

/** A server cannot listen; the message says what to change. */
export class ListenError extends Error {}

/** A certificate chain and its key, both as PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  readonly body: string | Buffer;
  /** @default those of plain text */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The parts of an HttpServer. */
export interface ServerOptions {
  /** A rejection is an error of the program: the client gets a bare 500. */
  readonly answer: (request: IncomingMessage) => Promise<Answer>;
  /** Receives such errors, and those of the server after its start. */
  readonly onError: (error: unknown) => void;
  /** The flag for its port, for error messages. */
  readonly flag: string;
  /** The only address at which it listens. @default all */
  readonly address?: string | undefined;
  /** After this time without a request a connection is closed. One that arrives in that moment gets no answer. */
  readonly idleMs: number;
  /** Whether it speaks TLS: clients cannot connect before `use` and, if they are verified, before `trustClients`. */
  readonly tls?: 'of the server' | 'of clients too' | undefined;
}

const MOST_CONNECTIONS = 256;
/** After this time without a byte a connection is closed. */
const SILENCE_MS = 30_000;
/** No client is expected to be slower. */
const SLOWEST_MS = 5000;
/** The resources that one client may use. */
const LIMITS = {
  headersTimeout: SLOWEST_MS,
  requestTimeout: SLOWEST_MS,
  connectionsCheckingInterval: 1000,
  maxHeaderSize: 8192,
};
/** For all certificates. A resumed session would be one without a check of the client: there are none. */
const SECURE = { minVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_TICKET } as const;
const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};
/** How long an open request may take to end when the server stops. */
const STOP_GRACE_MS = 1000;

/** Serves from start to stop. */
export class HttpServer {
  readonly #server: WebServer | SecureServer;
  readonly #connections: Connections;
  readonly #deliveries = new Deliveries();
  readonly #options: ServerOptions;
  #pair: KeyPair | undefined;
  /** The trusted authorities of clients. */
  #authorities: readonly string[] | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
    const { idleMs, tls } = options;
    const limits = { ...LIMITS, keepAliveTimeout: idleMs };
    const serve = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#serve(request, response);
    // A client without a valid certificate is answered, so that it learns the reason.
    const clients = { requestCert: tls === 'of clients too', rejectUnauthorized: false };
    this.#server =
      tls === undefined
        ? createServer(limits, serve)
        : createSecureServer({ ...limits, ...SECURE, ...clients, handshakeTimeout: SLOWEST_MS }, serve);
    this.#connections = new Connections(this.#server, MOST_CONNECTIONS);
    this.#server.timeout = SILENCE_MS;
  }

  /**
   * Listens and returns the port, which the system picks if `port` is 0.
   *
   * @throws ListenError if the port is taken, it may not be used, or the address is none of this machine.
   */
  async start(port: number): Promise<number> {
    const server = this.#server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => reject(listenErrorOf(error, port, this.#options)));
      server.listen(port, this.#options.address, resolve);
    });
    server.on('error', this.#options.onError);
    const bound = server.address();
    return typeof bound === 'object' && bound !== null ? bound.port : port;
  }

  /** New connections get this certificate; open ones are not closed. @throws if certificate and key do not belong together */
  use(pair: KeyPair): void {
    createSecureContext({ cert: pair.certificate, key: pair.key });
    this.#pair = pair;
    this.#secure();
  }

  /**
   * From now on the certificates of clients are verified by these authorities. It closes all connections, since the certificates
   * of their clients were verified before.
   *
   * @param authorities at least one, as PEM
   */
  trustClients(authorities: readonly string[]): void {
    this.#authorities = authorities;
    this.#secure();
    this.#connections.closeAll();
  }

  /** Accepts no more requests; resolves when the open ones have ended, after a second at the latest. */
  async stop(): Promise<void> {
    await endListening(this.#server, this.#connections);
  }

  #secure(): void {
    const [pair, ca] = [this.#pair, this.#authorities];
    if (pair === undefined || !(this.#server instanceof SecureServer)) return;
    if (this.#options.tls === 'of clients too' && ca === undefined) return;
    const { certificate: cert, key } = pair;
    this.#server.setSecureContext({ ...SECURE, ...(ca && { ca: [...ca] }), cert, key });
  }

  /** Never rejects. */
  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let answer: Answer;
    try {
      answer = await this.#options.answer(request);
    } catch (error) {
      if (request.destroyed && !request.complete) return; // the client is gone and waits for no answer
      this.#options.onError(error);
      answer = { status: 500, body: 'internal error\n', headers: { connection: 'close' } };
    }
    const { status, body, headers } = answer;
    response.writeHead(status, { ...HEADERS, 'content-length': Buffer.byteLength(body), ...headers });
    if (typeof body === 'string') response.end(body);
    else this.#deliveries.send(response, body);
  }
}

/** Accepts no more requests; resolves when the open ones have ended, after a second at the latest. */
export async function endListening(
  server: Server & Pick<WebServer, 'closeIdleConnections'>,
  connections: Connections,
): Promise<void> {
  if (!server.listening) return;
  const cutOff = setTimeout(() => connections.closeAll(), STOP_GRACE_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(cutOff);
}

function listenErrorOf(
  error: Error & { readonly code?: string },
  port: number,
  { address, flag }: Pick<ServerOptions, 'address' | 'flag'>,
): Error {
  const elsewhere = `${address} is no address of this machine: choose another with --bind-address`;
  const messages: Readonly<Record<string, string>> = {
    EADDRNOTAVAIL: elsewhere,
    EAFNOSUPPORT: elsewhere,
    EADDRINUSE: `port ${port} is taken: choose another with ${flag}`,
    EACCES: `port ${port} may not be used: choose one above 1023 with ${flag}`,
  };
  const message = messages[error.code ?? ''];
  return message === undefined ? error : new ListenError(message, { cause: error });
}
