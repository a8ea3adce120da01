/** The data of the status page, and the rows that it shows: outdated workloads first, and no more rows than a browser can render. */

import type { WatchStatus } from '../model/health.ts';
import type { ChangeStatus, Decision, StatusReport, WorkloadStatus } from '../model/status-report.ts';

/** Facts that do not change while the program runs. */
export interface About {
  readonly version: string;
  /** The namespaces; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  /** `<namespace>/<name>` of the state ConfigMap. */
  readonly state: string;
  readonly isDryRun: boolean;
  readonly clusterName?: string | undefined;
}

/** The watched namespaces as a phrase. */
export function namespacesOf({ namespaces }: Pick<About, 'namespaces'>): string {
  if (namespaces === undefined) return 'all namespaces';
  return `${namespaces.length === 1 ? 'namespace' : 'namespaces'} ${namespaces.join(', ')}`;
}

/** The rows of one table, and how many there would be without its limit. */
export interface Rows<T> {
  readonly shown: readonly T[];
  readonly total: number;
}

/** The rows of the page. A workload is in one group only. */
export interface StatusRows {
  /** The changes that go to their workloads in stages, those that are halted first. */
  readonly changes: Rows<ChangeStatus>;
  /** Workloads that need a rollout, the longest outdated first, and those that fail. */
  readonly outdated: Rows<WorkloadStatus>;
  /** Workloads that are up to date and have a finding. */
  readonly withFindings: Rows<WorkloadStatus>;
  readonly current: Rows<WorkloadStatus>;
  readonly decisions: Rows<Decision>;
  /** The watches, those that are down first. */
  readonly watches: Rows<WatchStatus>;
}

/** How many rows a table of the page has at most. */
export const MOST_ROWS = 100;

/** Whether nothing is left to do for the workload. */
export function isCurrent({ follows, state }: WorkloadStatus): boolean {
  return follows.length === 0 || state === 'healthy' || state === 'rolling';
}

/** The rows that the page shows of `report`. */
export function rowsOf({ workloads, changes, decisions, watches }: StatusReport, find: string): StatusRows {
  const found = workloads.filter(({ namespace, workload, follows }) =>
    [`${namespace}/${workload}`, ...follows.map(({ object }) => object)].some((text) => contains(find, text)),
  );
  const current = found.filter(isCurrent).toSorted(byName);
  const isHalted = ({ halted }: ChangeStatus): number => Number(halted !== undefined);
  return {
    changes: cut(
      changes
        .filter((change) => contains(find, textOf(change)))
        .toSorted((a, b) => isHalted(b) - isHalted(a)),
    ),
    outdated: cut(
      found
        .filter((row) => !isCurrent(row))
        .toSorted((a, b) => (b.outdatedForSeconds ?? 0) - (a.outdatedForSeconds ?? 0) || byName(a, b)),
    ),
    withFindings: cut(current.filter(({ findings }) => findings.length > 0)),
    current: cut(current.filter(({ findings }) => findings.length === 0)),
    decisions: cut(
      decisions.filter(({ message, namespace = '' }) => contains(find, `${namespace}/${message}`)),
    ),
    watches: cut(watches.toSorted((a, b) => Number(a.isUp) - Number(b.isUp))),
  };
}

function cut<T>(rows: readonly T[]): Rows<T> {
  return { shown: rows.slice(0, MOST_ROWS), total: rows.length };
}

/** What a change is found by: its object, and the workloads that it names. */
function textOf({ namespace, object, unready }: ChangeStatus): string {
  return [`${namespace}/${object}`, ...unready.map(({ workload }) => workload)].join(' ');
}

function contains(find: string, text: string): boolean {
  return text.toLowerCase().includes(find.toLowerCase());
}

/** Compares by code unit, independently of the locale. */
function byName(a: WorkloadStatus, b: WorkloadStatus): number {
  return `${a.namespace} ${a.workload}` < `${b.namespace} ${b.workload}` ? -1 : 1;
}
