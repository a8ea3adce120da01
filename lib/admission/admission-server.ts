/** The HTTPS server that the API server calls before it stores a workload. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { createSecureContext, TLSSocket } from 'node:tls';
import { Connections } from '../serving/connections.ts';
import { endListening, type KeyPair, listen, SECURE } from '../serving/listener.ts';
import { MalformedReviewError } from './review.ts';

/** The parts of an AdmissionServer. */
export interface AdmissionServerOptions {
  /** Answers the text of a review. @throws MalformedReviewError if the text is not a review */
  readonly answer: (text: string) => string;
  /** Receives unexpected errors; the API server gets a bare 500, and stores the write. */
  readonly onError: (error: unknown) => void;
  /** Whether only clients with a certificate of a trusted authority are answered, see `trustClients`. @default false */
  readonly verifiesClients?: boolean;
  /** Called for each request of a client without such a certificate, with the reason. @default nothing */
  readonly onStranger?: (reason: string) => void;
}

/** The only path. */
export const ADMISSION_PATH = '/mutate';
/** A review holds two objects of at most 3 MiB each, and an envelope. */
const LONGEST_BYTES = 8 * 1024 * 1024;
/** The API server waits for two seconds, and no other client is expected. */
const SLOWEST_MS = 5000;
/** After this time without a review a connection is closed. A review that arrives in that moment gets no answer; its write goes through. */
const IDLE_MS = 30_000;
const MOST_CONNECTIONS = 200;

interface Answer {
  readonly status: number;
  readonly body: string;
}

/**
 * Serves from start to stop; clients cannot connect before it has a certificate and, if it verifies clients, before it knows
 * whose certificates to trust.
 */
export class AdmissionServer {
  readonly #server: Server;
  readonly #connections: Connections;
  readonly #options: AdmissionServerOptions;
  #pair: KeyPair | undefined;
  /** The trusted authorities of clients. */
  #authorities: readonly string[] | undefined;

  constructor(options: AdmissionServerOptions) {
    this.#options = options;
    const limits = {
      headersTimeout: SLOWEST_MS,
      requestTimeout: SLOWEST_MS,
      handshakeTimeout: SLOWEST_MS,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: IDLE_MS,
      maxHeaderSize: 8192,
    };
    // A client without a valid certificate is answered, so that it learns the reason.
    const clients = { requestCert: options.verifiesClients ?? false, rejectUnauthorized: false };
    this.#server = createServer(
      { ...limits, ...SECURE, ...clients },
      (request, response) => void this.#serve(request, response),
    );
    this.#connections = new Connections(this.#server, MOST_CONNECTIONS);
    // A failed handshake, for example of a client that does not trust the certificate, needs no report.
    this.#server.on('tlsClientError', () => undefined);
  }

  /**
   * Listens and answers the port.
   *
   * @param address the only address to listen at; undefined: all
   * @throws ListenError if the port is taken, it may not be used, or the address is none of this machine.
   */
  async start(port: number, address?: string): Promise<number> {
    const { onError } = this.#options;
    return await listen(this.#server, { port, address, flag: '--webhook-port', onError });
  }

  /** New connections get this certificate; open ones are not closed. @throws if certificate and key do not belong together */
  use(pair: KeyPair): void {
    createSecureContext({ cert: pair.certificate, key: pair.key });
    this.#pair = pair;
    this.#secure();
  }

  /**
   * From now on only clients with a certificate of these authorities are answered. It closes all connections, since the
   * certificates of their clients were verified before.
   *
   * @param authorities at least one, as PEM
   */
  trustClients(authorities: readonly string[]): void {
    this.#authorities = authorities;
    this.#secure();
    this.#connections.closeAll();
  }

  /** Takes no more requests; resolves when the open ones have ended, after a second at the latest. */
  async stop(): Promise<void> {
    await endListening(this.#server, this.#connections);
  }

  #secure(): void {
    const pair = this.#pair;
    const isReady = !this.#options.verifiesClients || this.#authorities !== undefined;
    if (pair === undefined || !isReady) return;
    const { certificate: cert, key } = pair;
    const clients = this.#authorities === undefined ? {} : { ca: [...this.#authorities] };
    this.#server.setSecureContext({ ...SECURE, ...clients, cert, key });
  }

  /** Never rejects. */
  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let answer: Answer;
    try {
      answer = this.#strangerAnswer(request) ?? refusalOf(request) ?? (await this.#review(request));
    } catch (error) {
      if (request.destroyed && !request.complete) return; // the client is gone and waits for no answer
      this.#options.onError(error);
      answer = { status: 500, body: 'internal error\n' };
    }
    const isOver = answer.status !== 200;
    response.writeHead(answer.status, {
      'content-type': isOver ? 'text/plain; charset=utf-8' : 'application/json',
      'content-length': Buffer.byteLength(answer.body),
      ...(answer.status === 405 ? { allow: 'POST' } : {}),
      // The body of a refused request is not read to its end.
      ...(isOver ? { connection: 'close' } : {}),
    });
    response.end(answer.body);
  }

  /** The refusal of a client without a certificate of a trusted authority. */
  #strangerAnswer({ socket }: IncomingMessage): Answer | undefined {
    const { verifiesClients, onStranger } = this.#options;
    if (!verifiesClients || !(socket instanceof TLSSocket)) return undefined;
    const hasCertificate = socket.getPeerX509Certificate() !== undefined;
    if (hasCertificate && socket.authorized) return undefined;
    const reason = hasCertificate ? String(socket.authorizationError) : 'it has no client certificate';
    onStranger?.(reason);
    return { status: 403, body: `a client certificate of a trusted authority is needed: ${reason}\n` };
  }

  async #review(request: IncomingMessage): Promise<Answer> {
    const text = await textOf(request);
    if (text === undefined) return TOO_LONG;
    try {
      return { status: 200, body: this.#options.answer(text) };
    } catch (error) {
      if (!(error instanceof MalformedReviewError)) throw error;
      return { status: 400, body: `${error.message}\n` };
    }
  }
}

const TOO_LONG: Answer = { status: 413, body: `a review has at most ${LONGEST_BYTES} bytes\n` };

/** Refuses a request by its head. The path is compared without its query, in which the API server sends a timeout. */
function refusalOf({ method, url = '', headers }: IncomingMessage): Answer | undefined {
  if (url.split('?')[0] !== ADMISSION_PATH)
    return { status: 404, body: `not found; see ${ADMISSION_PATH}\n` };
  if (method !== 'POST') return { status: 405, body: 'only POST\n' };
  if (!headers['content-type']?.startsWith('application/json'))
    return { status: 415, body: 'only application/json\n' };
  return Number(headers['content-length'] ?? 0) > LONGEST_BYTES ? TOO_LONG : undefined;
}

/** The body; undefined if it is too long. */
async function textOf(request: AsyncIterable<Buffer>): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += piece.length;
    if (bytes > LONGEST_BYTES) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
