/** The process: connects to the API server, serves pages and webhook, checks rights, runs the assembly, and ends in order. */

import { setFlagsFromString } from 'node:v8';
import { admissionServer } from '../admission/admission-server.ts';
import { follow, readAuthorities, readPair } from '../admission/certificate-files.ts';
import { HttpsTransport, MAX_REQUESTS } from '../kubernetes/https-transport.ts';
import { contextNamespaceOf, loadKubeConfig, podNamespace } from '../kubernetes/kube-config.ts';
import type { WatchStatus } from '../model/health.ts';
import type { Log } from '../model/log.ts';
import { ConnectionError, type Environment } from '../model/settings.ts';
import { atMostEvery } from '../model/time.ts';
import { originOf } from '../notify/http-post.ts';
import { configKindsOf, type Options, USAGE_EXIT_CODE, workloadKindsOf } from '../options/options.ts';
import { VERSION } from '../options/version.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import { type KeyPair, ListenError } from '../serving/web-server.ts';
import { newLog } from '../telemetry/logger.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { type About, namespacesOf } from '../telemetry/status-view.ts';
import { type Assembly, assemble, type Parts, placeOf } from './assembly.ts';
import { type ServedPages, servePages } from './pages.ts';
import { preflight } from './preflight.ts';

const FAILED = 1;

/**
 * Runs until `signal` is aborted and the work under way is finished. The result is the exit code: 0 after a requested end, 1 if
 * the program cannot work, 64 if a setting is wrong. Never rejects.
 */
export async function main(
  options: Options,
  notices: readonly string[],
  env: Environment,
  signal: AbortSignal,
): Promise<number> {
  keepHeapSmall();
  const log = newLog({ level: options.logLevel, format: options.logFormat, mayColour: !env['NO_COLOR'] });
  for (const notice of notices) log.warn(notice);
  try {
    return await run(options, env, log, signal);
  } catch (error) {
    if (error instanceof ConnectionError) {
      log.error(error.message);
      return USAGE_EXIT_CODE;
    }
    if (error instanceof ListenError) log.error(error.message);
    else log.error('exiting: unexpected error', { error });
    return FAILED;
  }
}

/**
 * Sets V8's garbage collector for a small heap. Only some hundred bytes per object live long, but a long list makes V8 grow its
 * young generation to 64 MB for good and collect the old one late. The price is more of its short pauses.
 */
function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=25');
}

async function run(options: Options, env: Environment, log: Log, signal: AbortSignal): Promise<number> {
  const load = (): ReturnType<typeof loadKubeConfig> => loadKubeConfig(options, env);
  const config = load();
  const contextNamespace = contextNamespaceOf(config);
  const place = placeOf(options, podNamespace() ?? contextNamespace ?? 'default');
  // Half of the usual requests remain for the lead, the state and lists while all workers of rollouts and of pauses have slow ones.
  const maxRequests = Math.max(MAX_REQUESTS, MAX_REQUESTS / 2 + 2 * options.maxConcurrentPatches);
  const transport = new HttpsTransport({ load, version: VERSION, maxRequests });
  const workloadKinds = workloadKindsOf(options);
  const metrics = new Metrics(VERSION, {
    byNamespace: options.countsByNamespace,
    workloadKinds,
    watched: [...configKindsOf(options), ...workloadKinds.map(({ kind }) => kind)],
  });
  const server = originOf(config.getCurrentCluster()?.server ?? '');
  const pod = { podName: env['POD_NAME'], podUid: env['POD_UID'], random: Math.random, proxies: env };
  const parts = { send: transport.send, server, options, place, log, metrics, ...pod };
  const assembly = assemble(parts);
  const { clusterName, configmap, dryRun: isDryRun } = options;
  const state = `${place.stateNamespace}/${configmap}`;
  const about = { version: VERSION, namespaces: place.namespaces, state, isDryRun, clusterName };
  const pages = await servePages(assembly, options, { ...parts, about });
  logStart(options, about, pages, log);
  const isAsAsked = await work(parts, assembly, signal).finally(async () => {
    // Also after an error: otherwise the liveness probe of a process that does no work would succeed.
    await pages.stop();
    transport.close();
  });
  log.info('stopped');
  return isAsAsked ? 0 : FAILED;
}

/**
 * Runs the assembly, the webhook, the preflight and the log of problems; if one ends, all end. Whether the end was requested.
 */
async function work(parts: Parts, assembly: Assembly, signal: AbortSignal): Promise<boolean> {
  const ending = new AbortController();
  const stop = AbortSignal.any([signal, ending.signal]);
  const admissionEnded = await serveAdmission(parts, assembly, stop);
  const rights = preflight(parts, () => assembly.waitingFor().length === 0, stop);
  void rights.then((mayGoOn) => mayGoOn || ending.abort());
  const problemsLogged = logUnhealthy(assembly, parts.log, stop);
  const end = await assembly.run(stop).finally(() => ending.abort());
  const hasRights = await rights;
  await problemsLogged;
  await admissionEnded();
  return end === 'stopped' && hasRights;
}

function logStart(
  options: Options,
  about: About,
  { port, healthPort }: Pick<ServedPages, 'port' | 'healthPort'>,
  log: Log,
): void {
  const { clusterName: cluster, scope, namespacesToIgnore: ignored } = options;
  const { state } = about;
  const { resourceLabelSelector, namespaceSelector } = options;
  const why = scope.type === 'default' ? 'its own' : scope.source;
  const except = ignored.length === 0 ? '' : ` except ${ignored.join(', ')}`;
  const fields = { cluster, state, namespaceSelector, resourceLabelSelector, port, healthPort };
  log.info(`kubernetes-reloader ${VERSION} watches ${namespacesOf(about)}${except} (${why})`, fields);
  logWhoIsTold(options, log);
}

/** Logs only scheme and host of an address: its path and query may hold a secret. */
function logWhoIsTold({ dryRun, webhookUrl, alerts }: Options, log: Log): void {
  if (dryRun) log.info('dry run: reporting rollouts without writing anything');
  else if (webhookUrl !== undefined) log.info(`webhook mode: only notifying ${originOf(webhookUrl)}`);
  else if (alerts !== undefined) log.info(`alerts are sent to ${originOf(alerts.url)}`);
}

/** The least time between two log lines about clients without a certificate; the metric counts them all. */
const STRANGERS_MS = 60_000;

const CLIENTS = "the CA file for the admission webhook's clients";

/**
 * Listens at once and serves until `signal` is aborted. The promise of the returned function resolves when the server has
 * ended.
 *
 * @throws ListenError if the port is taken or not permitted, or the address does not belong to this machine.
 */
async function serveAdmission(
  parts: Parts,
  assembly: Pick<Assembly, 'review'>,
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const { options, log } = parts;
  const { webhookPort, webhookTlsDirectory, webhookClientCa: file } = options;
  if (webhookPort === undefined || webhookTlsDirectory === undefined) return () => Promise.resolve();
  const server = admissionServer({
    address: options.bindAddress,
    answer: assembly.review,
    onError: (error) => log.error('the admission webhook failed', { error }),
    verifiesClients: file !== undefined,
    onStranger: strangerReporter(parts),
  });
  const port = await server.start(webhookPort);
  log.info('the admission webhook preserves stamps in updates by external writers', { port });
  const loop = { log, wait: sleep };
  const pair = { path: webhookTlsDirectory, read: readPair, use: (each: KeyPair) => server.use(each) };
  const trust = (all: readonly string[]): void => server.trustClients(all);
  const ended = Promise.all([
    follow({ ...loop, ...pair, what: 'the certificate of the admission webhook' }, signal),
    file && follow({ ...loop, path: file, read: readAuthorities, use: trust, what: CLIENTS }, signal),
  ]).then(() => server.stop());
  return () => ended;
}

/** Counts the refused clients, and logs one of them a minute. */
function strangerReporter({ log, metrics }: Parts): (reason: string) => void {
  const logOne = atMostEvery(STRANGERS_MS, (reason: string) =>
    log.debug('the admission webhook refused a client; logged once a minute', { reason }),
  );
  return (reason) => {
    metrics?.count('reloader_admission_reviews_total', { result: 'unauthenticated' });
    logOne(reason);
  };
}

/** The time between two log lines. */
export const COMPLAINT_MS = 60_000;

/**
 * Logs once a minute what the program waits for or, when it is ready, the streams whose watch has been down for a minute.
 * Resolves when `signal` is aborted.
 */
export async function logUnhealthy(
  assembly: Pick<Assembly, 'waitingFor' | 'watches'>,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  await sleep(COMPLAINT_MS, signal);
  while (!signal.aborted) {
    const waitingFor = assembly.waitingFor();
    if (waitingFor.length > 0) log.warn(`not ready: still waiting for ${waitingFor.join(', ')}`);
    else logSilentWatches(assembly.watches(), log);
    await sleep(COMPLAINT_MS, signal);
  }
}

function logSilentWatches(watches: readonly WatchStatus[], log: Log): void {
  const down = watches.filter((watch) => !watch.isUp && silentSeconds(watch) * 1000 >= COMPLAINT_MS);
  if (down.length === 0) return;
  const seconds = Math.round(Math.max(...down.map(silentSeconds)));
  const streams = down.map(({ stream }) => stream).join(', ');
  const problem = down.find((each) => each.problem !== undefined)?.problem;
  log.warn(`no watch events for ${seconds} s from: ${streams}`, problem === undefined ? {} : { problem });
}

/** The seconds since the last sign of life; each page of a long list is one. */
function silentSeconds({ sinceSeconds, lastSignOfLifeSeconds = sinceSeconds }: WatchStatus): number {
  return Math.min(sinceSeconds, lastSignOfLifeSeconds);
}
