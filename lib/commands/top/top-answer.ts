/** The rows of `top`: what is out of date, waits or rolls, of a status report. */

import type { ChangeStatus, StatusReport, WorkloadStatus } from '../../model/status-report.ts';
import { byAge } from '../../telemetry/status-view.ts';

/** What happens to a workload; `out of date`: what it waits for is not known. */
export type RowState = 'rolling' | 'waits' | 'halted' | 'out of date';

/** A workload that is out of date, or that a rollout replaces pods of. */
export interface TopRow extends Omit<WorkloadStatus, 'follows' | 'isOutdated' | 'findings'> {
  readonly state: RowState;
  /** The objects with which it is out of date. */
  readonly objects: readonly string[];
}

/** Where a report comes from. */
export interface Source {
  /** Which reloader, and what it watches. */
  readonly reloader: string;
  /** The pod that leads, or what the person may read, and why. */
  readonly source: string;
  /** What is not known, each a sentence. */
  readonly problems: readonly string[];
}

/** The answer. */
export interface Top extends Source {
  /** Whether the reloader decides, else what it waits for. */
  readonly state: string;
  readonly totals: {
    readonly workloads: number;
    readonly objects: number;
    readonly outdated: number;
    readonly waiting: number;
    readonly rolling: number;
  };
  /** The changes that go to their workloads in stages, those that are halted first. */
  readonly changes: readonly ChangeStatus[];
  /** Those that roll come first, then those that wait, then the others; among them the longest outdated. */
  readonly rows: readonly TopRow[];
}

/** The answer of a report; `namespace`: only that one. */
export function topOf(report: StatusReport, source: Source, namespace?: string): Top {
  const isMeant = (each: { readonly namespace: string }): boolean =>
    namespace === undefined || each.namespace === namespace;
  const workloads = report.workloads.filter((each) => isMeant(each) && each.follows.length > 0);
  const rows = workloads
    .toSorted(byAge)
    .flatMap(rowOf)
    .toSorted((one, other) => rankOf(one) - rankOf(other));
  const count = (...states: readonly RowState[]): number =>
    rows.filter(({ state }) => states.includes(state)).length;
  const isHalted = ({ halted }: ChangeStatus): number => Number(halted !== undefined);
  return {
    ...source,
    state: report.isReady ? 'ready' : `not ready: it waits for ${report.waitingFor.join(', ')}`,
    totals: {
      workloads: workloads.length,
      objects: new Set(workloads.flatMap(objectsOf)).size,
      outdated: workloads.filter(({ isOutdated }) => isOutdated).length,
      waiting: count('waits', 'halted'),
      rolling: count('rolling'),
    },
    changes: report.changes.filter(isMeant).toSorted((one, other) => isHalted(other) - isHalted(one)),
    rows,
  };
}

function rowOf({ follows, isOutdated, findings: _, ...status }: WorkloadStatus): readonly TopRow[] {
  const state = stateOf(status, isOutdated);
  const objects = follows.filter((each) => each.isOutdated).map(({ object }) => object);
  return state === undefined ? [] : [{ ...status, state, objects }];
}

function stateOf(
  { rolling, waitsFor }: Pick<WorkloadStatus, 'rolling' | 'waitsFor'>,
  isOutdated: boolean,
): RowState | undefined {
  if (rolling !== undefined || waitsFor === 'evicting') return 'rolling';
  if (waitsFor === 'halt') return 'halted';
  if (waitsFor !== undefined) return 'waits';
  return isOutdated ? 'out of date' : undefined;
}

const RANKS: Readonly<Record<RowState, number>> = { rolling: 0, waits: 1, halted: 1, 'out of date': 2 };

function rankOf({ state }: TopRow): number {
  return RANKS[state];
}

/** Parts of one object, by its keys, count once. */
function objectsOf({ namespace, follows }: WorkloadStatus): readonly string[] {
  return follows.map(({ object }) => `${namespace}/${object.split(' ', 1)[0]}`);
}
