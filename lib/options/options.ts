/** The settings of the program: parsed once, validated, frozen. */

import { CONFIG_KINDS, type ConfigKind } from '../model/object-ref.ts';
import type {
  AdmissionOptions,
  AlertOptions,
  ConnectionOptions,
  Pace,
  StakaterKeys,
} from '../model/settings.ts';
import { WORKLOAD_KINDS, type WorkloadKind } from '../model/workload-kind.ts';
import type { FlagOptions } from './flags.ts';

/** The namespaces that are watched, and the setting that says so: mostly a flag or variable. */
export type Scope =
  | { readonly type: 'namespaces'; readonly names: readonly string[]; readonly source: string }
  | { readonly type: 'all'; readonly source: string }
  /** Nothing was said: the pod's own namespace, else that of the kubeconfig's context. */
  | { readonly type: 'default' };

/** How one of several processes comes to act. */
export interface LeaderElection {
  /** The name of the Lease. */
  readonly id: string;
  /** Its namespace; undefined: that of the state ConfigMap. */
  readonly namespace: string | undefined;
  /** How long others wait for a leader that does not renew; whole seconds. */
  readonly leaseDurationMs: number;
  /** How long after its last renewal a leader stops; shorter than the lease. */
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  /** Whether the Lease is released at the end. */
  readonly releaseOnCancel: boolean;
}

/** All settings, deeply frozen: the values of flags with `sets` in the table, and those that take more than one flag. */
export interface Options extends FlagOptions {
  readonly scope: Scope;
  /** Where the state ConfigMap is. @default see stateNamespaceOf */
  readonly stateNamespace?: string;
  /**
   * The longest that further changes can postpone a rollout, from the first change; at least the period. A source that
   * changes every second is rolled out once per 30 s. @default 6 × coalescePeriodMs
   */
  readonly coalesceMaxWaitMs: number;
  /** How often a workload may be rolled that says nothing about it. */
  readonly pace: Pace;
  /** Further annotation keys of workloads that list names of that kind, as the native key does. */
  readonly alternativeAnnotations: Readonly<Record<ConfigKind, readonly string[]>>;
  /** The keys of the stakater vocabulary. @default those of Stakater Reloader */
  readonly stakaterKeys: StakaterKeys;
  /** Namespaces that are left out where all are watched; else none. */
  readonly ignoredNamespaces: readonly string[];
  /** The labels of the namespaces in which workloads are rolled, where all are watched. @default all */
  readonly namespaceSelector?: string;
  /** The labels of the ConfigMaps and Secrets that are watched, as the API server takes them. @default all */
  readonly resourceLabelSelector?: string;
  /** Where metrics, health and status are served; 0 picks a free port. */
  readonly port: number;
  /** Where /healthz, /live and /readyz alone are served; 0 picks a free port. @default 8081 in a pod, else nowhere */
  readonly healthPort?: number;
  /** The only address that is listened at. @default all addresses in a pod, else 127.0.0.1 */
  readonly bindAddress?: string;
  /** The hosts that requests may name beside localhost and addresses; undefined, where other machines can reach it: any. */
  readonly allowedHosts?: readonly string[];
  /** Whether a page for browsers is served at `/`. */
  readonly statusPage: boolean;
  /** Whether rollouts are also counted by namespace: two series for each. */
  readonly countsByNamespace: boolean;
  readonly connection: ConnectionOptions;
  /** undefined: this process acts, whatever others do; so does a dry run, which writes nothing. */
  readonly leaderElection?: LeaderElection | undefined;
  /** The program that is told whom a change concerns, in place of rolling; a secret but for scheme and host. */
  readonly webhookUrl?: string;
  /** The webhook that keeps stamps through updates of their owners. @default none */
  readonly admission?: AdmissionOptions;
  /** Where a message goes for each rollout. @default nowhere */
  readonly alerts?: AlertOptions;
}

/** One line that tells the place and the expected value; thrown inside this folder only, parseOptions answers it as a value. */
export class UsageError extends Error {}

/** The command that the command line and the environment ask for. */
export type ParsedCommand =
  /** Run the controller; `notices` are warnings to be logged first. */
  | { readonly type: 'run'; readonly options: Options; readonly notices: readonly string[] }
  /** Write `text` to standard output and end with `exitCode`. */
  | { readonly type: 'print'; readonly text: string; readonly exitCode: 0 }
  /** End with USAGE_EXIT_CODE; `message` is one line that tells the place and the expected value. */
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

/** The kinds of workload that are served: nothing is asked for, heard or written of the others. */
export function workloadKindsOf({
  ignoredWorkloadKinds,
  cronJobReload,
  jobReload,
}: Pick<Options, 'ignoredWorkloadKinds' | 'cronJobReload' | 'jobReload'>): readonly WorkloadKind[] {
  const isServed: Readonly<Record<WorkloadKind['rollout'], boolean>> = {
    'replace-pods': true,
    'run-now': cronJobReload !== 'none',
    recreate: jobReload !== 'none',
  };
  return WORKLOAD_KINDS.filter(
    ({ kind, rollout }) => isServed[rollout] && !ignoredWorkloadKinds.includes(kind),
  );
}
