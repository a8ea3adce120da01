/** The HTTP servers of the program, for reading only: one with all pages, and one for probes. */

import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import { isIP } from 'node:net';
import { Connections, Deliveries } from '../serving/connections.ts';
import { endListening, type KeyPair, listen, SECURE } from '../serving/listener.ts';
import type { Access } from './page-access.ts';
import { STATUS_PAGE_HEADERS } from './status-page.ts';

/** The answers for probes, computed for every request. */
export interface Probes {
  /** /healthz and /live: the loops that have made no progress for too long; none if the process is alive. */
  readonly stuck: () => readonly string[];
  /** /readyz: the lists and reads that the reloader waits for; none if it makes decisions. */
  readonly waitingFor: () => readonly string[];
}

/** The contents of the pages. */
export interface Pages extends Probes {
  /** The text of /metrics. */
  readonly metrics: () => Promise<Shown>;
  /** The text of /status.json. Never a value of a ConfigMap or Secret. */
  readonly status: () => Shown;
  /** The status page at /, by the query of the address; undefined after too many different queries. Absent: there is no page. */
  readonly statusPage?: ((query: string) => Shown | undefined) | undefined;
}

/** The address of a server, and the hosts that it serves. */
export interface ServerPlace {
  /** The flag for its port, for error messages. */
  readonly flag: string;
  /** The only address at which it listens. @default all */
  readonly address?: string | undefined;
  /** Whether requests may name only localhost and addresses. @default false */
  readonly checksHost?: boolean | undefined;
  /**
   * Decides by the Authorization header who reads a path, but for those of probes. With it the server speaks TLS, and clients
   * cannot connect before `use`. Never rejects. @default anyone reads all, without TLS
   */
  readonly admit?: ((authorization: string | undefined, path: string) => Promise<Access>) | undefined;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const HTML = 'text/html; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';
/** The text exposition format of Prometheus. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const MISDIRECTED = textAnswer(421, 'only localhost and addresses are served here');
const TOO_MANY_SEARCHES = textAnswer(503, 'too many different searches within a second: try again', {
  'retry-after': '1',
});
/** The answers to those who may not read a page. */
const REFUSALS: Readonly<Record<Exclude<Access, 'allowed'>, Answer>> = {
  unauthenticated: textAnswer(
    401,
    'a bearer token of this cluster is needed: Authorization: Bearer <token>',
    { 'www-authenticate': 'Bearer' },
  ),
  forbidden: textAnswer(
    403,
    'the account of this token lacks the right to get this path: a ClusterRole with nonResourceURLs gives it',
  ),
  unavailable: textAnswer(503, 'the API server did not review the token: see the log', {
    'retry-after': '5',
  }),
  busy: textAnswer(503, 'too many tokens to review within a second: try again', { 'retry-after': '1' }),
};
/** The paths of liveness; the second one is that of Stakater Reloader. */
const HEALTH_PATHS = ['/healthz', '/live'];
const PROBE_PATHS: readonly string[] = [...HEALTH_PATHS, '/readyz'];

const MOST_CONNECTIONS = 256;
/** After this time without a byte a connection is closed. */
const SILENCE_MS = 30_000;
/** The resources that one client may use. */
const LIMITS: ServerOptions = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 5000,
  maxHeaderSize: 8192,
};
/** Serves all pages, or only probes, from start to stop. */
export class HttpServer {
  readonly #server: Server | SecureServer;
  readonly #connections: Connections;
  readonly #deliveries = new Deliveries();
  readonly #answers: Answers;
  readonly #place: ServerPlace;
  readonly #onError: (error: unknown) => void;

  /** @param onError receives the error of a failed page; the client gets a bare 500 */
  constructor(pages: Pages | Probes, onError: (error: unknown) => void, place: ServerPlace) {
    this.#answers = 'metrics' in pages ? answersOf(pages) : probeAnswersOf(pages);
    this.#place = place;
    this.#onError = onError;
    const serve = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#serve(request, response);
    this.#server =
      place.admit === undefined
        ? createServer(LIMITS, serve)
        : createSecureServer({ ...LIMITS, ...SECURE, handshakeTimeout: LIMITS.headersTimeout }, serve);
    this.#connections = new Connections(this.#server, MOST_CONNECTIONS);
    this.#server.timeout = SILENCE_MS;
  }

  /**
   * Listens and returns the port, which the system picks if `port` is 0.
   *
   * @throws ListenError if the port is taken, it may not be used, or the address is none of this machine.
   */
  async start(port: number): Promise<number> {
    const { flag, address } = this.#place;
    return await listen(this.#server, { port, address, flag, onError: this.#onError });
  }

  /** New connections get this certificate. @throws if certificate and key do not belong together */
  use({ certificate, key }: KeyPair): void {
    if (this.#server instanceof SecureServer)
      this.#server.setSecureContext({ ...SECURE, cert: certificate, key });
  }

  /** Accepts no more requests; resolves when the open ones have ended, after a second at the latest. */
  async stop(): Promise<void> {
    await endListening(this.#server, this.#connections);
  }

  /** Never rejects. */
  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    let answer: Answer;
    try {
      answer = await this.#answer(request);
    } catch (error) {
      this.#onError(error);
      answer = textAnswer(500, 'internal error');
    }
    response.writeHead(answer.status, {
      'content-type': answer.type,
      'content-length': Buffer.byteLength(answer.body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      ...answer.headers,
    });
    if (request.method === 'HEAD') response.end();
    else if (typeof answer.body === 'string') response.end(answer.body);
    else this.#deliveries.send(response, answer.body);
  }

  async #answer({ method, url = '', headers }: IncomingMessage): Promise<Answer> {
    const { checksHost, admit } = this.#place;
    if (checksHost === true && !isLocalHost(headers.host)) return MISDIRECTED;
    const [path = '', ...query] = url.split('?');
    const page = this.#answers.get(path);
    if (page === undefined) return textAnswer(404, `not found; see ${[...this.#answers.keys()].join(' ')}`);
    if (method !== 'GET' && method !== 'HEAD')
      return textAnswer(405, 'only GET and HEAD', { allow: 'GET, HEAD' });
    const access = PROBE_PATHS.includes(path) ? 'allowed' : await admit?.(headers.authorization, path);
    return access === undefined || access === 'allowed' ? page(query.join('?')) : REFUSALS[access];
  }
}

/** Answers by path. */
type Answers = Map<string, (query: string) => Answer | Promise<Answer>>;

function answersOf({ metrics, status, statusPage, ...probes }: Pages): Answers {
  const answers: Answers = new Map();
  if (statusPage !== undefined)
    answers.set('/', (query) => {
      const page = statusPage(query);
      return page === undefined ? TOO_MANY_SEARCHES : shownAnswer(HTML, page, STATUS_PAGE_HEADERS);
    });
  answers.set('/metrics', async () => shownAnswer(METRICS_TYPE, await metrics()));
  for (const [path, answer] of probeAnswersOf(probes)) answers.set(path, answer);
  return answers.set('/status.json', () => shownAnswer('application/json', status()));
}

function probeAnswersOf({ stuck, waitingFor }: Probes): Answers {
  const answers: Answers = new Map(
    HEALTH_PATHS.map((path) => [path, () => judged('stuck: no progress', stuck())]),
  );
  return answers.set('/readyz', () => judged('waiting for', waitingFor()));
}

/** An answer with the time of its snapshot, since the same text goes to many clients. */
function shownAnswer(type: string, { body, asOf }: Shown, headers: Answer['headers'] = {}): Answer {
  return { status: 200, type, body, headers: { ...headers, 'snapshot-time': asOf.toISOString() } };
}

function judged(lead: string, reasons: readonly string[]): Answer {
  if (reasons.length === 0) return textAnswer(200, 'ok');
  return textAnswer(503, reasons.map((reason) => `${lead}: ${reason}`).join('\n'));
}

function textAnswer(status: number, text: string, headers: Answer['headers'] = {}): Answer {
  return { status, type: TEXT, body: `${text}\n`, headers };
}

/**
 * Where only programs of this machine may connect, a page in a browser there is one of them.
 * Whether `host`, the header of a request, is localhost or an IP address. A web page whose DNS name points to
 * this machine (DNS rebinding) sends that name. A request without the header does not come from a browser.
 */
function isLocalHost(host: string | undefined): boolean {
  if (host === undefined) return true;
  const name = host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  // An IPv6 address in a Host header is in brackets.
  const bracketed = /^\[(.*)\]$/.exec(name)?.[1];
  return name === 'localhost' || (bracketed === undefined ? isIP(name) === 4 : isIP(bracketed) === 6);
}

/** How long an answer is shared, in ms. */
const FRESH_MS = 1000;

/**
 * Returns the last result of `make` for FRESH_MS, and releases it then: the next call makes another. An error is not kept.
 */
export function recent<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  const release = (): void => {
    made = undefined;
  };
  return () => {
    if (made === undefined) {
      made = { value: make() };
      setTimeout(release, FRESH_MS).unref();
    }
    return made.value;
  };
}

/** A text, and the time of the snapshot that it shows. */
export interface Shown {
  readonly body: Buffer;
  readonly asOf: Date;
}
