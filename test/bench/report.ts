/** The figures for people: a table on the terminal, and the same in Markdown. */

import { type Figure, isReached, ratioOf, type Wanted } from './figures.ts';

const HEADINGS = ['', 'reloader', 'floor', 'ratio', 'wanted', ''] as const;

/** In columns, for a terminal. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = [HEADINGS, ...figures.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** For a document. */
export function markdownOf(figures: readonly Figure[]): string {
  const lines = figures.map((figure) => `| ${cellsOf(figure).join(' | ')} |`);
  return [`| ${HEADINGS.join(' | ')} |`, '| --- | ---: | ---: | ---: | ---: | --- |', ...lines].join('\n');
}

function cellsOf(figure: Figure): readonly string[] {
  const { what, unit, measured, floor, wanted } = figure;
  const ratio = ratioOf(figure);
  const reached = isReached(figure);
  return [
    what,
    withUnit(measured, unit),
    floor === undefined ? '' : withUnit(floor, unit),
    ratio === undefined ? '' : ratio.toFixed(2),
    wanted === undefined ? '' : wish(wanted, unit),
    reached === undefined ? '' : reached ? 'yes' : 'no',
  ];
}

function wish(wanted: Wanted, unit: string): string {
  return 'atMost' in wanted ? `≤ ${withUnit(wanted.atMost, unit)}` : `≤ ${wanted.timesFloor} × floor`;
}

/** Three digits, and whole numbers as they are. */
function withUnit(value: number, unit: string): string {
  const number = Number.isInteger(value) || Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
  return unit === '' ? number : `${number} ${unit}`;
}
