/** The settings of the program: parsed once, validated, frozen. */

import { CONFIG_KINDS, type ConfigKind } from '../model/object-ref.ts';
import type { ReloadStrategy } from '../model/reasons.ts';
import type {
  AdmissionOptions,
  AlertOptions,
  ConnectionOptions,
  Pace,
  StakaterKeys,
  VocabularyName,
} from '../model/settings.ts';
import { WORKLOAD_KINDS, type WorkloadKind } from '../model/workload-kind.ts';

/** Which namespaces are watched, and what said so, mostly a flag or variable. */
export type Scope =
  | { readonly type: 'namespaces'; readonly names: readonly string[]; readonly source: string }
  | { readonly type: 'all'; readonly source: string }
  /** Nothing was said: the pod's own namespace, else that of the kubeconfig's context. */
  | { readonly type: 'default' };

/** What a change does to CronJobs that ask for it: nothing, since their next run reads it anyway, or it starts a run. */
export type CronJobReload = 'none' | 'run-now';

/** What a change does to Jobs that ask for it: nothing, or they are created anew, finished ones too or not. */
export type JobReload = 'none' | 'recreate' | 'recreate-running';

/** How one of several processes comes to act. */
export interface LeaderElection {
  /** The name of the Lease. @default that of the state ConfigMap */
  readonly id: string;
  /** Its namespace; undefined: that of the state ConfigMap. */
  readonly namespace: string | undefined;
  /** How long others wait for a leader that does not renew; whole seconds. @default 15000 */
  readonly leaseDurationMs: number;
  /** How long after its last renewal a leader stops; shorter than the lease. @default 10000 */
  readonly renewDeadlineMs: number;
  /** @default 2000 */
  readonly retryPeriodMs: number;
  /** Whether the Lease is released at the end. @default true */
  readonly releaseOnCancel: boolean;
}

/** How severe a line must be to be written. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** How a line is written: for people or for machines. */
export type LogFormat = 'text' | 'json';

/** All settings. Deeply frozen. */
export interface Options {
  readonly scope: Scope;
  /** Where the state ConfigMap is. @default see stateNamespaceOf */
  readonly stateNamespace?: string;
  /** Its name. @default reloader-state */
  readonly stateConfigMap: string;
  /**
   * The quiet time that a workload's sources must keep before it is rolled; 0 rolls at once. Each change begins it
   * anew: three changes within 4 s of each other are one rollout, 5 s after the last. @default 5000
   */
  readonly coalescePeriodMs: number;
  /**
   * The longest that further changes can postpone a rollout, from the first change; at least the period. A source that
   * changes every second is rolled out once per 30 s. @default 6 × coalescePeriodMs
   */
  readonly coalesceMaxWaitMs: number;
  /**
   * The window of a workload that says nothing about it lasts at least so long, from the first change: with 600000 what
   * changes within ten minutes is one rollout. @default 0
   */
  readonly pausePeriodMs: number;
  /** How often a workload may be rolled that says nothing about it. @default no interval, 20 rollouts within an hour */
  readonly pace: Pace;
  /** Further annotation keys of workloads that list names of that kind, as the native key does. */
  readonly alternativeAnnotations: Readonly<Record<ConfigKind, readonly string[]>>;
  /** The vocabularies in use. @default DEFAULT_DIALECTS */
  readonly dialects: readonly VocabularyName[];
  /** The keys of the stakater vocabulary. @default those of Stakater Reloader */
  readonly stakaterKeys: StakaterKeys;
  /** Whether a workload that says nothing about it is rolled for all that it refers to. @default false */
  readonly autoReloadAll: boolean;
  /** How pod templates are stamped where the workload does not say. @default env-vars */
  readonly reloadStrategy: ReloadStrategy;
  /** Namespaces that are left out where all are watched; else none. */
  readonly ignoredNamespaces: readonly string[];
  /** The labels of the namespaces in which workloads are rolled, where all are watched. @default all */
  readonly namespaceSelector?: string;
  /** The labels of the ConfigMaps and Secrets that are watched, as the API server takes them. @default all */
  readonly resourceLabelSelector?: string;
  /** Whether a workload that says nothing about it is rolled for the keys alone that its pods read. @default false */
  readonly keyScoped: boolean;
  /** Whether a rollout that an owner begins after a change stands for one of ours. @default true */
  readonly absorbOwnerRollouts: boolean;
  /** Whether an object that comes to be rolls the workloads whose pods started without it. @default false */
  readonly reloadOnCreate: boolean;
  /** Whether the deletion of an object rolls the workloads whose pods can start without it. @default false */
  readonly reloadOnDelete: boolean;
  /** Kinds that are not watched; never all of them. */
  readonly ignoredConfigKinds: readonly ConfigKind[];
  /** Kinds of workload that are not watched, whatever else is said of them; never all. */
  readonly ignoredWorkloadKinds: readonly string[];
  /** @default none */
  readonly cronJobReload: CronJobReload;
  /** @default none */
  readonly jobReload: JobReload;
  /** Where metrics, health and status are served; 0 picks a free port. @default 8080 */
  readonly port: number;
  /** Where /healthz, /live and /readyz alone are served; 0 picks a free port. @default 8081 in a pod, else nowhere */
  readonly healthPort?: number;
  /** The only address that is listened at. @default all addresses in a pod, else 127.0.0.1 */
  readonly bindAddress?: string;
  /** The hosts that requests may name beside localhost and addresses; undefined, where other machines can reach it: any. */
  readonly allowedHosts?: readonly string[];
  /** Whether a page for browsers is served at `/`. @default true */
  readonly statusPage: boolean;
  /** Whether rollouts are also counted by namespace: two series for each. @default false */
  readonly countsByNamespace: boolean;
  readonly connection: ConnectionOptions;
  /** Patches under way at once, 1 to 1000: 500 workloads of one ConfigMap take some 16 rounds. @default 32 */
  readonly maxConcurrentPatches: number;
  /** Decide and report, write nothing. @default false */
  readonly dryRun: boolean;
  /** undefined: this process acts, whatever others do; so does a dry run, which writes nothing. */
  readonly leaderElection?: LeaderElection | undefined;
  /** Who is told whom a change concerns, in place of rolling; a secret but for scheme and host. @default nobody */
  readonly webhookUrl?: string;
  /** The webhook that keeps stamps through updates of their owners. @default none */
  readonly admission?: AdmissionOptions;
  /** Where a message goes for each rollout. @default nowhere */
  readonly alerts?: AlertOptions;
  /** @default info */
  readonly logLevel: LogLevel;
  /** @default text */
  readonly logFormat: LogFormat;
}

/** What the command line and the environment ask for. */
export type ParsedCommand =
  /** Run the controller; `notices` are warnings to be logged first. */
  | { readonly type: 'run'; readonly options: Options; readonly notices: readonly string[] }
  /** Write `text` to standard output and end with `exitCode`. */
  | { readonly type: 'print'; readonly text: string; readonly exitCode: 0 }
  /** End with USAGE_EXIT_CODE; `message` is one line that says what was expected. */
  | { readonly type: 'usage-error'; readonly message: string };

/** The exit code of a command line that cannot be understood (EX_USAGE of sysexits.h). */
export const USAGE_EXIT_CODE = 64;

/**
 * The namespace of the state ConfigMap: the one asked for, else the only namespace that is watched, else `own`.
 *
 * @param own the reloader's own namespace, which is also what a scope of type `default` means.
 */
export function stateNamespaceOf({ scope, stateNamespace }: Options, own: string): string {
  if (stateNamespace !== undefined) return stateNamespace;
  const [only, ...others] = scope.type === 'namespaces' ? scope.names : [];
  return only !== undefined && others.length === 0 ? only : own;
}

/** The kinds of object whose content is watched. */
export function configKindsOf({ ignoredConfigKinds }: Options): readonly ConfigKind[] {
  return CONFIG_KINDS.filter((kind) => !ignoredConfigKinds.includes(kind));
}

/** What says which kinds of workload are served. */
export type WorkloadChoice = Pick<Options, 'ignoredWorkloadKinds' | 'cronJobReload' | 'jobReload'>;

/** The kinds of workload that are served: nothing is asked for, heard or written of the others. */
export function workloadKindsOf({
  ignoredWorkloadKinds,
  cronJobReload,
  jobReload,
}: WorkloadChoice): readonly WorkloadKind[] {
  const isServed: Readonly<Record<WorkloadKind['rollout'], boolean>> = {
    'replace-pods': true,
    'run-now': cronJobReload !== 'none',
    recreate: jobReload !== 'none',
  };
  return WORKLOAD_KINDS.filter(
    ({ kind, rollout }) => isServed[rollout] && !ignoredWorkloadKinds.includes(kind),
  );
}
