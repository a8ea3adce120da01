/**
 * Serves metrics, status and probes, and optionally the probes on a port of their own. With --secure-metrics the pages have a
 * certificate, and are for those whose token may get them.
 */

import { follow, readPair } from '../admission/certificate-files.ts';
import { reviewReader } from '../kubernetes/access-reviews.ts';
import type { Send } from '../kubernetes/transport.ts';
import type { Log } from '../model/log.ts';
import { atMostEvery } from '../model/time.ts';
import type { Options } from '../options/options.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import type { KeyPair } from '../serving/web-server.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { PageAccess } from '../telemetry/page-access.ts';
import { type Pages, type Probes, pagesServer, recent, type Shown } from '../telemetry/pages-server.ts';
import { findOf, statusPage } from '../telemetry/status-page.ts';
import type { About } from '../telemetry/status-view.ts';
import type { Assembly } from './assembly.ts';

/** A client of the pages, as Prometheus, waits for ten seconds. */
const REVIEW_MS = 5000;
/** The least time between two log lines about reviews that fail. */
const FAILURES_MS = 60_000;
/** The most texts cached for one report: a further search within its second is answered with an error instead of memory. */
const MOST_TEXTS = 20;

/** What the pages show. */
type Observed = Pick<Assembly, 'status' | 'stuck' | 'waitingFor'>;

/** What the pages need beside the assembly. */
interface Served {
  readonly about: About;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Reviews tokens, if the pages are only for some. */
  readonly send: Send;
}

/** Servers that listen. */
export interface ServedPages {
  readonly port: number;
  /** The port that answers only probes; undefined: there is none. */
  readonly healthPort: number | undefined;
  /** Resolves when no server listens any more. */
  readonly stop: () => Promise<void>;
}

/**
 * Listens, and serves until `stop`.
 *
 * @throws ListenError if a port is taken or not permitted, or the address does not belong to this machine; then none listens.
 */
export async function servePages(assembly: Observed, options: Options, served: Served): Promise<ServedPages> {
  const { bindAddress: address, checksHost, metricsTlsDirectory: directory } = options;
  const { log, send } = served;
  const onError = (error: unknown): void => log.error('failed to serve a page', { error });
  const place = { address, checksHost };
  const admit = directory === undefined ? undefined : admitterOf(send, log);
  const { stuck, waitingFor } = assembly;
  const content = { stuck, waitingFor, ...pagesOf(assembly, options, served) };
  const pages = pagesServer(content, onError, { ...place, flag: '--port', admit });
  const health = pagesServer({ stuck, waitingFor }, onError, { ...place, flag: '--health-port' });
  const end = new AbortController();
  const what = 'the certificate of the pages';
  const loop = { what, use: (pair: KeyPair) => pages.use(pair), log, wait: sleep };
  const certificate =
    directory && follow({ ...loop, path: directory, read: readPair }, end.signal).catch(onError);
  const stop = async (): Promise<void> => {
    end.abort();
    await Promise.all([pages.stop(), health.stop(), certificate]);
  };
  try {
    const port = await pages.start(options.port);
    const healthPort = options.healthPort === undefined ? undefined : await health.start(options.healthPort);
    return { port, healthPort, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** All pages show the same report for a second, so that many requests cost as much as one. */
function pagesOf(
  assembly: Observed,
  { noStatusPage }: Options,
  { about, metrics }: Served,
): Omit<Pages, keyof Probes> {
  // Each text of a report is made at its first request.
  const look = recent(() => ({
    asOf: new Date(),
    report: assembly.status(),
    made: new Map<string, Shown>(),
  }));
  const shown = ({ asOf, made }: ReturnType<typeof look>, key: string, write: () => string): Shown => {
    const text = made.get(key) ?? { body: Buffer.from(write()), asOf };
    made.set(key, text);
    return text;
  };
  const statusPageFor = (query: string): Shown | undefined => {
    const find = findOf(query);
    const now = look();
    const key = `page ${find}`;
    if (find !== '' && !now.made.has(key) && now.made.size >= MOST_TEXTS) return undefined;
    return shown(now, key, () => statusPage({ find, about, report: now.report, now: now.asOf }));
  };
  return {
    metrics: recent(async () => {
      const asOf = new Date();
      return { body: Buffer.from(await metrics.text()), asOf };
    }),
    status: () => {
      const now = look();
      return shown(now, 'status', () => `${JSON.stringify({ ...about, ...now.report }, undefined, 2)}\n`);
    },
    statusPage: noStatusPage ? undefined : statusPageFor,
  };
}

/** Decides who reads a page, see `ServerPlace.admit`. */
function admitterOf(send: Send, log: Log): PageAccess['admit'] {
  const access = new PageAccess({
    review: (token, path) => reviewReader(send, token, path, AbortSignal.timeout(REVIEW_MS)),
    onFailure: atMostEvery(FAILURES_MS, (error) =>
      log.warn('cannot review the token of a page request; logged once a minute', { error }),
    ),
  });
  return (authorization, path) => access.admit(authorization, path);
}
