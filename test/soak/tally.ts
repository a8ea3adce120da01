/** What a soak counts, and the table that it ends with. */

import type { Scene } from '../faults/scene.ts';
import { WORKLOADS } from '../faults/scene.ts';

/** Of one reloader and its namespace. */
export class Tally {
  /** How often each fault was in force. */
  readonly faults: Map<string, number> = new Map();
  kills = 0;
  /** Those that found something that was not committed yet. */
  openKills = 0;
  /** Workloads whose pods did not get to run what is in force, by the round in which that was found. */
  readonly lost: string[] = [];
  /** Workloads that were rolled more often than changes and kills explain. */
  tooOften: readonly string[] = [];
  /** Of the watches of a reloader, as it says itself. */
  watchRestarts = 0;
  /** In bytes. */
  memory = { begin: 0, peak: 0, end: 0 };

  /** A fault began. */
  fault(name: string): void {
    this.faults.set(name, (this.faults.get(name) ?? 0) + 1);
  }

  get isWrong(): boolean {
    return this.lost.length + this.tooOften.length > 0;
  }
}

/** A namespace and what was counted in it. */
export interface Column {
  readonly heading: string;
  readonly scene: Scene;
  readonly tally: Tally;
  /** Changes that follow one another faster than this are one group. */
  readonly periodMs: number;
}

/** In columns, for a terminal. */
export function tableOf(columns: readonly Column[]): string {
  const rows: string[][] = [['', ...columns.map(({ heading }) => heading)]];
  const row = (what: string, cell: (column: Column) => number | string): void =>
    void rows.push([what, ...columns.map((column) => String(cell(column)))]);
  row('changes', ({ scene }) => scene.changedAt.length);
  row('groups of changes', ({ scene, periodMs }) => groupsOf(scene.changedAt, periodMs));
  row('rollouts by us', ({ scene }) => sum(WORKLOADS.map((each) => scene.rollouts(each))));
  for (const each of WORKLOADS)
    row(
      `  ${each.kind}/${each.name}: for changes`,
      ({ scene }) => `${scene.rollouts(each)}: ${scene.changesOf(each)}`,
    );
  row('lost', ({ tally }) => tally.lost.length);
  row('too many', ({ tally }) => tally.tooOften.length);
  row('kills', ({ tally }) => tally.kills);
  row('  before everything was committed', ({ tally }) => tally.openKills);
  row('restarts of watches', ({ tally }) => tally.watchRestarts || '-');
  for (const which of ['begin', 'peak', 'end'] as const)
    row(`memory, ${which}`, ({ tally }) => megabytes(tally.memory[which]));
  row('faults', ({ tally }) => sum([...tally.faults.values()]));
  const names = new Set(columns.flatMap(({ tally }) => [...tally.faults.keys()]));
  for (const name of names) row(`  ${name}`, ({ tally }) => tally.faults.get(name) ?? 0);
  return aligned(rows);
}

/** How many runs of times there are in which none is further than `gapMs` from the one before. */
export function groupsOf(times: readonly number[], gapMs: number): number {
  return times.filter((time, index) => time - (times[index - 1] ?? Number.NEGATIVE_INFINITY) > gapMs).length;
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
