/** The command line and the environment become one validated, frozen Options. Nothing is read, written or ended here. */

import type { ConfigKind } from '../model/object-ref.ts';
import {
  type ConnectionOptions,
  DEFAULT_VOCABULARY_NAMES,
  type Pace,
  type RolloutLimit,
} from '../model/settings.ts';

import { MAX_DURATION_MS } from '../model/time.ts';
import { admissionFrom } from './admission-settings.ts';
import { alertNotices, alertsFrom } from './alert-settings.ts';
import { readCommandLine } from './command-line.ts';
import { type Environment, readEnvironment, strangeVariables } from './environment.ts';
import type { FlagName } from './flags.ts';
import { helpText } from './help.ts';
import { idleNotices } from './idle-flags.ts';
import { leaderElectionFrom } from './leader-settings.ts';
import {
  type Options,
  type ParsedCommand,
  type Scope,
  type WorkloadChoice,
  workloadKindsOf,
} from './options.ts';
import { listOf, Reader } from './reader.ts';
import { servingFrom, servingNotices } from './serving-settings.ts';
import { stakaterKeysFrom } from './stakater-keys.ts';
import { deadSettings, stakaterSetting } from './stakater-settings.ts';
import { UsageError } from './usage-error.ts';
import * as types from './value-types.ts';
import { VERSION } from './version.ts';

const DEFAULT_PERIOD_MS = 5000;
const DEFAULT_WAIT_IN_PERIODS = 6;
const DEFAULT_LIMIT: RolloutLimit = { rollouts: 20, withinMs: 3_600_000 };
/** Flags that mean something only where all namespaces are watched. */
const IN_ALL_NAMESPACES = ['namespaces-to-ignore', 'namespace-selector'] as const;

/**
 * What `argv` (without node and script) and `env` ask for. Flags win over RELOADER_OPT_* variables, which win over PORT
 * and KUBERNETES_NAMESPACE; besides these only what Stakater Reloader's manifests set counts. Pure and total: errors are answers.
 */
export function parseOptions(argv: readonly string[], env: Environment): ParsedCommand {
  try {
    const commandLine = readCommandLine(argv);
    if (commandLine.has('help')) return { type: 'print', text: helpText(), exitCode: 0 };
    if (commandLine.has('version')) return { type: 'print', text: `${VERSION}\n`, exitCode: 0 };
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
  const scope = scopeFrom(reader, env);
  const serving = servingFrom(reader, env);
  const stateConfigMap = reader.one('configmap', types.STATE_NAME) ?? 'reloader-state';
  const dryRun = reader.one('dry-run', types.BOOLEAN) ?? false;
  return {
    scope,
    ...selectionFrom(reader, scope),
    ...present('stateNamespace', reader.one('state-namespace', types.NAMESPACE)),
    stateConfigMap,
    ...coalescingFrom(reader),
    pace: paceFrom(reader),
    alternativeAnnotations: {
      ConfigMap: reader.list('alternative-configmap-annotation', types.ANNOTATION_KEY),
      Secret: reader.list('alternative-secret-annotation', types.ANNOTATION_KEY),
    },
    ...vocabulariesFrom(reader),
    reloadStrategy: reader.one('reload-strategy', types.STRATEGY) ?? 'env-vars',
    ...rulesFrom(reader),
    ignoredConfigKinds: ignoredKindsFrom(reader),
    ...workloadsFrom(reader),
    ...serving,
    countsByNamespace: env['METRICS_COUNT_BY_NAMESPACE'] === 'enabled',
    connection: connectionFrom(reader),
    maxConcurrentPatches: reader.one('max-concurrent-patches', types.CONCURRENCY) ?? 32,
    dryRun,
    ...present('leaderElection', leaderElectionFrom(reader, { stateConfigMap, dryRun })),
    ...present('webhookUrl', reader.one('webhook-url', types.WEBHOOK) || undefined),
    ...present('admission', admissionFrom(reader, serving)),
    ...present('alerts', alertsFrom(reader)),
    logLevel: reader.one('log-level', types.LOG_LEVEL) ?? 'info',
    logFormat: reader.one('log-format', types.LOG_FORMAT) ?? 'text',
  };
}

/** What counts as a change, and which changes need no rollout. */
function rulesFrom(
  reader: Reader,
): Pick<Options, 'keyScoped' | 'absorbOwnerRollouts' | 'reloadOnCreate' | 'reloadOnDelete'> {
  return {
    keyScoped: reader.one('key-scoped', types.BOOLEAN) ?? false,
    absorbOwnerRollouts: reader.one('absorb-owner-rollouts', types.BOOLEAN) ?? true,
    reloadOnCreate: reader.one('reload-on-create', types.BOOLEAN) ?? false,
    reloadOnDelete: reader.one('reload-on-delete', types.BOOLEAN) ?? false,
  };
}

/** --namespace > --all-namespaces > the same two as variables > KUBERNETES_NAMESPACE > all, as Stakater Reloader has it. */
function scopeFrom(reader: Reader, env: Environment): Scope {
  const names = reader.list('namespace', types.NAMESPACE);
  const all = reader.one('all-namespaces', types.BOOLEAN) ?? false;
  if (names.length > 0 && !(all && isOverruled(reader))) {
    return { type: 'namespaces', names, source: reader.sourceOf('namespace') ?? '' };
  }
  if (all) return { type: 'all', source: reader.sourceOf('all-namespaces') ?? '' };
  const source = 'KUBERNETES_NAMESPACE';
  const text = env[source]?.trim() ?? '';
  if (text === '') return scopeUnsaid(reader, env);
  return { type: 'namespaces', names: listOf({ texts: [text], source }, types.NAMESPACE), source };
}

/** Where Stakater Reloader's settings are found its default is meant. */
function scopeUnsaid(reader: Reader, env: Environment): Scope {
  const setting = stakaterSetting(reader, env);
  if (setting === undefined) return { type: 'default' };
  return { type: 'all', source: `the default of Stakater Reloader, whose ${setting} is set` };
}

/** Whether only --all-namespaces stands on the command line, and the names in a variable. */
function isOverruled(reader: Reader): boolean {
  return reader.isOnCommandLine('all-namespaces') && !reader.isOnCommandLine('namespace');
}

/** What of the scope is watched. */
function selectionFrom(
  reader: Reader,
  { type }: Scope,
): Pick<Options, 'ignoredNamespaces' | 'namespaceSelector' | 'resourceLabelSelector'> {
  const ignoredNamespaces = reader.list('namespaces-to-ignore', types.NAMESPACE);
  const namespaceSelector = reader.joined('namespace-selector', types.LABEL_SELECTOR);
  return {
    ignoredNamespaces: type === 'all' ? ignoredNamespaces : [],
    ...present('namespaceSelector', type === 'all' ? namespaceSelector : undefined),
    ...present('resourceLabelSelector', reader.joined('resource-label-selector', types.LABEL_SELECTOR)),
  };
}

function coalescingFrom(
  reader: Reader,
): Pick<Options, 'coalescePeriodMs' | 'coalesceMaxWaitMs' | 'pausePeriodMs'> {
  const period = reader.one('coalesce-period', types.DURATION) ?? DEFAULT_PERIOD_MS;
  const maxWait = reader.one('coalesce-max-wait', types.DURATION);
  if (maxWait !== undefined && maxWait < period) {
    const source = reader.sourceOf('coalesce-max-wait') ?? '';
    throw new UsageError(`${source}: expected at least the period of ${period} ms, got ${maxWait} ms`);
  }
  return {
    coalescePeriodMs: period,
    coalesceMaxWaitMs: maxWait ?? defaultMaxWaitMs(period),
    pausePeriodMs: reader.one('pause-period', types.DURATION) ?? 0,
  };
}

function paceFrom(reader: Reader): Pace {
  const limit = reader.one('rollout-limit', types.ROLLOUT_LIMIT) ?? DEFAULT_LIMIT;
  return {
    minIntervalMs: reader.one('min-rollout-interval', types.DURATION) ?? 0,
    limit: limit === 'off' ? undefined : limit,
  };
}

function defaultMaxWaitMs(periodMs: number): number {
  return Math.min(DEFAULT_WAIT_IN_PERIODS * periodMs, MAX_DURATION_MS);
}

function vocabulariesFrom(reader: Reader): Pick<Options, 'dialects' | 'stakaterKeys' | 'autoReloadAll'> {
  const dialects = reader.list('dialects', types.DIALECT);
  return {
    dialects: dialects.length === 0 ? DEFAULT_VOCABULARY_NAMES : dialects,
    autoReloadAll: reader.one('auto-reload-all', types.BOOLEAN) ?? false,
    stakaterKeys: stakaterKeysFrom(reader),
  };
}

function ignoredKindsFrom(reader: Reader): ConfigKind[] {
  const kinds = reader.list('ignored-config-resource-types', types.CONFIG_KIND);
  if (kinds.length < 2) return kinds;
  const source = reader.sourceOf('ignored-config-resource-types') ?? '';
  throw new UsageError(`${source}: expected v1.ConfigMap or v1.Secret, not both: nothing would be watched`);
}

/** Which kinds of workload are served. */
function workloadsFrom(reader: Reader): WorkloadChoice {
  const chosen = {
    ignoredWorkloadKinds: reader.list('ignored-workload-types', types.WORKLOAD_KIND),
    cronJobReload: reader.one('cronjob-reload', types.CRON_JOB_RELOAD) ?? 'none',
    jobReload: reader.one('job-reload', types.JOB_RELOAD) ?? 'none',
  };
  if (workloadKindsOf(chosen).length > 0) return chosen;
  const source = reader.sourceOf('ignored-workload-types') ?? '';
  throw new UsageError(`${source}: expected not all kinds of workload: nothing would be watched`);
}

function connectionFrom(reader: Reader): ConnectionOptions {
  const connection: ConnectionOptions = {
    ...present('kubeconfig', reader.one('kubeconfig', types.TEXT)),
    ...present('context', reader.one('context', types.TEXT)),
    ...present('server', reader.one('server', types.SERVER)),
    ...present('certificateAuthority', reader.one('certificate-authority', types.TEXT)),
    ...present('clientCertificate', reader.one('client-certificate', types.TEXT)),
    ...present('clientKey', reader.one('client-key', types.TEXT)),
    insecureSkipTlsVerify: reader.one('insecure-skip-tls-verify', types.BOOLEAN) ?? false,
    ...present('token', reader.one('token', types.SECRET_TEXT)),
    ...present('tokenFile', reader.one('token-file', types.TEXT)),
  };
  const contradiction = contradictionIn(connection, reader);
  if (contradiction !== undefined) throw new UsageError(contradiction);
  return connection;
}

function contradictionIn(connection: ConnectionOptions, reader: Reader): string | undefined {
  const notBoth = (one: FlagName, other: FlagName): string =>
    `expected ${reader.sourceOf(one)} or ${reader.sourceOf(other)}, not both`;
  if (connection.token !== undefined && connection.tokenFile !== undefined) {
    return notBoth('token', 'token-file');
  }
  if ((connection.clientCertificate === undefined) !== (connection.clientKey === undefined)) {
    const only = reader.sourceOf('client-certificate') ?? reader.sourceOf('client-key');
    return `expected --client-certificate and --client-key together, got only ${only}`;
  }
  if (connection.insecureSkipTlsVerify && connection.certificateAuthority !== undefined) {
    return notBoth('certificate-authority', 'insecure-skip-tls-verify');
  }
  return undefined;
}

function noticesOf(reader: Reader, options: Options): string[] {
  const { scope, reloadOnDelete, resourceLabelSelector } = options;
  const others = [
    ...idleNotices(reader, options),
    ...alertNotices(reader, options.webhookUrl),
    ...connectionNotices(reader, options.connection),
    ...servingNotices(reader, options),
    ...deadSettings(reader),
  ];
  const both = reader.isOnCommandLine('namespace') && reader.one('all-namespaces', types.BOOLEAN);
  const wins = both ? [`${reader.sourceOf('namespace')} wins over ${reader.sourceOf('all-namespaces')}`] : [];
  const idle = scope.type === 'all' ? [] : IN_ALL_NAMESPACES.flatMap((flag) => reader.sourceOf(flag) ?? []);
  const named = 'source' in scope ? ` with ${scope.source}` : '';
  const why = `has no effect${named}: it needs --all-namespaces`;
  const blind =
    reloadOnDelete && resourceLabelSelector !== undefined
      ? [
          `${reader.sourceOf('reload-on-delete')} has no effect with ${reader.sourceOf('resource-label-selector')}: a lost label looks like a deletion`,
        ]
      : [];
  return [...wins, ...idle.map((source) => `${source} ${why}`), ...blind, ...others];
}

function connectionNotices(reader: Reader, { insecureSkipTlsVerify }: ConnectionOptions): string[] {
  const unverified = insecureSkipTlsVerify ? [reader.sourceOf('insecure-skip-tls-verify')] : [];
  const shown = reader.isOnCommandLine('token') ? [reader.sourceOf('token')] : [];
  return [
    ...unverified.map(
      (source) =>
        `${source}: any program on the way to the API server can take its place, read Secrets and the token`,
    ),
    ...shown.map(
      (source) =>
        `${source}: the command line shows it to every user of this machine; use RELOADER_OPT_TOKEN or --token-file`,
    ),
  ];
}

/** An object with `key`, or an empty one: absent properties are not undefined ones. */
function present<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: T });
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
