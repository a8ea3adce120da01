/** The table of flags: what the help, the environment and the parser know of them. */

import { STAKATER_KEYS } from '../model/settings.ts';
import { ADMISSION_FLAGS, type AdmissionFlagName } from './admission-flags.ts';
import { DEAD_FLAGS, type DeadFlagName } from './dead-flags.ts';
import { LEADER_FLAGS, type LeaderFlagName } from './leader-flags.ts';
import { SERVING_FLAGS, type ServingFlagName } from './serving-flags.ts';

/** One flag. */
export interface Flag {
  /** The long name without dashes; like a long alias it also names a variable, see variableOf. */
  readonly name: FlagName;
  /** Its other form, with dashes: `-s`, `--cacert`. */
  readonly alias?: string;
  /** What its value is called in the help; absent for a switch. */
  readonly value?: string;
  /** May be repeated, and each value may be a comma list. */
  readonly list?: true;
  /** One sentence for the help, with the default; absent for a flag that no longer has a meaning. */
  readonly help?: string;
  /** The heading in the help. */
  readonly group?: FlagGroup;
  /** Which of its forms nobody but Stakater Reloader has: who writes that takes this program for that one. */
  readonly isStakaters?: 'name' | 'alias';
}

type FlagGroup =
  | 'What is watched:'
  | 'What asks for a reload:'
  | 'How it reloads:'
  | 'Who leads:'
  | 'Admission webhook:'
  | 'Who is told:'
  | 'Connection:'
  | 'Serving:'
  | 'Output:';

/** The names of all flags. */
export type FlagName =
  | 'namespace'
  | 'all-namespaces'
  | 'namespaces-to-ignore'
  | 'namespace-selector'
  | 'resource-label-selector'
  | 'state-namespace'
  | 'configmap'
  | 'coalesce-period'
  | 'coalesce-max-wait'
  | 'pause-period'
  | 'alternative-configmap-annotation'
  | 'alternative-secret-annotation'
  | 'ignored-config-resource-types'
  | 'ignored-workload-types'
  | 'dialects'
  | 'auto-reload-all'
  | 'reload-strategy'
  | 'key-scoped'
  | 'absorb-owner-rollouts'
  | 'reload-on-create'
  | 'reload-on-delete'
  | 'cronjob-reload'
  | 'job-reload'
  | StakaterKeyFlagName
  | 'min-rollout-interval'
  | 'rollout-limit'
  | 'max-concurrent-patches'
  | 'dry-run'
  | 'webhook-url'
  | LeaderFlagName
  | AdmissionFlagName
  | 'alert-on-reload'
  | 'alert-sink'
  | 'alert-webhook-url'
  | 'alert-webhook-proxy'
  | 'alert-additional-info'
  | 'kubeconfig'
  | 'context'
  | 'server'
  | 'certificate-authority'
  | 'client-certificate'
  | 'client-key'
  | 'insecure-skip-tls-verify'
  | 'token'
  | 'token-file'
  | ServingFlagName
  | 'log-level'
  | 'log-format'
  | 'help'
  | 'version'
  | DeadFlagName;

/** Flags that rename an annotation of the stakater vocabulary. */
export type StakaterKeyFlagName =
  | 'auto-annotation'
  | 'configmap-auto-annotation'
  | 'secret-auto-annotation'
  | 'auto-search-annotation'
  | 'search-match-annotation'
  | 'ignore-annotation'
  | 'configmap-annotation'
  | 'secret-annotation'
  | 'pause-deployment-annotation'
  | 'pause-deployment-time-annotation';

const WATCHED: readonly Flag[] = [
  {
    name: 'namespace',
    alias: '--namespaces',
    value: 'names',
    list: true,
    help: 'namespaces to watch; repeatable or a comma list',
  },
  { name: 'all-namespaces', alias: '-A', help: 'watch every namespace' },
  {
    name: 'namespaces-to-ignore',
    value: 'names',
    list: true,
    help: 'namespaces to leave out where every one is watched; repeatable or a comma list',
    isStakaters: 'name',
  },
  {
    name: 'namespace-selector',
    value: 'selector',
    list: true,
    help: 'of all namespaces, roll only in those with these labels; of several all must hold',
    isStakaters: 'name',
  },
  {
    name: 'resource-label-selector',
    value: 'selector',
    list: true,
    help: 'watch only ConfigMaps and Secrets with these labels; of several all must hold',
    isStakaters: 'name',
  },
  {
    name: 'ignored-config-resource-types',
    alias: '--resources-to-ignore',
    isStakaters: 'alias',
    value: 'types',
    list: true,
    help: 'do not watch v1.ConfigMap or v1.Secret; configmaps and secrets mean the same',
  },
  {
    name: 'ignored-workload-types',
    value: 'types',
    list: true,
    help: 'do not watch these kinds of workload, e.g. cronjobs or daemonsets; repeatable or a comma list',
    isStakaters: 'name',
  },
];

const VOCABULARY: readonly Flag[] = [
  {
    name: 'dialects',
    value: 'names',
    list: true,
    help: 'vocabularies in use: collaborne, stakater, sap, wave (default: collaborne,stakater)',
  },
  {
    name: 'auto-reload-all',
    help: 'roll every workload for all that it refers to, unless its auto annotation says otherwise',
  },
  {
    name: 'alternative-configmap-annotation',
    value: 'keys',
    list: true,
    help: 'further annotations that list ConfigMaps; repeatable or a comma list',
  },
  {
    name: 'alternative-secret-annotation',
    value: 'keys',
    list: true,
    help: 'further annotations that list Secrets; repeatable or a comma list',
  },
  renaming('auto-annotation', STAKATER_KEYS.auto),
  renaming('configmap-auto-annotation', STAKATER_KEYS.configMapAuto),
  renaming('secret-auto-annotation', STAKATER_KEYS.secretAuto),
  renaming('auto-search-annotation', STAKATER_KEYS.search),
  renaming('search-match-annotation', STAKATER_KEYS.match),
  renaming('ignore-annotation', STAKATER_KEYS.ignore),
  renaming('configmap-annotation', STAKATER_KEYS.configMap),
  renaming('secret-annotation', STAKATER_KEYS.secret),
  renaming('pause-deployment-annotation', STAKATER_KEYS.pausePeriod),
  renaming('pause-deployment-time-annotation', STAKATER_KEYS.pausedAt),
];

const RELOADING: readonly Flag[] = [
  {
    name: 'reload-strategy',
    value: 'strategy',
    help: 'env-vars stamps variables of the containers, annotations those of the pod template (default: env-vars)',
  },
  {
    name: 'key-scoped',
    help: 'roll a workload only when the keys change that its pods read, unless its annotation says otherwise',
  },
  {
    name: 'absorb-owner-rollouts',
    help: 'do not roll a workload whose owner rolls it after the change, as helm upgrade does (default: true)',
  },
  {
    name: 'reload-on-create',
    help: 'roll workloads too when an object comes to be that they started without',
  },
  {
    name: 'reload-on-delete',
    help: 'roll workloads too when an object is deleted that they can start without',
  },
  {
    name: 'cronjob-reload',
    value: 'way',
    help: 'none leaves CronJobs alone, run-now starts a run after each change (default: none)',
  },
  {
    name: 'job-reload',
    value: 'way',
    help: 'none leaves Jobs alone, recreate creates them anew, recreate-running only those that have not finished (default: none)',
  },
  {
    name: 'coalesce-period',
    value: 'duration',
    help: 'quiet time after the last change before a workload is rolled (default: 5s; a plain number is milliseconds)',
  },
  {
    name: 'coalesce-max-wait',
    value: 'duration',
    help: 'longest time that further changes can postpone a rollout (default: 6 times the period)',
  },
  {
    name: 'pause-period',
    value: 'duration',
    help: 'shortest time from the first change to its rollout, for workloads without a pause-period of their own (default: 0)',
  },
  {
    name: 'min-rollout-interval',
    value: 'duration',
    help: 'least time between two rollouts of one workload (default: 0)',
  },
  {
    name: 'rollout-limit',
    value: 'limit',
    help: 'rollouts of one workload within a time; each one beyond waits twice as long as the one before, at most 1h; off: no limit (default: 20/1h)',
  },
  { name: 'max-concurrent-patches', value: 'number', help: 'workloads patched at once (default: 32)' },
  {
    name: 'configmap',
    value: 'name',
    help: "ConfigMap that holds the reloader's state; a large one continues in <name>-1 to -9 (default: reloader-state)",
  },
  {
    name: 'state-namespace',
    value: 'name',
    help: "its namespace (default: the only one watched, else the reloader's own)",
  },
  { name: 'dry-run', help: 'report what would be rolled; write nothing' },
];

const TOLD: readonly Flag[] = [
  {
    name: 'webhook-url',
    value: 'url',
    help: 'tell this address whom a change concerns, and roll nobody',
    isStakaters: 'name',
  },
  { name: 'alert-on-reload', help: 'send an alert for each rollout (also $ALERT_ON_RELOAD)' },
  {
    name: 'alert-sink',
    value: 'sink',
    help: 'what takes the alerts: slack, teams, gchat or raw (default: $ALERT_SINK, then raw)',
  },
  {
    name: 'alert-webhook-url',
    value: 'url',
    help: 'where alerts are sent; better the variable (default: $ALERT_WEBHOOK_URL)',
  },
  {
    name: 'alert-webhook-proxy',
    value: 'url',
    help: 'the HTTP proxy to it (default: $ALERT_WEBHOOK_PROXY, then what $HTTPS_PROXY and the like say)',
  },
  {
    name: 'alert-additional-info',
    value: 'text',
    help: 'stands before each alert (default: $ALERT_ADDITIONAL_INFO)',
  },
];

const CONNECTION: readonly Flag[] = [
  {
    name: 'kubeconfig',
    value: 'file',
    help: "kubeconfig (default: $KUBECONFIG, the pod's account, then ~/.kube/config)",
  },
  { name: 'context', value: 'name', help: 'context of the kubeconfig' },
  { name: 'server', alias: '-s', value: 'url', help: 'address of the API server' },
  {
    name: 'certificate-authority',
    alias: '--cacert',
    value: 'file',
    help: 'CA certificate of the API server, as PEM',
  },
  { name: 'client-certificate', alias: '--cert', value: 'file', help: 'client certificate, as PEM' },
  { name: 'client-key', alias: '--key', value: 'file', help: 'key of the client certificate, as PEM' },
  { name: 'insecure-skip-tls-verify', help: "do not verify the API server's certificate" },
  { name: 'token', value: 'token', help: 'bearer token; better the variable or --token-file' },
  {
    name: 'token-file',
    value: 'file',
    help: 'file with a bearer token, read again once a minute and when the API server refuses it',
  },
];

const OUTPUT: readonly Flag[] = [
  { name: 'log-level', value: 'level', help: 'debug, info, warn or error (default: info)' },
  { name: 'log-format', value: 'format', help: 'text or json (default: text)' },
  { name: 'help', alias: '-h', help: 'show this help' },
  { name: 'version', help: 'show the version' },
];

/** All flags, in the order of the help. */
export const FLAGS: readonly Flag[] = [
  ...inGroup('What is watched:', WATCHED),
  ...inGroup('What asks for a reload:', VOCABULARY),
  ...inGroup('How it reloads:', RELOADING),
  ...inGroup('Who leads:', LEADER_FLAGS),
  ...inGroup('Admission webhook:', ADMISSION_FLAGS),
  ...inGroup('Who is told:', TOLD),
  ...inGroup('Connection:', CONNECTION),
  ...inGroup('Serving:', SERVING_FLAGS),
  ...inGroup('Output:', OUTPUT),
  ...DEAD_FLAGS,
];

/** Every variable of ours begins so; a Service named "reloader" makes the kubelet inject RELOADER_PORT and the like. */
export const VARIABLE_PREFIX = 'RELOADER_OPT_';

/** Flags without a variable: they ask for a text, not for a way to run. */
export const PRINTING_FLAGS: readonly FlagName[] = ['help', 'version'];

/** The variable that stands for a flag, by one of its long names: `dry-run` → `RELOADER_OPT_DRY_RUN`. */
export function variableOf(name: string): string {
  return VARIABLE_PREFIX + name.toUpperCase().replaceAll('-', '_');
}

function inGroup(group: FlagGroup, flags: readonly Flag[]): Flag[] {
  return flags.map((flag) => ({ ...flag, group }));
}

/** A flag that renames an annotation. */
function renaming(name: StakaterKeyFlagName, usual: string): Flag {
  return { name, value: 'key', help: `read this annotation in place of ${usual}`, isStakaters: 'name' };
}
