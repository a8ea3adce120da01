/** Serves metrics, status and probes, and optionally the probes on a port of their own. */

import type { Send } from '../kubernetes/transport.ts';
import type { Log } from '../model/log.ts';
import type { Options } from '../options/options.ts';
import { HttpServer, type Pages, type Probes } from '../telemetry/http-server.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { recent, type Shown, Texts } from '../telemetry/recent.ts';
import { pageRequestOf, statusPage } from '../telemetry/status-page.ts';
import type { About } from '../telemetry/status-view.ts';
import type { Assembly } from './assembly.ts';
import { admitterOf, followPagesCertificate } from './secure-pages.ts';

/** The most texts cached for one report: a further search within its second is answered with an error instead of memory. */
const MOST_TEXTS = 20;

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
export async function servePages(assembly: Assembly, options: Options, served: Served): Promise<ServedPages> {
  const { bindAddress: address, checksHost, secureMetrics } = options;
  const { log, send } = served;
  const onError = (error: unknown): void => log.error('a page failed', { error });
  const place = { address, checksHost };
  const admit = secureMetrics && admitterOf(send, log);
  const probes = probesOf(assembly);
  const content = { ...probes, ...pagesOf(assembly, options, served) };
  const pages = new HttpServer(content, onError, { ...place, flag: '--port', admit });
  const health = new HttpServer(probes, onError, { ...place, flag: '--health-port' });
  const end = new AbortController();
  const certificate =
    secureMetrics &&
    followPagesCertificate(secureMetrics, { use: (pair) => pages.use(pair), log }, end.signal).catch(onError);
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
  assembly: Assembly,
  { statusPage: hasPage }: Options,
  { about, metrics }: Served,
): Omit<Pages, keyof Probes> {
  const look = recent(() => {
    const texts = new Texts(new Date());
    return { texts, report: assembly.status() };
  });
  const statusPageFor = (query: string): Shown | undefined => {
    const request = pageRequestOf(query);
    const { texts, report } = look();
    const key = `page ${request.isStill} ${request.find}`;
    if (request.find !== '' && !texts.has(key) && texts.size >= MOST_TEXTS) return undefined;
    return texts.text(key, () => statusPage({ ...request, about, report, now: texts.asOf }));
  };
  return {
    metrics: recent(async () => {
      const asOf = new Date();
      return { body: Buffer.from(await metrics.text()), asOf };
    }),
    status: () => {
      const { texts, report } = look();
      return texts.text('status', () => `${JSON.stringify({ ...about, ...report }, undefined, 2)}\n`);
    },
    statusPage: hasPage ? statusPageFor : undefined,
  };
}

function probesOf(assembly: Assembly): Probes {
  return {
    health: () => {
      const stuck = assembly.stuck();
      return { ok: stuck.length === 0, problems: stuck.map((loop) => `no progress: ${loop}`) };
    },
    ready: () => {
      const waitingFor = assembly.waitingFor();
      return { ok: waitingFor.length === 0, waitingFor };
    },
  };
}
