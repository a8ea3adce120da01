/** Durations as people write them. */

const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['\u00b5s', 1e-3],
  ['\u03bcs', 1e-3],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);
const SHOWN_UNITS = ['h', 'm', 's', 'ms'] as const;
/** In one way only, so that what anybody writes is read in a time that grows no faster than the text. */
const AMOUNT = '\\d+(?:\\.\\d*)?|\\.\\d+';
const PART: string = `(${AMOUNT})(${[...UNITS_MS.keys()].join('|')})`;
const PARTS = new RegExp(`^\\+?(?:${PART})+$`);
const EACH_PART = new RegExp(PART, 'g');

/** The longest duration that a timer can wait: a little under 25 days. */
export const MAX_DURATION_MS: number = 2 ** 31 - 1;

/**
 * Milliseconds in `text`: a plain number is milliseconds, else Go's form: `500ms`, `10s`, `2m`, `1h30m`, `1.5h`.
 * Fractions of a millisecond are rounded. Undefined for what is no duration, is negative or exceeds MAX_DURATION_MS.
 */
export function parseDurationMs(text: string): number | undefined {
  const trimmed = text.trim();
  if (!/^\d+$/.test(trimmed)) return parseGoDurationMs(trimmed);
  const ms = Number(trimmed);
  return ms <= MAX_DURATION_MS ? ms : undefined;
}

/** The same for what Go's time.ParseDuration takes: a number without a unit is none, but for 0. */
export function parseGoDurationMs(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^\+?0$/.test(trimmed)) return 0;
  if (!PARTS.test(trimmed)) return undefined;
  const parts = [...trimmed.matchAll(EACH_PART)];
  const sum = parts.reduce(
    (ms, [, amount, unit]) => ms + Number(amount) * (UNITS_MS.get(unit ?? '') ?? Number.NaN),
    0,
  );
  return sum <= MAX_DURATION_MS ? Math.round(sum) : undefined;
}

/** Seconds for people and metrics; what a clock says below a millisecond is noise. */
export function secondsOf(ms: number): number {
  return Math.round(ms) / 1000;
}

/** The same time in words that parseDurationMs takes: `1h30m`, `500ms`. Whole milliseconds. */
export function formatDuration(ms: number): string {
  let rest = ms;
  const parts = SHOWN_UNITS.map((unit) => {
    const size = UNITS_MS.get(unit) ?? 1;
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? '' : `${count}${unit}`;
  });
  return parts.join('') || '0s';
}

/** How soon something is done, for a line. */
export function inTime(ms: number): string {
  if (ms <= 0) return 'at once';
  return ms < 1000 ? `in ${Math.round(ms)} ms` : `in ${Math.round(ms / 100) / 10} s`;
}
