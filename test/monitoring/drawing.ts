/** The dashboard as one SVG: what its panels show of the series that Prometheus answered. */

import type { Panel } from './files.ts';
import type { Series, Span } from './prometheus.ts';

/** What one query of a panel answered: a line for each series. */
export interface Line {
  readonly name: string;
  /** [seconds since 1970, value]; without those that are no number. */
  readonly points: readonly (readonly [number, number])[];
}

/** A panel and its lines. */
export interface Filled {
  readonly panel: Panel;
  readonly lines: readonly Line[];
}

/** Where something is drawn. */
interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

const COLUMN = 50;
const ROW = 30;
const HEADER = 44;
const GAP = 4;
const LEGEND_LINE = 15;
const TICKS = 4;
const COLOURS = [
  '#2f6fb3',
  '#d9822b',
  '#3a8f5c',
  '#b0413e',
  '#7a5aa6',
  '#8a6d3b',
  '#c2608f',
  '#5f6b76',
  '#1c9aa0',
  '#a3b126',
];
/** Grafana's names, dark enough to be read on white. */
const SHADES: Readonly<Record<string, string>> = { green: '#2b7a48', orange: '#b35c00', red: '#b3261e' };
const MIB = 2 ** 20;

/** The lines of a query's answer, under the names that its legend gives them. */
export function linesOf(legend: string, answer: readonly Series[]): readonly Line[] {
  return answer.map(({ metric, values }) => ({
    name: legend.replaceAll(/\{\{(?<label>\w+)\}\}/g, (_, label: string) => metric[label] ?? ''),
    points: values
      .map(([at, text]) => [at, Number(text)] as const)
      .filter(([, value]) => Number.isFinite(value)),
  }));
}

/** The whole dashboard. */
export function drawing(title: string, filled: readonly Filled[], span: Span): string {
  const boxes = filled.map(({ panel }) => boxOf(panel));
  const width = Math.max(...boxes.map(({ x, w }) => x + w)) + GAP;
  const height = Math.max(...boxes.map(({ y, h }) => y + h)) + GAP;
  const parts = filled.map((each, index) => drawnPanel(each, boxes[index] ?? boxOf(each.panel), span));
  const minutes = Math.round((span.end - span.start) / 60);
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#1f2933">`,
    `<rect width="${width}" height="${height}" fill="#f4f5f7"/>`,
    text(GAP * 3, 28, title, 'font-size="18" font-weight="600"'),
    text(width - GAP * 3, 28, `${minutes} minutes`, 'text-anchor="end" fill="#52606d"'),
    ...parts,
    '</svg>',
  ].join('\n')}\n`;
}

function boxOf({ place: { x, y, w, h } }: Panel): Box {
  return {
    x: x * COLUMN + GAP,
    y: HEADER + y * ROW,
    w: w * COLUMN - GAP,
    h: h * ROW - GAP,
  };
}

function drawnPanel({ panel, lines }: Filled, box: Box, span: Span): string {
  const { x, y, w, h } = box;
  const frame = `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="3" fill="#fff" stroke="#d5dae0"/>`;
  const title = text(x + 10, y + 20, panel.title, 'font-weight="600" font-size="13"');
  const inner = panel.type === 'stat' ? drawnStat(panel, lines, box) : drawnLines(panel, lines, box, span);
  return [frame, title, inner].join('\n');
}

function drawnStat({ unit, steps, queries }: Panel, lines: readonly Line[], { x, y, w, h }: Box): string {
  const shown = lines.map(({ name, points }) => {
    const value = points.at(-1)?.[1] ?? 0;
    const color = steps.findLast((step) => step.value === null || value >= step.value)?.color ?? 'green';
    const label =
      queries.length === 1 ? '' : `<tspan font-size="13" fill="#52606d"> ${escaped(name)}  </tspan>`;
    return `<tspan fill="${SHADES[color] ?? color}">${formatted(value, unit)}</tspan>${label}`;
  });
  const place = `x="${x + w / 2}" y="${y + h * 0.7}" text-anchor="middle" font-size="30" font-weight="600"`;
  return `<text ${place} xml:space="preserve">${shown.join('')}</text>`;
}

function drawnLines({ unit }: Panel, lines: readonly Line[], box: Box, span: Span): string {
  const legend = legendOf(lines, box);
  const plot: Box = { x: box.x + 58, y: box.y + 34, w: box.w - 80, h: box.h - 56 - legend.height };
  const step = niceStep(
    Math.max(...lines.flatMap(({ points }) => points.map(([, value]) => value)), 0),
    unit,
  );
  const top = step * TICKS;
  const across = (at: number): number => plot.x + (plot.w * (at - span.start)) / (span.end - span.start);
  const up = (value: number): number => plot.y + plot.h * (1 - value / top);
  const grid = Array.from({ length: TICKS + 1 }, (_, tick) => {
    const height = up(tick * step).toFixed(1);
    const rule = `<path d="M${plot.x} ${height}h${plot.w}" stroke="#e4e7eb"/>`;
    return rule + text(plot.x - 6, Number(height) + 4, formatted(tick * step, unit), FAINT_END);
  });
  const minutes = Math.floor((span.end - span.start) / 60);
  const times = Array.from({ length: minutes + 1 }, (_, minute) => {
    const at = across(span.start + minute * 60).toFixed(1);
    return text(Number(at), plot.y + plot.h + 15, `${minute} min`, FAINT_MIDDLE);
  });
  const drawn = lines.map(({ points }, index) => {
    const path = pathOf(points, span.step, across, up);
    return `<path d="${path}" fill="none" stroke="${colour(index)}" stroke-width="1.8" stroke-linejoin="round"/>`;
  });
  return [...grid, ...times, ...drawn, legend.svg].join('\n');
}

const FAINT_END = 'text-anchor="end" font-size="10.5" fill="#52606d"';
const FAINT_MIDDLE = 'text-anchor="middle" font-size="10.5" fill="#52606d"';

/** Where a series has no value for a while, its line is interrupted. */
function pathOf(
  points: Line['points'],
  step: number,
  across: (at: number) => number,
  up: (value: number) => number,
): string {
  return points
    .map(([at, value], index) => {
      const before = points[index - 1]?.[0] ?? Number.NEGATIVE_INFINITY;
      return `${at - before > step * 1.5 ? 'M' : 'L'}${across(at).toFixed(1)} ${up(value).toFixed(1)}`;
    })
    .join('');
}

function legendOf(
  lines: readonly Line[],
  { x, y, w, h }: Box,
): { readonly svg: string; readonly height: number } {
  const places: { left: number; row: number }[] = [];
  let left = 0;
  let row = 0;
  for (const { name } of lines) {
    const width = 30 + name.length * 6.2;
    if (left + width > w - 24) [left, row] = [0, row + 1];
    places.push({ left, row });
    left += width;
  }
  const top = y + h - 9 - row * LEGEND_LINE;
  const entries = lines.map(({ name }, index) => {
    const { left: from = 0, row: line = 0 } = places[index] ?? {};
    const [at, base] = [x + 12 + from, top + line * LEGEND_LINE];
    const mark = `<path d="M${at.toFixed(1)} ${base - 4}h12" stroke="${colour(index)}" stroke-width="3"/>`;
    return mark + text(Number((at + 16).toFixed(1)), base, name, 'font-size="11"');
  });
  return { svg: entries.join('\n'), height: (row + 1) * LEGEND_LINE };
}

/** So that the greatest value fits below four steps: 1, 2, 2.5 or 5 times a power of ten, of MiB where bytes are meant. */
function niceStep(greatest: number, unit: string): number {
  const base = unit === 'bytes' ? MIB : 1;
  const least = Math.max(greatest / base, 0.004) / TICKS;
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= least) ?? 10;
  return factor * power * base;
}

function formatted(value: number, unit: string): string {
  if (unit === 'bytes') return `${Math.round(value / MIB)} MiB`;
  const number = String(Number(value.toPrecision(3)));
  if (unit === 's') return value > 0 && value < 1 ? `${Math.round(value * 1000)} ms` : `${number} s`;
  return number;
}

function colour(index: number): string {
  return COLOURS[index % COLOURS.length] ?? '';
}

function text(x: number, y: number, content: string, attributes: string): string {
  return `<text x="${x}" y="${y}" ${attributes}>${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
