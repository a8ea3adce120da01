/** The small HTTP server of the program: metrics, health, readiness, status and its page, for reading only. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Connections } from '../serving/connections.ts';
import { endListening, listen } from '../serving/listener.ts';
import { STATUS_PAGE_HEADERS } from './status-page.ts';

/** What the pages show; each is asked anew for every request. */
export interface Pages {
  /** The text of /metrics. */
  readonly metrics: () => Promise<string>;
  /** /healthz and /live: whether every loop is alive, else what is stuck. */
  readonly health: () => { readonly ok: boolean; readonly problems: readonly string[] };
  /** /readyz: whether decisions are being made, else what is awaited. */
  readonly ready: () => { readonly ok: boolean; readonly waitingFor: readonly string[] };
  /** /status.json: anything that JSON can say. Never a value of a ConfigMap or Secret. */
  readonly status: () => unknown;
  /** The status page at /, for the query of an address; absent: there is no such page. */
  readonly statusPage?: ((query: string) => string) | undefined;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const MOST_CONNECTIONS = 200;
const HTML = 'text/html; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';
/** The text exposition format of Prometheus. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
/** Where it is told whether every loop is alive; the second one is what probes of Stakater Reloader ask. */
const HEALTH_PATHS = ['/healthz', '/live'];

/** Serves `pages` from start to stop. */
export class HttpServer {
  readonly #server: Server;
  readonly #connections: Connections;
  readonly #answers: Answers;
  readonly #onError: (error: unknown) => void;

  /** @param onError is told of a page that failed; its reader gets a bare 500. */
  constructor(pages: Pages, onError: (error: unknown) => void) {
    this.#answers = answersOf(pages);
    this.#onError = onError;
    // A client that sends slowly or never ends is cut off.
    const limits = {
      headersTimeout: 5000,
      requestTimeout: 10_000,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 5000,
      maxHeaderSize: 8192,
    };
    this.#server = createServer(limits, (request, response) => void this.#serve(request, response));
    this.#connections = new Connections(this.#server, MOST_CONNECTIONS);
    this.#server.timeout = 30_000;
  }

  /**
   * Listens on all addresses and answers the port, which the system picks if `port` is 0.
   *
   * @throws ListenError if the port is taken or may not be used.
   */
  async start(port: number): Promise<number> {
    return await listen(this.#server, { port, flag: '--port', onError: this.#onError });
  }

  /** Takes no more requests; resolves when the open ones have ended, after a second at the latest. */
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
      answer = { status: 500, type: TEXT, body: 'internal error\n' };
    }
    response.writeHead(answer.status, {
      'content-type': answer.type,
      'content-length': Buffer.byteLength(answer.body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      ...answer.headers,
      ...(answer.status === 405 ? { allow: 'GET, HEAD' } : {}),
    });
    response.end(request.method === 'HEAD' ? undefined : answer.body);
  }

  async #answer({ method, url = '' }: IncomingMessage): Promise<Answer> {
    const [path = '', ...query] = url.split('?');
    const page = this.#answers.get(path);
    if (page === undefined)
      return { status: 404, type: TEXT, body: `not found; see ${[...this.#answers.keys()].join(' ')}\n` };
    if (method !== 'GET' && method !== 'HEAD')
      return { status: 405, type: TEXT, body: 'only GET and HEAD\n' };
    return page(query.join('?'));
  }
}

/** Answers by path. */
type Answers = ReadonlyMap<string, (query: string) => Answer | Promise<Answer>>;

function answersOf({ metrics, health, ready, status, statusPage }: Pages): Answers {
  const answers = new Map<string, (query: string) => Answer | Promise<Answer>>();
  if (statusPage !== undefined) answers.set('/', (query) => htmlAnswer(statusPage(query)));
  answers.set('/metrics', async () => ({ status: 200, type: METRICS_TYPE, body: await metrics() }));
  for (const path of HEALTH_PATHS) answers.set(path, () => healthAnswer(health()));
  answers.set('/readyz', () => readyAnswer(ready()));
  answers.set('/status.json', () => jsonAnswer(status()));
  return answers;
}

function htmlAnswer(body: string): Answer {
  return { status: 200, type: HTML, body, headers: STATUS_PAGE_HEADERS };
}

function healthAnswer({ ok, problems }: ReturnType<Pages['health']>): Answer {
  return judged(ok, 'stuck', problems);
}

function readyAnswer({ ok, waitingFor }: ReturnType<Pages['ready']>): Answer {
  return judged(ok, 'waiting for', waitingFor);
}

function judged(ok: boolean, lead: string, reasons: readonly string[]): Answer {
  if (ok) return { status: 200, type: TEXT, body: 'ok\n' };
  return { status: 503, type: TEXT, body: reasons.map((reason) => `${lead}: ${reason}\n`).join('') };
}

function jsonAnswer(value: unknown): Answer {
  return { status: 200, type: 'application/json', body: `${JSON.stringify(value, undefined, 2)}\n` };
}
