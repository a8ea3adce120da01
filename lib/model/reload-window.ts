/**
 * The times at which workloads may be rolled, such as `Mon-Fri 09:00-17:00 Europe/Berlin`. Parts are joined by `;`, a part with `!`
 * in front denies, and a part is a time of the week or a cron schedule with a length. Pure: the time is a parameter.
 */

import { Cron } from 'croner';
import { parseGoDurationMs } from './time.ts';

/** Times at which workloads may be rolled. */
export interface ReloadWindow {
  /**
   * Undefined: it is open at `now`. Else it is closed until that moment at least, at which it may still be closed. Both in ms since
   * 1970.
   */
  readonly closedUntil: (now: number) => number | undefined;
}

/** Characters of a text that is parsed, and parts of it: they bound the work. */
const MOST_LETTERS = 500;
const MOST_PARTS = 10;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A window that does not open for longer is taken for a mistake. */
const LONGEST_CLOSED_MS = 366 * DAY_MS;
/** A window whose closed times follow each other more often is not searched any further: a week of quarters of an hour has fewer. */
const MOST_LOOKS = 700;
/** From these the next opening is asked for: February 29 is too far away from both. */
const WINTER = Date.UTC(2001, 0, 1);
const SUMMER = Date.UTC(2001, 6, 1);
/** A leap year: each schedule that ever comes has a day in it. */
const DATES: readonly Date[] = Array.from({ length: 366 }, (_, at) => new Date(Date.UTC(2028, 0, 1 + at)));
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const ALWAYS: ReloadWindow = { closedUntil: () => undefined };

const DAY = `(?:${DAYS.join('|')})`;
const DAY_LIST = `${DAY}(?:-${DAY})?(?:,${DAY}(?:-${DAY})?)*`;
const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d';
const WEEKLY = new RegExp(`^(?:(${DAY_LIST}) )?(${TIME})-(${TIME}|24:00)(?: (\\S+))?$`, 'i');
const CRON = /^((?:(?:[\d*,/-]|[a-z]{3})+ ){5})((?:\d+[hms])+)(?: (\S+))?$/i;

/** One part: it begins by its schedule, and lasts for its length. */
interface Part {
  readonly isDenied: boolean;
  readonly pattern: string;
  readonly zone: string;
  /** The first beginning after a moment; Infinity: none. */
  readonly beginAfter: (ms: number) => number;
  readonly lengthMs: number;
}

/** The window that `text` describes, `always` for one that never closes; else what is wrong with it, after "it ". */
export function parseReloadWindow(text: string): ReloadWindow | string {
  if (text.trim() === 'always') return ALWAYS;
  if (text.length > MOST_LETTERS) return `is longer than ${MOST_LETTERS} characters`;
  const texts = text.split(';').map((each) => each.trim().replace(/\s+/g, ' '));
  if (texts.length > MOST_PARTS) return `has more than ${MOST_PARTS} parts`;
  const parts: Part[] = [];
  for (const each of texts) {
    const part = partOf(each);
    if (typeof part === 'string') return part;
    parts.push(part);
  }
  const mistake = closedFrom(parts, WINTER) && closedFrom(parts, SUMMER);
  return mistake ?? windowOf(parts);
}

/** Each answer holds for a minute, the unit of all times: many workloads ask for the same one. */
function windowOf(parts: readonly Part[]): ReloadWindow {
  const allowing = parts.filter(({ isDenied }) => !isDenied);
  const denying = parts.filter(({ isDenied }) => isDenied);
  let known: { readonly minute: number; readonly until: number | undefined } | undefined;
  const closedUntil = (minute: number): number | undefined => {
    const deniedUntil = Math.max(0, ...denying.map((part) => endAt(part, minute) ?? 0));
    const isAllowed = allowing.length === 0 || allowing.some((part) => endAt(part, minute) !== undefined);
    const allowedFrom = isAllowed ? 0 : Math.min(...allowing.map(({ beginAfter }) => beginAfter(minute)));
    const until = Math.max(deniedUntil, allowedFrom);
    return until === 0 ? undefined : until;
  };
  return {
    closedUntil: (now) => {
      const minute = Math.floor(now / MINUTE_MS) * MINUTE_MS;
      if (known?.minute !== minute) known = { minute, until: closedUntil(minute) };
      return known.until;
    },
  };
}

/** The end of the part that lasts at `now`; undefined: it does not last then. */
function endAt({ beginAfter, lengthMs }: Part, now: number): number | undefined {
  const begin = beginAfter(now - lengthMs);
  return begin <= now ? begin + lengthMs : undefined;
}

/**
 * What is wrong with the window, if it does not open within a year from `from`: it is looked at whenever it may open, and not for
 * ever. Each zone keeps its offset of that moment, which makes a look a hundred times cheaper.
 */
function closedFrom(parts: readonly Part[], from: number): string | undefined {
  const { closedUntil } = windowOf(
    parts.map((part) => {
      const schedule = new Cron(part.pattern, { utcOffset: offsetOf(part.zone, from), mode: '5-part' });
      return { ...part, beginAfter: once((ms) => nextOf(schedule, ms)) };
    }),
  );
  let now = from;
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const until = closedUntil(now);
    if (until === undefined) return undefined;
    if (until - from > LONGEST_CLOSED_MS) return 'does not open within 366 days';
    now = until;
  }
  return `is closed more than ${MOST_LOOKS} times in a row`;
}

/** The minutes that the zone is ahead of UTC at `ms`. */
function offsetOf(zone: string, ms: number): number {
  if (zone === 'UTC') return 0;
  const text = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).format(ms);
  const [, sign, time = '00:00'] = /GMT([+-])(\d\d:\d\d)/.exec(text) ?? [];
  return minutesOf(time) * (sign === '-' ? -1 : 1);
}

/** `beginAfter` that keeps its last answer for as long as it holds: times are asked for in order. */
function once(beginAfter: Part['beginAfter']): Part['beginAfter'] {
  let [from, begin] = [0, 0];
  return (ms) => {
    if (ms < from || ms >= begin) [from, begin] = [ms, beginAfter(ms)];
    return begin;
  };
}

/** One part, or what is wrong with it. */
function partOf(text: string): Part | string {
  const [, not, rest = ''] = /^(!?) ?(.*)$/.exec(text) ?? [];
  const isDenied = not === '!';
  const weekly = WEEKLY.exec(rest);
  const cron = CRON.exec(rest);
  if (weekly !== null) {
    const [, days, from = '', to = '', zone] = weekly;
    const [hour, minute] = from.split(':').map(Number);
    const lengthMs = (minutesOf(to) - minutesOf(from) + 1440) % 1440 || 1440;
    const pattern = `${minute} ${hour} * * ${days === undefined ? '*' : daysIn(days)}`;
    return scheduled(isDenied, pattern, lengthMs * MINUTE_MS, zone);
  }
  if (cron === null)
    return `is no window; write such as Mon-Fri 09:00-17:00 Europe/Berlin, or 0 22 * * 6 4h, joined by semicolons`;
  const [, pattern = '', length = '', zone] = cron;
  const lengthMs = parseGoDurationMs(length) ?? 0;
  if (lengthMs < MINUTE_MS || lengthMs > 7 * DAY_MS) return 'has a length that is not from 1m to 168h';
  return scheduled(isDenied, pattern.trim(), lengthMs, zone);
}

function scheduled(isDenied: boolean, pattern: string, lengthMs: number, zone = 'UTC'): Part | string {
  try {
    if (!comes(pattern)) return 'has a schedule that never comes';
    return { isDenied, pattern, lengthMs, zone, beginAfter: once(beginIn(zone, pattern)) };
  } catch (error) {
    return error instanceof RangeError && /time ?zone/i.test(error.message)
      ? `names a time zone that is not known: ${zone}`
      : 'has a schedule that cannot be read';
  }
}

/** Whether there is such a day: where there is none, such as April 31, a search for it does not end. */
function comes(pattern: string): boolean {
  const days = new Cron(pattern.replace(/^\S+ \S+/, '* *'), { utcOffset: 0, mode: '5-part' });
  return DATES.some((day) => days.match(day));
}

function beginIn(zone: string, pattern: string): Part['beginAfter'] {
  // Throws for a zone that is not known.
  const utcOffset = offsetOf(zone, 0);
  // The library is thirty times faster with an offset.
  const place = zone === 'UTC' ? { utcOffset } : { timezone: zone };
  const schedule = new Cron(pattern, { ...place, mode: '5-part' });
  return (ms) => nextOf(schedule, ms);
}

function nextOf(schedule: Cron, ms: number): number {
  return schedule.nextRun(new Date(ms))?.getTime() ?? Number.POSITIVE_INFINITY;
}

function minutesOf(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}

/** The numbers of the days in `list`, such as `1,2,3` for `Mon-Wed`; a range may pass the end of the week. */
function daysIn(list: string): string {
  const numbers = list
    .toLowerCase()
    .split(',')
    .flatMap((item) => {
      const [from = '', to = from] = item.split('-');
      const first = DAYS.indexOf(from);
      const length = (DAYS.indexOf(to) - first + 7) % 7;
      return Array.from({ length: length + 1 }, (_, index) => (first + index) % 7);
    });
  return [...new Set(numbers)].join(',');
}
