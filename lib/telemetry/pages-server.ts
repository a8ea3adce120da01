/** The HTTP servers of the program, for reading only: one with all pages, and one for probes. */

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { type Answer, HttpServer } from '../serving/web-server.ts';
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

const HTML = 'text/html; charset=utf-8';
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
/** A client that scrapes opens a connection each time. */
const IDLE_MS = 5000;

/** A server of all pages, or only of probes. `onError` receives the error of a failed page. */
export function pagesServer(
  pages: Pages | Probes,
  onError: (error: unknown) => void,
  { flag, address, checksHost, admit }: ServerPlace,
): HttpServer {
  const answers = 'metrics' in pages ? answersOf(pages) : probeAnswersOf(pages);
  const isServed = (host: string | undefined): boolean => checksHost !== true || isLocalHost(host);
  const answer = async ({ method, url = '', headers }: IncomingMessage): Promise<Answer> => {
    if (!isServed(headers.host)) return MISDIRECTED;
    const [path = '', ...query] = url.split('?');
    const page = answers.get(path);
    if (page === undefined) return textAnswer(404, `not found; see ${[...answers.keys()].join(' ')}`);
    if (method !== 'GET' && method !== 'HEAD')
      return textAnswer(405, 'only GET and HEAD', { allow: 'GET, HEAD' });
    const reviewer = PROBE_PATHS.includes(path) ? undefined : admit;
    const access = (await reviewer?.(headers.authorization, path)) ?? 'allowed';
    return access === 'allowed' ? page(query.join('?')) : REFUSALS[access];
  };
  return new HttpServer({ answer, onError, flag, address, idleMs: IDLE_MS, tls: admit && 'of the server' });
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
  const shown = { ...headers, 'content-type': type, 'snapshot-time': asOf.toISOString() };
  return { status: 200, body, headers: shown };
}

function judged(lead: string, reasons: readonly string[]): Answer {
  if (reasons.length === 0) return textAnswer(200, 'ok');
  return textAnswer(503, reasons.map((reason) => `${lead}: ${reason}`).join('\n'));
}

function textAnswer(status: number, text: string, headers: Answer['headers'] = {}): Answer {
  return { status, body: `${text}\n`, headers };
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
