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
/** A year of 365 days from which the next opening is asked for: February 29 is too far away. */
const SOME_TIME = Date.UTC(2001, 0, 1);
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
  const parts = texts.map(partOf);
  const mistake = parts.find((part) => typeof part === 'string');
  if (mistake !== undefined) return mistake;
  const window = windowOf(parts.filter((part) => typeof part !== 'string'));
  return opens(window) ? window : 'does not open within 366 days';
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

/** Whether it opens within a year: it is looked at whenever it may open, and not for ever. */
function opens({ closedUntil }: ReloadWindow): boolean {
  let now: number | undefined = SOME_TIME;
  for (let looks = 0; looks <= MOST_PARTS; looks += 1) {
    now = closedUntil(now);
    if (now === undefined) return true;
    if (now - SOME_TIME > LONGEST_CLOSED_MS) return false;
  }
  return false;
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
    return `is no window; write such as Mon-Fri 09:00-17:00 Europe/Berlin, or 0 22 * * 6 4h, joined by ;`;
  const [, pattern = '', length = '', zone] = cron;
  const lengthMs = parseGoDurationMs(length) ?? 0;
  if (lengthMs < MINUTE_MS || lengthMs > 7 * DAY_MS) return 'has a length that is not from 1m to 168h';
  return scheduled(isDenied, pattern.trim(), lengthMs, zone);
}

function scheduled(isDenied: boolean, pattern: string, lengthMs: number, zone = 'UTC'): Part | string {
  try {
    const clock = new Intl.DateTimeFormat('en', {
      timeZone: zone,
      hour: 'numeric',
      minute: 'numeric',
      hourCycle: 'h23',
    });
    const schedule = new Cron(pattern, { timezone: zone, mode: '5-part' });
    return { isDenied, lengthMs, beginAfter: (ms) => beginAfter(schedule, clock, ms) };
  } catch (error) {
    return error instanceof RangeError && /time ?zone/i.test(error.message)
      ? `names a time zone that is not known: ${zone}`
      : 'has a schedule that cannot be read';
  }
}

/** A beginning that summer time skips is the next minute that exists. */
function beginAfter(schedule: Cron, clock: Intl.DateTimeFormat, ms: number): number {
  const next = schedule.nextRun(new Date(ms));
  if (next === null) return Number.POSITIVE_INFINITY;
  if (schedule.match(next)) return next.getTime();
  const begin = endOfGap(clock, next.getTime());
  return begin > ms ? begin : (schedule.nextRun(next)?.getTime() ?? Number.POSITIVE_INFINITY);
}

/** The first minute after the gap in the times of day that is the last one before `ms`. */
function endOfGap(clock: Intl.DateTimeFormat, ms: number): number {
  let end = Math.floor(ms / MINUTE_MS) * MINUTE_MS;
  const timeAt = (moment: number): number => minutesOf(clock.format(moment));
  for (let time = timeAt(end); end > ms - DAY_MS; end -= MINUTE_MS) {
    const before = timeAt(end - MINUTE_MS);
    if ((before + 1) % 1440 !== time) break;
    time = before;
  }
  return end;
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
