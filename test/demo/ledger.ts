/** What the demo claims, and whether the API server's store agrees: rollouts are counted there, never in a log. */

import type { WorkloadRef } from '../../lib/model/object-ref.ts';
import type { Screen } from './screen.ts';

/** How many rollouts of each workload, in the order of the ledger. */
export type Counts = readonly number[];

interface Row {
  readonly what: string;
  readonly expected: Counts;
  readonly found: Counts;
}

interface Claim {
  readonly what: string;
  readonly holds: boolean;
}

const WHAT_WIDTH = 50;
const COLUMN_WIDTH = 8;

/** See the file's comment. */
export class Ledger {
  readonly #workloads: readonly WorkloadRef[];
  readonly #countOf: (ref: WorkloadRef) => number;
  #first: Counts = [];
  #last: Counts = [];
  readonly #rows: Row[] = [];
  readonly #claims: Claim[] = [];

  /** @param countOf how many rollouts a workload has had so far, whoever asked for them. */
  constructor(workloads: readonly WorkloadRef[], countOf: (ref: WorkloadRef) => number) {
    this.#workloads = workloads;
    this.#countOf = countOf;
  }

  /** Counts from here. */
  begin(): void {
    this.#first = this.#last = this.#now();
  }

  /** Claims that since the row before there were so many rollouts of each workload. */
  expect(what: string, expected: Counts): void {
    const now = this.#now();
    this.#rows.push({ what, expected, found: difference(now, this.#last) });
    this.#last = now;
  }

  /** Claims that something else holds. */
  claim(what: string, holds: boolean): void {
    this.#claims.push({ what, holds });
  }

  /** Prints the table, and answers whether every claim holds. What was rolled between two rows is found in the sum. */
  conclude(screen: Screen): boolean {
    const sum = this.#rows.reduce<Counts>((total, { expected }) => added(total, expected), []);
    const total = { what: 'in all', expected: sum, found: difference(this.#now(), this.#first) };
    const rows = [...this.#rows, total];
    const names = this.#workloads.map(({ name }) => name.padStart(COLUMN_WIDTH)).join('');
    screen.print(screen.paint('dim', `${'rollouts of'.padEnd(WHAT_WIDTH)}${names}   as claimed`));
    for (const row of rows) printRow(screen, row);
    for (const { what, holds } of this.#claims) screen.print(lineOf(screen, what, '', holds));
    return rows.every(holds) && this.#claims.every((claim) => claim.holds);
  }

  #now(): Counts {
    return this.#workloads.map(this.#countOf);
  }
}

function printRow(screen: Screen, row: Row): void {
  const counts = row.found.map((count) => String(count).padStart(COLUMN_WIDTH)).join('');
  const verdict = holds(row) ? '' : ` (claimed: ${row.expected.join(' ')})`;
  screen.print(lineOf(screen, row.what, counts, holds(row)) + verdict);
}

function lineOf(screen: Screen, what: string, counts: string, isSo: boolean): string {
  const columns = COLUMN_WIDTH * 3;
  const verdict = isSo ? screen.paint('green', 'yes') : screen.paint('red', 'NO');
  return `${what.padEnd(WHAT_WIDTH)}${counts.padEnd(columns)}   ${verdict}`;
}

function holds({ expected, found }: Row): boolean {
  return found.every((count, index) => count === expected[index]);
}

function difference(a: Counts, b: Counts): Counts {
  return a.map((count, index) => count - (b[index] ?? 0));
}

function added(a: Counts, b: Counts): Counts {
  return b.map((count, index) => count + (a[index] ?? 0));
}
