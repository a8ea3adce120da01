/** Line charts as SVG: pure text, readable on a light and on a dark page. */

/** x and y. */
export type Point = readonly [x: number, y: number];

/** One line of a chart. */
export interface Line {
  readonly name: string;
  readonly points: readonly Point[];
}

/** What is drawn. Both axes begin at 0. */
export interface LineChart {
  /** Of the file. */
  readonly name: string;
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly lines: readonly Line[];
}

const WIDTH = 720;
const HEIGHT = 400;
const LEFT = 70;
const RIGHT = 24;
const TOP = 64;
const BOTTOM = 56;
const COLOURS = ['#2563eb', '#d97706', '#059669', '#9333ea'];
const MOST_TICKS = 6;

/** The share of `values` that are not larger than each, without the largest hundredth, which would hide the rest. */
export function distributionOf(values: readonly number[]): Point[] {
  const sorted = values.toSorted((a, b) => a - b);
  const shown = sorted.slice(0, Math.ceil(sorted.length * 0.99));
  return shown.map((value, index) => [value, (index + 1) / sorted.length]);
}

/** The document. */
export function svgOf({ title, x, y, lines }: LineChart): string {
  const points = lines.flatMap((line) => line.points);
  const ticks = {
    x: ticksTo(Math.max(...points.map(([at]) => at))),
    y: ticksTo(Math.max(...points.map(([, at]) => at))),
  };
  const toX = scaleOf(ticks.x, LEFT, WIDTH - RIGHT);
  const toY = scaleOf(ticks.y, HEIGHT - BOTTOM, TOP);
  const parts = [
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(LEFT, 24, title, 'font-size="16" font-weight="600"'),
    ...ticks.x.map((tick) => text(toX(tick), HEIGHT - BOTTOM + 20, labelOf(tick), 'text-anchor="middle"')),
    ...ticks.y.map(
      (tick) => grid(toY(tick)) + text(LEFT - 8, toY(tick) + 4, labelOf(tick), 'text-anchor="end"'),
    ),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, x, 'text-anchor="middle"'),
    `<g transform="translate(18 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)">${text(0, 0, y, 'text-anchor="middle"')}</g>`,
    ...lines.map(({ points: all }, index) => {
      const path = all.map(([at, value]) => `${round(toX(at))},${round(toY(value))}`).join(' ');
      return `<polyline points="${path}" fill="none" stroke="${colourOf(index)}" stroke-width="2" stroke-linejoin="round"/>`;
    }),
    ...lines.map(({ name }, index) => legend(name, index)),
  ];
  const style = 'font-family="system-ui, sans-serif" font-size="13" fill="#1f2937"';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" ${style}>\n<title>${escaped(title)}</title>\n${parts.join('\n')}\n</svg>\n`;
}

/** Round numbers from 0 to the first that is not smaller than `most`. */
export function ticksTo(most: number): number[] {
  if (!(most > 0)) return [0, 1];
  const rough = most / MOST_TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

function scaleOf(ticks: readonly number[], from: number, to: number): (value: number) => number {
  const most = ticks.at(-1) ?? 1;
  return (value) => from + (value / most) * (to - from);
}

function legend(name: string, index: number): string {
  const at = LEFT + index * 170;
  const line = `<line x1="${at}" y1="44" x2="${at + 24}" y2="44" stroke="${colourOf(index)}" stroke-width="3"/>`;
  return line + text(at + 32, 48, name, '');
}

function grid(at: number): string {
  return `<line x1="${LEFT}" y1="${round(at)}" x2="${WIDTH - RIGHT}" y2="${round(at)}" stroke="#e5e7eb"/>`;
}

function text(x: number, y: number, words: string, attributes: string): string {
  return `<text x="${round(x)}" y="${round(y)}" ${attributes}>${escaped(words)}</text>`;
}

function colourOf(index: number): string {
  return COLOURS[index % COLOURS.length] ?? '#000000';
}

function labelOf(value: number): string {
  return String(value);
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
