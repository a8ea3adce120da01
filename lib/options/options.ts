/** The settings of the program: parsed once, validated, frozen. */

import type { ConnectionOptions } from '../model/connection-options.ts';
import type { DialectName, StakaterKeys } from '../model/dialect-name.ts';
import type { ConfigKind } from '../model/object-ref.ts';
import type { ReloadStrategy } from '../model/policy.ts';

/** Which namespaces are watched, and what said so, mostly a flag or variable. */
export type Scope =
  | { readonly type: 'namespaces'; readonly names: readonly string[]; readonly source: string }
  | { readonly type: 'all'; readonly source: string }
  /** Nothing was said: the pod's own namespace, else that of the kubeconfig's context. */
  | { readonly type: 'default' };

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
  /** Further annotation keys of workloads that list names of that kind, as the native key does. */
  readonly alternativeAnnotations: Readonly<Record<ConfigKind, readonly string[]>>;
  /** The vocabularies in use. @default all */
  readonly dialects: readonly DialectName[];
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
  /** Whether an object that comes to be rolls the workloads whose pods started without it. @default false */
  readonly reloadOnCreate: boolean;
  /** Whether the deletion of an object rolls the workloads whose pods can start without it. @default false */
  readonly reloadOnDelete: boolean;
  /** Kinds that are not watched; never all of them. */
  readonly ignoredConfigKinds: readonly ConfigKind[];
  /** Where metrics, health and status are served; 0 picks a free port. @default 8080 */
  readonly port: number;
  /** Whether a page for browsers is served at `/`. @default true */
  readonly statusPage: boolean;
  /** Whether rollouts are also counted by namespace: two series for each. @default false */
  readonly countsByNamespace: boolean;
  readonly connection: ConnectionOptions;
  /** Patches under way at once, 1 to 1000: 500 workloads of one ConfigMap take some 32 rounds. @default 16 */
  readonly maxConcurrentPatches: number;
  /** Decide and report, write nothing. @default false */
  readonly dryRun: boolean;
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
