/** Durations, ages, backoff, and the monotonic clock that measures all waits. */

import type { RawMetadata } from './raw-objects.ts';

/** Milliseconds that only grow, from an arbitrary origin. Time of day, for people and other programs, is `Date`. */
export function monotonicMs(): number {
  return performance.now();
}

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
/** A number in one unambiguous form, so that matching takes linear time for any text. */
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

/** The same for the grammar of Go's time.ParseDuration: a number without a unit is invalid, except 0. */
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

/** Seconds for people and metrics, to the millisecond: the rest is noise. */
export function secondsOf(ms: number): number {
  return Math.round(ms) / 1000;
}

/** The text that parseDurationMs parses to `ms`: `1h30m`, `500ms`. Whole milliseconds. */
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

/** A delay as a phrase of a log line. */
export function inTime(ms: number): string {
  if (ms <= 0) return 'at once';
  return ms < 1000 ? `in ${Math.round(ms)} ms` : `in ${Math.round(ms / 100) / 10} s`;
}

/** Times in metadata are to the second, and the clocks of two API servers may differ by one. */
const DOUBT_S = 1;

/**
 * The time of the last write that left one, in seconds since 1970, possibly of metadata alone; undefined if the time of one field
 * manager is unknown. A write that only removes keys leaves no time.
 */
export function lastWriteOf({ managedFields = [] }: Pick<RawMetadata, 'managedFields'>): number | undefined {
  return latestOf(managedFields.map(({ time }) => epochSecondsOf(time)));
}

/** The latest of some times; undefined if there is none, or one of them is unknown. */
export function latestOf(moments: readonly (number | undefined)[]): number | undefined {
  const known = moments.filter((moment) => moment !== undefined);
  return known.length === 0 || known.length < moments.length ? undefined : Math.max(...known);
}

/** Whether `moment` was certainly after `other`. */
export function isAfter(moment: number | undefined, other: number | undefined): boolean {
  return moment !== undefined && other !== undefined && moment - other > DOUBT_S;
}

/**
 * A time of metadata in seconds since 1970; undefined: it does not say. Seconds take less memory than ms: V8 keeps small integers in
 * the field itself.
 */
export function epochSecondsOf(time: string | undefined): number | undefined {
  const ms = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}

/** The bounds of a backoff. */
export interface BackoffBounds {
  /** No wait is shorter; the range doubles from here with each attempt. */
  readonly baseMs: number;
  /** No wait is longer. */
  readonly capMs: number;
}

/** After a conflict: the next attempt probably succeeds. */
export const CONFLICT_BACKOFF: BackoffBounds = { baseMs: 20, capMs: 5_000 };

/** After a temporary failure of the API server. */
export const LATER_BACKOFF: BackoffBounds = { baseMs: 500, capMs: 30_000 };

/** Between two looks at pods that are evicted, while nothing moves. */
export const EVICTION_BACKOFF: BackoffBounds = { baseMs: 1_000, capMs: 60_000 };

/** After a refusal, which lasts until a person or a controller changes something. */
export const REFUSAL_BACKOFF: BackoffBounds = { baseMs: 5_000, capMs: 300_000 };

/**
 * The wait before the retry that follows failure number `attempt` (0 for the first one): evenly spread between `baseMs`
 * and `min(capMs, baseMs × 2^(attempt + 1))`. With 500 and 30000: 0.5–1 s, 0.5–2 s, … 0.5–30 s.
 *
 * @param random answers a number in [0, 1), as Math.random does.
 */
export function backoffMs(attempt: number, { baseMs, capMs }: BackoffBounds, random: () => number): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** (Math.max(0, attempt) + 1));
  return Math.round(baseMs + random() * Math.max(0, ceiling - baseMs));
}

/** A function that calls `act` at most once in `everyMs`; calls in between are dropped. */
export function atMostEvery<T>(everyMs: number, act: (value: T) => void): (value: T) => void {
  let actedAt = Number.NEGATIVE_INFINITY;
  return (value) => {
    if (monotonicMs() - actedAt < everyMs) return;
    actedAt = monotonicMs();
    act(value);
  };
}
