/** Parses the command line and the environment into validated, frozen Options. Pure. */

import { BlockList, isIPv6 } from 'node:net';
import { customKind } from '../model/kinds/custom-kind.ts';
import type { AlertOptions, Budget, Environment } from '../model/settings.ts';
import { formatDuration, MAX_DURATION_MS } from '../model/time.ts';
import { readCommandLine, readEnvironment, strangeVariables, textOf } from './command-line.ts';
import { DEAD_FLAGS, FLAGS, type Flag, type FlagName, type FlagOptions } from './flags.ts';
import { runHelpText } from './help.ts';
import {
  isAutomatic,
  type LeaderElection,
  type Options,
  type ParsedCommand,
  type Scope,
  UsageError,
  workloadKindsOf,
} from './options.ts';
import { listOf, Reader } from './reader.ts';
import { isSet, NAME_OF_DEPLOYMENT, RENAMING_FLAGS, stakaterKeysFrom, stakaterSetting } from './stakater.ts';
import { TYPES } from './value-types.ts';
import { VERSION } from './version.ts';

const DEFAULT_WAIT_IN_PERIODS = 6;
const LEASE = 'leader-election-lease-duration';
const RENEW = 'leader-election-renew-deadline';
const RETRY = 'leader-election-retry-period';
/** With its jitter a retry period is up to a fifth longer. */
const LONGEST_RETRY = 1.2;
/** Pairs of flags that contradict each other, and the reason if it is not obvious. */
const NOT_BOTH: readonly (readonly [one: FlagName, other: FlagName, why?: string])[] = [
  ['token', 'token-file'],
  ['certificate-authority', 'insecure-skip-tls-verify'],
  ['webhook-port', 'dry-run', ': nothing is stamped'],
  ['webhook-port', 'webhook-url', ': nothing is stamped'],
];
/** Pairs of flags of which the first one needs the other. */
const NEEDS: readonly (readonly [one: FlagName, other: FlagName])[] = [
  ['client-certificate', 'client-key'],
  ['client-key', 'client-certificate'],
  ['secure-metrics', 'metrics-tls-directory'],
  ['metrics-tls-directory', 'secure-metrics'],
  ['webhook-port', 'webhook-tls-directory'],
  ['webhook-tls-directory', 'webhook-port'],
  ['webhook-client-ca', 'webhook-port'],
];

/**
 * The command that `argv` (without node and script; `run` may come first) and `env` ask for. Precedence: flags, RELOADER_OPT_*
 * variables, then PORT and KUBERNETES_NAMESPACE; besides these only variables in the manifests of Stakater Reloader are read.
 * Total: an error is a result, never an exception.
 */
export function parseOptions(argv: readonly string[], env: Environment): ParsedCommand {
  try {
    const commandLine = readCommandLine(argv[0] === 'run' ? argv.slice(1) : argv);
    if (commandLine.has('help')) return { type: 'print', text: runHelpText() };
    if (commandLine.has('version')) return { type: 'print', text: `${VERSION}\n` };
    const reader = new Reader(commandLine, readEnvironment(env));
    const options = deepFreeze(optionsFrom(reader, env));
    const notices = [...noticesOf(reader, options), ...strangeVariables(env)];
    return { type: 'run', options, notices };
  } catch (error) {
    if (error instanceof UsageError) return { type: 'usage-error', message: error.message };
    throw error;
  }
}

function optionsFrom(reader: Reader, env: Environment): Options {
  const { flags } = reader;
  refuseNothing(reader);
  refuseTwice(reader);
  refuseContradictions(reader);
  const scope = scopeFrom(reader, env);
  const ofAll = scope.type === 'all';
  const { rolloutLimit: limit, stages, stageSoakMs: soakMs } = flags;
  return {
    ...flags,
    scope,
    namespacesToIgnore: ofAll ? flags.namespacesToIgnore : [],
    namespaceSelector: ofAll ? flags.namespaceSelector : undefined,
    namespaceAnnotations: ofAll && flags.namespaceAnnotations,
    coalesceMaxWaitMs: maxWaitFrom(reader),
    pace: { minIntervalMs: flags.minRolloutIntervalMs, limit: limit === 'off' ? undefined : limit },
    budget: budgetFrom(flags),
    staging: { stages, soakMs },
    alternativeAnnotations: {
      ConfigMap: flags.alternativeConfigmapAnnotation,
      Secret: flags.alternativeSecretAnnotation,
    },
    stakaterKeys: stakaterKeysFrom(reader),
    ...servingFrom(reader, env),
    countsByNamespace: env['METRICS_COUNT_BY_NAMESPACE'] === 'enabled',
    leaderElection: leaderElectionFrom(reader),
    webhookUrl: flags.webhookUrl || undefined,
    alerts: alertsFrom(flags),
  };
}

/**
 * The watched namespaces. Precedence: --namespace, --all-namespaces, the same two as variables, KUBERNETES_NAMESPACE; then all
 * if this program takes the place of Stakater Reloader, which watches all; else the default.
 */
function scopeFrom(reader: Reader, env: Environment): Scope {
  const { namespace: names, allNamespaces: all } = reader.flags;
  const isOverruled = reader.isOnCommandLine('all-namespaces') && !reader.isOnCommandLine('namespace');
  if (names.length > 0 && !(all && isOverruled))
    return { type: 'namespaces', names, source: reader.placeOf('namespace') };
  if (all) return { type: 'all', source: reader.placeOf('all-namespaces') };
  const source = 'KUBERNETES_NAMESPACE';
  const text = textOf(env, source);
  if (text !== '')
    return { type: 'namespaces', names: listOf({ texts: [text], source }, TYPES.namespace), source };
  const setting = stakaterSetting(reader, env);
  if (setting === undefined) return { type: 'default' };
  return { type: 'all', source: `the default of Stakater Reloader, whose ${setting} is set` };
}

function maxWaitFrom(reader: Reader): number {
  const { coalescePeriodMs: period, coalesceMaxWaitMs } = reader.flags;
  const maxWait = coalesceMaxWaitMs ?? Math.min(DEFAULT_WAIT_IN_PERIODS * period, MAX_DURATION_MS);
  if (maxWait >= period) return maxWait;
  const source = reader.placeOf('coalesce-max-wait');
  throw new UsageError(`${source}: expected at least the period of ${period} ms, got ${maxWait} ms`);
}

/** The budget of rollouts; undefined if there is none. */
function budgetFrom(flags: FlagOptions): Budget | undefined {
  const { maxConcurrentRollouts: slots, rolloutRate: rate, rolloutBurst: burst } = flags;
  return slots + rate === 0 ? undefined : { slots, rate, burst };
}

/** The election; undefined if it is off, or in a dry run, which writes nothing. @throws UsageError */
function leaderElectionFrom(reader: Reader): LeaderElection | undefined {
  const { flags } = reader;
  const election: LeaderElection = {
    id: flags.leaderElectionId ?? flags.configmap,
    namespace: flags.leaderElectionNamespace,
    leaseDurationMs: flags.leaderElectionLeaseDurationMs,
    renewDeadlineMs: flags.leaderElectionRenewDeadlineMs,
    retryPeriodMs: flags.leaderElectionRetryPeriodMs,
  };
  refuseDisorder(reader, election);
  return flags.leaderElect && !flags.dryRun ? election : undefined;
}

/**
 * @throws UsageError unless retry period < renew deadline < lease duration: a leader has to stop before another one takes over.
 */
function refuseDisorder(reader: Reader, election: LeaderElection): void {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = election;
  const got = (flag: FlagName, ms: number): string => `${formatDuration(ms)} of ${reader.placeOf(flag)}`;
  if (renewDeadlineMs >= leaseDurationMs)
    throw new UsageError(
      `${reader.placeOf(RENEW)}: expected less than the ${got(LEASE, leaseDurationMs)}, got ${formatDuration(renewDeadlineMs)}`,
    );
  if (retryPeriodMs * LONGEST_RETRY >= renewDeadlineMs)
    throw new UsageError(
      `${reader.placeOf(RETRY)}: expected less than the ${got(RENEW, renewDeadlineMs)} by a fifth and more, got ${formatDuration(retryPeriodMs)}`,
    );
}

/** The settings of alerts; undefined if they are off. The reader has refused wrong values even then. */
function alertsFrom(flags: FlagOptions): AlertOptions | undefined {
  const { alertSink: sink = 'raw', alertWebhookUrl: url, clusterName } = flags;
  const proxy = flags.alertWebhookProxy || undefined;
  const additionalInfo = flags.alertAdditionalInfo || undefined;
  return flags.alertOnReload && url ? { sink, url, proxy, additionalInfo, clusterName } : undefined;
}

/** @throws UsageError if no kind of object or no kind of workload would be watched */
function refuseNothing(reader: Reader): void {
  const { flags } = reader;
  if (flags.ignoredConfigResourceTypes.length > 1) {
    const place = reader.placeOf('ignored-config-resource-types');
    throw new UsageError(`${place}: expected v1.ConfigMap or v1.Secret, not both: nothing would be watched`);
  }
  if (workloadKindsOf(flags).some(({ kind }) => !isAutomatic(flags, kind))) return;
  const place = reader.placeOf('ignored-workload-types');
  throw new UsageError(`${place}: expected not all kinds of workload: nothing would be watched`);
}

/** @throws UsageError if two entries name one kind: it has one version and one pod template */
function refuseTwice(reader: Reader): void {
  const names = reader.flags.workloadKinds.map((entry) => customKind(entry).kind);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  const place = reader.placeOf('workload-kinds');
  throw new UsageError(`${place}: expected each kind once, got ${twice} twice; keep one of its entries`);
}

/** @throws UsageError if two flags contradict each other, or one lacks the other */
function refuseContradictions(reader: Reader): void {
  for (const [one, other, why = ''] of NOT_BOTH)
    if (reader.asks(one) && reader.asks(other))
      throw new UsageError(`expected ${reader.placeOf(one)} or ${reader.placeOf(other)}, not both${why}`);
  for (const [one, other] of NEEDS)
    if (reader.asks(one) && !reader.asks(other))
      throw new UsageError(`expected --${other} beside ${reader.placeOf(one)}`);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}

const OF_ALL_NAMESPACES = ['namespaces-to-ignore', 'namespace-selector', 'namespace-annotations'] as const;
const NATIVE_KEYS = ['alternative-configmap-annotation', 'alternative-secret-annotation'] as const;
const STAKATERS_KEYS = RENAMING_FLAGS.map(({ name }) => name);
const ALERT_FLAGS = FLAGS.map(({ name }) => name).filter((name) => name.startsWith('alert-'));
const NO_ADDRESS = 'no alert is sent, since neither --alert-webhook-url nor ALERT_WEBHOOK_URL says where to';
const UNVERIFIED = 'any program on the way to the API server can take its place, read Secrets and the token';
const SHOWN =
  'the command line shows it to every user of this machine; use RELOADER_OPT_TOKEN or --token-file';

/** Flags that have no effect if a condition holds, the reason, and the setting that causes it. */
type Idle = readonly [
  isIdle: boolean,
  flags: readonly Flag['name'][],
  why: string,
  cause?: string | undefined,
];

/** The warnings for the given flags and the options that follow from them. */
function noticesOf(reader: Reader, options: Options): string[] {
  const dead = DEAD_FLAGS.map(({ name, group }): Idle => [reader.asks(name), [name], group]);
  const idle = [...idleIn(reader, options), ...dead].flatMap(([isIdle, flags, why, cause]) => {
    const sources = isIdle ? flags.flatMap((flag) => reader.sourceOf(flag) ?? []) : [];
    return sources.map((source) => `${source} has no effect${cause ? ` with ${cause}` : ''}: ${why}`);
  });
  const isBoth = reader.isOnCommandLine('namespace') && options.allNamespaces;
  const wins = `${reader.placeOf('namespace')} wins over ${reader.placeOf('all-namespaces')}`;
  const dangers = [
    ...(options.insecureSkipTlsVerify
      ? [`${reader.placeOf('insecure-skip-tls-verify')}: ${UNVERIFIED}`]
      : []),
    ...(reader.isOnCommandLine('token') ? [`--token: ${SHOWN}`] : []),
  ];
  return [...(isBoth ? [wins] : []), ...idle, ...dangers];
}

function idleIn(reader: Reader, options: Options): Idle[] {
  const { scope, dialects, webhookUrl, ignoredWorkloadTypes: ignored, alertOnReload: alert } = options;
  const place = (flag: FlagName): string => reader.placeOf(flag);
  const isUnasked = reader.sourceOf('alert-on-reload') === undefined;
  const asked = ALERT_FLAGS.filter((flag) => reader.asks(flag));
  const noCronJobs = options.cronjobReload !== 'none' && ignored.includes('CronJob');
  const noJobs = options.jobReload !== 'none' && ignored.includes('Job');
  const selector = reader.sourceOf('resource-label-selector');
  const noDeletions = options.reloadOnDelete && selector !== undefined;
  const given = 'source' in scope ? scope.source : undefined;
  return [
    [scope.type !== 'all', OF_ALL_NAMESPACES, 'it needs --all-namespaces', given],
    [noDeletions, ['reload-on-delete'], 'a lost label looks like a deletion', selector],
    [!dialects.includes('collaborne'), NATIVE_KEYS, 'it needs collaborne in that list', place('dialects')],
    [!dialects.includes('stakater'), STAKATERS_KEYS, 'it needs stakater in that list', place('dialects')],
    [noCronJobs, ['cronjob-reload'], 'take cronjobs out of that list', place('ignored-workload-types')],
    [noJobs, ['job-reload'], 'take jobs out of that list', place('ignored-workload-types')],
    [!webhookUrl, ['webhook-secret-file'], 'it needs --webhook-url'],
    [isUnasked, asked, 'it needs --alert-on-reload'],
    [alert && webhookUrl !== undefined, ['alert-on-reload'], 'nothing is rolled here', place('webhook-url')],
    [alert && !webhookUrl && !options.alerts, ['alert-on-reload'], NO_ADDRESS],
  ];
}

const PAGES_PORT = 8080;
/** The port on which manifests of Stakater Reloader expect `/live` and `/metrics`; it has no flag for it. */
const STAKATERS_PORT = 9090;
const PROBES_PORT = 8081;

/** The settings of pages, probes and admission webhook. Outside a pod all listen at 127.0.0.1 by default. @throws UsageError */
function servingFrom(reader: Reader, env: Environment) {
  const { flags } = reader;
  const port = flags.port ?? (isSet(env, NAME_OF_DEPLOYMENT) ? STAKATERS_PORT : PAGES_PORT);
  const healthPort = flags.healthPort ?? (isPod(env) ? PROBES_PORT : undefined);
  const bindAddress = flags.bindAddress ?? (isPod(env) ? undefined : '127.0.0.1');
  refuseSamePort(reader, { 'webhook-port': flags.webhookPort, 'health-port': healthPort, port });
  return { port, healthPort, bindAddress, checksHost: isLoopback(bindAddress) };
}

/** @throws UsageError if two ports are equal; 0 never is, since the system picks a free port each time */
function refuseSamePort(reader: Reader, ports: { readonly [N in FlagName]?: number | undefined }): void {
  const byPort = Map.groupBy(Object.keys(ports) as (keyof typeof ports)[], (name) => ports[name]);
  for (const [port, [one, other]] of byPort)
    if (port && one && other)
      throw new UsageError(
        `expected ${reader.placeOf(one)} other than ${reader.placeOf(other)}, got ${port} for both`,
      );
}

/** Whether this process runs in a pod: the kubelet sets the variable in each container, even if enableServiceLinks is false. */
function isPod(env: Environment): boolean {
  return textOf(env, 'KUBERNETES_SERVICE_HOST') !== '';
}

/** Whether only programs on this machine can connect to the address. */
function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8);
  loopback.addAddress('::1', 'ipv6');
  return loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
