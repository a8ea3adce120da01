/** The settings of the program: parsed once at the start, validated, frozen. Only this folder reads flags or variables. */

import { customKind } from '../model/kinds/custom-kind.ts';
import { CONFIG_KINDS, type ConfigKind } from '../model/object-ref.ts';
import type { AlertOptions, Budget, ElectionTimes, Pace, Staging, StakaterKeys } from '../model/settings.ts';
import type { WorkloadKind } from '../model/workload-kind.ts';
import { FLAGS, type FlagOptions } from './flags.ts';
import { KNOWN_KINDS, SERVED_BY, type ServedSetting } from './workload-kinds.ts';

/** The watched namespaces; `source`: the setting that names them, usually a flag or variable. */
export type Scope =
  | { readonly type: 'namespaces'; readonly names: readonly string[]; readonly source: string }
  | { readonly type: 'all'; readonly source: string }
  /** No setting: the pod's own namespace, else that of the kubeconfig's context. */
  | { readonly type: 'default' };

/** The settings of the leader election. */
export interface LeaderElection extends ElectionTimes {
  /** The name of the Lease. */
  readonly id: string;
  /** The namespace of the Lease; undefined: that of the state. */
  readonly namespace: string | undefined;
}

/** All settings, deeply frozen: the values of the flags, and what follows from several settings. */
export interface Options extends Omit<FlagOptions, 'port' | 'coalesceMaxWaitMs'> {
  readonly scope: Scope;
  /** If all namespaces are watched: those that are left out. Else empty. */
  readonly namespacesToIgnore: readonly string[];
  /** If all namespaces are watched: the label selector of those in which workloads are rolled. @default all */
  readonly namespaceSelector: string | undefined;
  /** If all namespaces are watched: whether their annotations count for the workloads in them. */
  readonly namespaceAnnotations: boolean;
  /**
   * The maximum wait: how long further changes can postpone a rollout, counted from the first one; at least coalescePeriodMs.
   * With the defaults an object that changes every second is rolled out once per 30 s. @default 6 × coalescePeriodMs
   */
  readonly coalesceMaxWaitMs: number;
  /** How often a workload without an annotation may be rolled. */
  readonly pace: Pace;
  /** How many workloads may be in a rollout at once, and how many may begin. @default no limit */
  readonly budget: Budget | undefined;
  /** How changes that concern several workloads are rolled out. */
  readonly staging: Staging;
  /** By kind, further annotation keys of workloads that list names, as the native key does. */
  readonly alternativeAnnotations: Readonly<Partial<Record<ConfigKind, readonly string[]>>>;
  /** The keys of the stakater vocabulary. @default those of Stakater Reloader */
  readonly stakaterKeys: StakaterKeys;
  /** The port of metrics, health and status; 0 picks a free port. */
  readonly port: number;
  /** The port of /healthz, /live and /readyz alone; 0 picks a free port. @default 8081 in a pod, else none */
  readonly healthPort: number | undefined;
  /** The only address to listen at. @default all addresses in a pod, else 127.0.0.1 */
  readonly bindAddress: string | undefined;
  /** Whether requests may name only localhost and addresses, since no other machine can connect. */
  readonly checksHost: boolean;
  /** Whether rollouts are also counted by namespace: two series for each. */
  readonly countsByNamespace: boolean;
  /** The election; undefined: this process leads without one, as a dry run does. */
  readonly leaderElection: LeaderElection | undefined;
  /** The webhook that is called in place of a rollout; a secret but for scheme and host. */
  readonly webhookUrl: string | undefined;
  /** The receiver of alerts. @default none */
  readonly alerts: AlertOptions | undefined;
}

/** Whether the namespaces themselves are watched, and not only what is in them. */
export function watchesNamespaces({ namespaceSelector, namespaceAnnotations }: Options): boolean {
  return namespaceSelector !== undefined || namespaceAnnotations;
}

/** The first setting that chooses a cluster or an account. @default those of the pod, or of the kubeconfig */
export function connectionIn(options: FlagOptions): keyof FlagOptions | undefined {
  const flags = FLAGS.filter(({ group }) => group === 'Connection:');
  return flags.find(({ property }) => typeof options[property] === 'string')?.property;
}

/** One line with the source of a text and the expected value. Thrown only inside this folder: parseOptions returns it. */
export class UsageError extends Error {}

/** The command that the command line and the environment ask for. */
export type ParsedCommand =
  /** Run the controller; `notices` are warnings to be logged first. */
  | { readonly type: 'run'; readonly options: Options; readonly notices: readonly string[] }
  /** Write `text` to standard output. */
  | { readonly type: 'print'; readonly text: string }
  /** End with USAGE_EXIT_CODE; `message` is one line with the source of the text and the expected value. */
  | { readonly type: 'usage-error'; readonly message: string; readonly command?: string };

/** The exit code for wrong flags or variables (EX_USAGE of sysexits.h). */
export const USAGE_EXIT_CODE = 64;

/** The exit code of a command whose answer is not known, since something that concerns it could not be read. */
export const UNKNOWN_EXIT_CODE = 3;

/** The kinds of object that are watched. */
export function configKindsOf(options: FlagOptions): readonly ConfigKind[] {
  return CONFIG_KINDS.filter(
    (kind) => isServed(options, kind) && !options.ignoredConfigResourceTypes.includes(kind),
  );
}

/** The kinds of workload that are served; of the others nothing is listed, watched or written, and no right is needed. */
export function workloadKindsOf(options: FlagOptions): readonly WorkloadKind[] {
  const all = [...KNOWN_KINDS, ...options.workloadKinds.map(customKind)];
  return all.filter(({ kind }) => isServed(options, kind) && !options.ignoredWorkloadTypes.includes(kind));
}

/** Whether a kind is served only where the account has the rights for it. */
export function isAutomatic(options: FlagOptions, kind: string): boolean {
  return wayOf(options, kind) === 'auto';
}

function isServed(options: FlagOptions, kind: string): boolean {
  const way = wayOf(options, kind);
  return way !== 'none' && way !== 'false';
}

/** The value of the setting that serves the kind; undefined for a kind that is always served. */
function wayOf(options: FlagOptions, kind: string): FlagOptions[ServedSetting] | undefined {
  const { setting } = SERVED_BY[kind] ?? {};
  return setting && options[setting];
}
