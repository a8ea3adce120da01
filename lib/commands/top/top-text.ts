/** The answer of `top` as lines that fit a terminal. */

import type { ChangeStatus } from '../../model/status-report.ts';
import { count } from '../../model/text.ts';
import { hasFailed, timeWords, WAITS_FOR } from '../../telemetry/status-page-words.ts';
import type { Paint, Style } from '../terminal.ts';
import type { RowState, Top, TopRow } from './top-answer.ts';

/** The size of a terminal, in characters. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** How an answer is shown. */
export interface View {
  readonly paint: Paint;
  /** @default that of the content */
  readonly size?: Size;
  /** Why the answer is not the present one. */
  readonly trouble?: string | undefined;
  /** The last line. */
  readonly footer?: string;
}

/** A text, and the style of it. */
type Cell = readonly [text: string, style?: Style];

const COLOURS: Readonly<Record<RowState, Style>> = {
  rolling: 'green',
  waits: 'yellow',
  halted: 'red',
  'out of date': 'red',
};
const ROLLING: Readonly<Record<NonNullable<TopRow['rolling']>, string>> = {
  replacing: 'pods are being replaced',
  starting: 'new pods are not ready yet',
};
/** A table: its heads, and the columns that get narrower for it to fit, in this order, each with its least width. */
interface Layout {
  readonly heads: readonly string[];
  readonly narrowing: readonly (readonly [column: number, least: number])[];
}

const CHANGES: Layout = {
  heads: ['NAMESPACE', 'CHANGE', 'STAGE', 'STATE', 'WHAT HAPPENS'],
  narrowing: [
    [4, 8],
    [1, 12],
    [0, 8],
  ],
};
const WORKLOADS: Layout = {
  heads: ['NAMESPACE', 'WORKLOAD', 'OUT OF DATE WITH', 'SINCE', 'STATE', 'WHAT HAPPENS'],
  narrowing: [
    [5, 8],
    [2, 12],
    [0, 8],
    [1, 10],
  ],
};
const GAP = 2;

/** The lines of an answer: they fit the terminal, and what has no room is counted. */
export function topLines(top: Top, { paint, size, trouble, footer }: View): readonly string[] {
  const columns = size?.columns ?? Number.POSITIVE_INFINITY;
  const headLines = headOf(top, trouble).map((cell) => paintCut(cell, columns, paint));
  const footLines = footer === undefined ? [] : [paintCut([footer, 'dim'], columns, paint)];
  let room = (size?.rows ?? Number.POSITIVE_INFINITY) - headLines.length - footLines.length;
  const section = (layout: Layout, rows: readonly (readonly Cell[])[], most: number): string[] => {
    if (rows.length === 0) return [];
    const [first = '', ...rest] = tableLines(layout, rows, columns, paint);
    const lines = ['', first, ...atMost(rest, most - 2)];
    room -= lines.length;
    return lines;
  };
  const lines = section(CHANGES, top.changes.map(changeCells), Math.ceil(room / 2));
  lines.push(...section(WORKLOADS, top.rows.map(rowCells), room));
  if (top.rows.length === 0) lines.push('', 'Nothing is out of date, waits or rolls.');
  return [...headLines, ...lines, ...footLines].slice(0, size?.rows);
}

function headOf({ reloader, source, state, totals, problems }: Top, trouble: string | undefined): Cell[] {
  const { workloads, objects, outdated, waiting, rolling } = totals;
  const counts = `${outdated} out of date, ${waiting} waiting, ${rolling} rolling`;
  return [
    [`reloader  ${reloader}`],
    [`source    ${source}`],
    [`state     ${state}`],
    [`totals    ${count(workloads, 'workload')}, ${count(objects, 'object')}: ${counts}`, 'bold'],
    ...problems.map((problem): Cell => [problem, 'yellow']),
    ...(trouble === undefined ? [] : [[trouble, 'red'] as const]),
  ];
}

function rowCells(row: TopRow): readonly Cell[] {
  const { namespace, workload, objects, outdatedForSeconds: seconds, state } = row;
  const since = seconds === undefined ? '-' : timeOf(seconds, false);
  return [
    [namespace],
    [workload],
    [objects.join(', ') || '-'],
    [since],
    [state, COLOURS[state]],
    whatHappens(row),
  ];
}

function whatHappens(row: TopRow): Cell {
  const { rolling, waitsFor, waitsForSeconds: seconds, problem } = row;
  const countdown = seconds === undefined ? '' : ` ${timeOf(seconds, true)}`;
  const parts = [
    rolling && ROLLING[rolling],
    waitsFor && `${uncapitalized(WAITS_FOR[waitsFor])}${countdown}`,
    problem,
  ];
  const text = parts.filter((part) => part !== undefined).join('; ');
  return hasFailed(row) ? [text, 'red'] : [text];
}

function changeCells({ namespace, object, halted, unready, ...plan }: ChangeStatus): readonly Cell[] {
  const { stage, stages, begun, total, ready } = plan;
  const what = unready.map(({ workload, why }) => `${workload}: ${why}`).join('; ');
  return [
    [namespace],
    [object],
    [`${stage} of ${stages}`],
    halted === undefined ? [`rolling ${begun} of ${total}, ${ready} ready`, 'green'] : ['halted', 'red'],
    [halted ?? what],
  ];
}

/** The head and the rows. A terminal of less than 70 columns cuts them itself. */
function tableLines(
  { heads, narrowing }: Layout,
  rows: readonly (readonly Cell[])[],
  columns: number,
  paint: Paint,
): readonly string[] {
  const table = [heads.map((head): Cell => [head, 'bold']), ...rows];
  const widths = heads.map((_, at) => Math.max(...table.map((cells) => lengthOf(cells[at]?.[0] ?? ''))));
  for (const [at, least] of narrowing) {
    const width = widths[at] ?? 0;
    const excess = Math.max(0, sumOf(widths) + GAP * (widths.length - 1) - columns);
    widths[at] = Math.max(Math.min(width, least), width - excess);
  }
  return table.map((cells) => lineOf(cells, widths, paint));
}

function lineOf(cells: readonly Cell[], widths: readonly number[], paint: Paint): string {
  const parts = cells.map((cell, at) => {
    const width = widths[at] ?? 0;
    return `${paintCut(cell, width, paint)}${' '.repeat(Math.max(0, width - lengthOf(cell[0])) + GAP)}`;
  });
  return parts.join('').trimEnd();
}

function atMost(lines: readonly string[], room: number): readonly string[] {
  if (lines.length <= room) return lines;
  const shown = Math.max(0, room - 1);
  return [...lines.slice(0, shown), `… and ${lines.length - shown} more`];
}

/** Cut before it is painted: the sequences of a style have no width. */
function paintCut([text, style]: Cell, width: number, paint: Paint): string {
  const clean = text.replaceAll(/\p{Cc}/gu, ' ');
  const cut = lengthOf(clean) <= width ? clean : `${[...clean].slice(0, Math.max(0, width - 1)).join('')}…`;
  if (width <= 0 || cut === '') return '';
  return style === undefined ? cut : paint(style, cut);
}

function lengthOf(text: string): number {
  return [...text].length;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

/** A duration, or a countdown, in words. */
export function timeOf(seconds: number, isCountdown: boolean): string {
  return timeWords(seconds, isCountdown).replaceAll('\u00a0', ' ');
}

function uncapitalized(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}
