/** What a soak counts, and the table that it ends with. */

import type { Pair } from '../faults/pair.ts';
import { WORKLOADS } from '../faults/scene.ts';

/** Of two reloaders and their namespace. */
export class PendingChanges {
  /** How often each fault was in force. */
  readonly faults: Map<string, number> = new Map();
  kills = 0;
  /** Those that found something that was not committed yet. */
  openKills = 0;
  /** Workloads whose pods did not get to run the current content, by the round in which that was found. */
  readonly lost: string[] = [];
  /** Workloads that were rolled more often than changes and kills explain. */
  tooOften: readonly string[] = [];
  /** Writes of a process that the Lease did not name. */
  intrusions: readonly string[] = [];
  /** How long each time nobody held the Lease that went to another process, in ms. */
  takeOvers: readonly number[] = [];
  /** Of the watches of both reloaders, as they say themselves. */
  watchRestarts = 0;
  /** In bytes, of the larger of both. */
  memory = { begin: 0, peak: 0, end: 0 };

  /** A fault began. */
  fault(name: string): void {
    this.faults.set(name, (this.faults.get(name) ?? 0) + 1);
  }

  /** All that must not be. */
  get wrong(): readonly string[] {
    return [...this.lost, ...this.tooOften, ...this.intrusions];
  }
}

/** A namespace and what was counted in it. */
export interface Column {
  readonly heading: string;
  readonly pair: Pair;
  readonly pending: PendingChanges;
  /** Changes that follow one another faster than this are one group. */
  readonly periodMs: number;
}

/** In columns, for a terminal. */
export function tableOf(columns: readonly Column[]): string {
  const rows: string[][] = [['', ...columns.map(({ heading }) => heading)]];
  const row = (what: string, cell: (column: Column) => number | string): void =>
    void rows.push([what, ...columns.map((column) => String(cell(column)))]);
  row('changes', ({ pair: { scene } }) => scene.changedAt.length);
  row('groups of changes', ({ pair: { scene }, periodMs }) => groupsOf(scene.changedAt, periodMs));
  row('rollouts by us', ({ pair: { scene } }) => scene.allRollouts);
  for (const each of WORKLOADS)
    row(
      `  ${each.kind}/${each.name}: for changes`,
      ({ pair: { scene } }) => `${scene.rollouts(each)}: ${scene.changesOf(each)}`,
    );
  row('lost', ({ pending }) => pending.lost.length);
  row('too many', ({ pending }) => pending.tooOften.length);
  row('writes without the lead', ({ pending }) => pending.intrusions.length);
  row('take-overs', ({ pending }) => pending.takeOvers.length);
  row('  longest', ({ pending: { takeOvers } }) => inSeconds(Math.max(0, ...takeOvers)));
  row('kills and ends', ({ pending }) => pending.kills);
  row('  before everything was committed', ({ pending }) => pending.openKills);
  row('restarts of watches', ({ pending }) => pending.watchRestarts || '-');
  for (const which of ['begin', 'peak', 'end'] as const)
    row(`memory, ${which}`, ({ pending }) => megabytes(pending.memory[which]));
  row('faults', ({ pending }) => sum([...pending.faults.values()]));
  const names = new Set(columns.flatMap(({ pending }) => [...pending.faults.keys()]));
  for (const name of names) row(`  ${name}`, ({ pending }) => pending.faults.get(name) ?? 0);
  return aligned(rows);
}

/** How many runs of times there are in which none is further than `gapMs` from the one before. */
export function groupsOf(times: readonly number[], gapMs: number): number {
  return times.filter((time, index) => time - (times[index - 1] ?? Number.NEGATIVE_INFINITY) > gapMs).length;
}

/** As it is printed. */
export function inSeconds(ms: number): string {
  return ms === 0 ? '-' : `${(ms / 1000).toFixed(1)} s`;
}

function megabytes(bytes: number): string {
  return bytes === 0 ? '-' : `${Math.round(bytes / 1e6)} MB`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const lines = rows.map((row) =>
    row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    ),
  );
  return lines.map((cells) => cells.join('  ').trimEnd()).join('\n');
}
