/** When workloads may be rolled: what texts mean, at which minutes they are open, and what cannot be meant. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseReloadWindow } from '../../../lib/model/reload-window.ts';
import { fc } from '../../laws.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

/** Until when the window of `text` is closed at `moment`, as RFC 3339; `open` if it is not. */
function closedUntil(text: string, moment: string): string {
  const window = parseReloadWindow(text);
  assert.ok(typeof window !== 'string', String(window));
  const until = window.closedUntil(Date.parse(moment));
  return until === undefined ? 'open' : new Date(until).toISOString().replace('.000Z', 'Z');
}

/** 2026-11-25 is a Wednesday. */
const MOMENTS: Readonly<Record<string, readonly [text: string, moment: string, want: string]>> = {
  'a minute before it opens': ['Mon-Fri 09:00-17:00', '2026-11-25T08:59:59Z', '2026-11-25T09:00:00Z'],
  'the minute in which it opens': ['Mon-Fri 09:00-17:00', '2026-11-25T09:00:00Z', 'open'],
  'its last minute': ['Mon-Fri 09:00-17:00', '2026-11-25T16:59:59.999Z', 'open'],
  'the minute in which it closes': ['Mon-Fri 09:00-17:00', '2026-11-25T17:00:00Z', '2026-11-26T09:00:00Z'],
  'the weekend': ['Mon-Fri 09:00-17:00', '2026-11-28T10:00:00Z', '2026-11-30T09:00:00Z'],
  'in its zone, in winter': ['Mon-Fri 09:00-17:00 Europe/Berlin', '2026-11-25T08:00:00Z', 'open'],
  'in its zone, in summer': ['Mon-Fri 09:00-17:00 Europe/Berlin', '2026-07-01T07:00:00Z', 'open'],
  'over midnight, before': ['Fri 22:00-06:00', '2026-11-28T05:59:00Z', 'open'],
  'over midnight, after': ['Fri 22:00-06:00', '2026-11-28T06:00:00Z', '2026-12-04T22:00:00Z'],
  'days as a list, over the end of the week': ['Sat-Mon,wed 10:00-11:00', '2026-11-25T10:30:00Z', 'open'],
  'every day': ['22:00-06:00', '2026-11-25T12:00:00Z', '2026-11-25T22:00:00Z'],
  'the whole day': ['Wed 00:00-24:00', '2026-11-25T23:59:00Z', 'open'],
  'a cron schedule': ['0 22 * * 6 4h', '2026-11-28T23:00:00Z', 'open'],
  'a cron schedule with names, after': [
    '0 22 * * SAT 4h30m UTC',
    '2026-11-29T02:30:00Z',
    '2026-12-05T22:00:00Z',
  ],
  'several: the next one': [
    'Mon 09:00-10:00; Thu 09:00-10:00',
    '2026-11-25T12:00:00Z',
    '2026-11-26T09:00:00Z',
  ],
  'one that denies, alone': ['! Mon-Fri 09:00-17:00', '2026-11-25T12:00:00Z', '2026-11-25T17:00:00Z'],
  'one that denies, and does not now': ['!Mon-Fri 09:00-17:00', '2026-11-25T18:00:00Z', 'open'],
  'one that denies a part of another': [
    '08:00-18:00; !12:00-13:00',
    '2026-11-25T12:30:00Z',
    '2026-11-25T13:00:00Z',
  ],
  'what summer time skips: an hour later': [
    '02:30-03:30 Europe/Berlin',
    '2026-03-29T00:59:00Z',
    '2026-03-29T01:30:00Z',
  ],
  'what summer time skips, in it': ['02:30-03:30 Europe/Berlin', '2026-03-29T01:59:00Z', 'open'],
  'what summer time skips, after': [
    '02:30-03:30 Europe/Berlin',
    '2026-03-29T02:30:00Z',
    '2026-03-30T00:30:00Z',
  ],
  'what winter time repeats, the second time': ['02:30-02:45 Europe/Berlin', '2026-10-25T01:35:00Z', 'open'],
  'one that denies all hours but one, in one of them': [
    '!0 0-15,17-23 * * * 1h',
    '2026-11-25T12:30:00Z',
    '2026-11-25T13:00:00Z',
  ],
  'one that denies all hours but one, before that one': [
    '!0 0-15,17-23 * * * 1h Europe/Berlin',
    '2026-11-25T14:30:00Z',
    '2026-11-25T15:00:00Z',
  ],
  'one that denies all hours but one, in that one': [
    '!0 0-15,17-23 * * * 1h',
    '2026-11-25T16:00:00Z',
    'open',
  ],
  'one that denies the hours of six days': [
    '!0 * * * 1-6 1h',
    '2026-11-28T23:59:00Z',
    '2026-11-29T00:00:00Z',
  ],
  'one that denies for seven days': ['!0 1 * * 0 167h', '2026-11-28T23:59:00Z', '2026-11-29T00:00:00Z'],
  'one that denies a leap day': ['!0 0 29 2 * 24h', '2028-02-29T12:00:00Z', '2028-03-01T00:00:00Z'],
  'a day of the month or one of the week': ['0 0 31 4 1 1h', '2026-04-06T00:30:00Z', 'open'],
  'what opens in summer only': ['09:00-10:00 Europe/Berlin; !08:00-09:00', '2026-07-01T07:30:00Z', 'open'],
  'what never closes': ['always', '2026-11-25T12:00:00Z', 'open'],
};

describe('a window', () => {
  for (const [name, [text, moment, want]] of Object.entries(MOMENTS))
    test(`${name}: ${text}`, () => assert.equal(closedUntil(text, moment), want));

  test('answers the same within a minute, and anew after it', () => {
    const window = parseReloadWindow('12:00-12:01');
    assert.ok(typeof window !== 'string');
    const answers = [0, 59_999, 60_000].map((ms) =>
      window.closedUntil(Date.parse('2026-11-25T12:00:00Z') + ms),
    );
    assert.deepEqual(answers, [undefined, undefined, Date.parse('2026-11-26T12:00:00Z')]);
  });
});

const MISTAKES: Readonly<Record<string, RegExp>> = {
  '': /is no window/,
  soon: /is no window/,
  'Mon-Fri 9:00-17:00': /is no window/,
  'Mon-Fri 09:00-25:00': /is no window/,
  'Mon-Fri 09:00-17:00; ': /is no window/,
  'Mon-Fri 09:00-17:00 Mars/Phobos': /names a time zone that is not known: Mars\/Phobos/,
  '0 99 * * * 1h': /has a schedule that cannot be read/,
  '0 22 L * * 1h': /is no window/,
  '0 22 * * * 0h': /has a length/,
  '0 22 * * * 999h': /has a length/,
  '0 0 30 2 * 1h': /has a schedule that never comes/,
  '0 0 31 4,6,9,11 * 1h': /has a schedule that never comes/,
  '! 0 0 31 2 * 1h': /has a schedule that never comes/,
  '01:00-05:00; !0 0 30-31 feb * 1h Europe/Berlin': /has a schedule that never comes/,
  '! * * * * * 1m': /is closed more than 700 times in a row/,
  '! 0 0-11 * * * 1h; ! 0 12-23 * * * 1h': /is closed more than 700 times in a row/,
  '0 0 29 2 * 1h': /does not open within 366 days/,
  '00:00-24:00; !00:00-24:00': /does not open within 366 days/,
  [`${'Mon 09:00-10:00; '.repeat(10)}Mon 09:00-10:00`]: /has more than 10 parts/,
  [`0${' '.repeat(600)}22 * * * 1h`]: /is longer than 500 characters/,
};

describe('no window', () => {
  for (const [text, want] of Object.entries(MISTAKES))
    test(`is ${JSON.stringify(text.slice(0, 40))}`, () =>
      assert.match(String(parseReloadWindow(text)), want));

  test('is found at a bounded cost, and a look costs little', () => {
    const parts = (pattern: string): string =>
      Array.from({ length: 10 }, (_, hour) => `!0 ${hour} ${pattern} 1h`).join(';');
    const texts = ['31 2 *', '31 4,6,9,11 *', '29 2 *'].map(parts);
    const begin = performance.now();
    for (const text of texts) {
      const window = parseReloadWindow(text);
      if (typeof window === 'string') continue;
      for (let minute = 0; minute < 1000; minute += 1)
        window.closedUntil(Date.UTC(2026, 0, 1) + minute * MINUTE_MS);
    }
    assert.ok(performance.now() - begin < 1000);
  });

  test('is any text, and none takes long', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 600, unit: fc.constantFrom(...'MonFri 09:-;!*/,') }), (text) => {
        const window = parseReloadWindow(text);
        if (typeof window !== 'string') window.closedUntil(0);
      }),
    );
  });
});

const twoDigits = (number: number): string => String(number).padStart(2, '0');
const time = (minutes: number): string => `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
const part = fc.record({
  isDenied: fc.boolean(),
  day: fc.integer({ min: 0, max: 6 }),
  from: fc.integer({ min: 0, max: 1439 }),
  length: fc.integer({ min: 1, max: 1439 }),
});
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

test('law: it is open in the minutes that a calendar says, and until it is said to be closed it stays closed', () => {
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 0, max: 20_000 }),
      (parts, minutes) => {
        const texts = parts.map(
          ({ isDenied, day, from, length }) =>
            `${isDenied ? '!' : ''}${DAYS[day]} ${time(from)}-${time((from + length) % 1440)}`,
        );
        const window = parseReloadWindow(texts.join(';'));
        if (typeof window === 'string') return;
        // The minutes of the week count from Sunday; 1970-01-01 was a Thursday.
        const lasts = (at: number, { day, from, length }: (typeof parts)[number]): boolean =>
          (at + 4 * 1440 - (day * 1440 + from) + 4 * 10_080) % 10_080 < length;
        const isOpen = (at: number): boolean => {
          const allowing = parts.filter(({ isDenied }) => !isDenied);
          const isAllowed = allowing.length === 0 || allowing.some((each) => lasts(at, each));
          return isAllowed && !parts.some((each) => each.isDenied && lasts(at, each));
        };
        const until = window.closedUntil(minutes * MINUTE_MS);
        assert.equal(until === undefined, isOpen(minutes));
        for (let at = minutes; until !== undefined && at < until / MINUTE_MS; at += 7)
          assert.equal(isOpen(at), false);
        assert.ok(until === undefined || until > minutes * MINUTE_MS);
        assert.ok((until ?? 0) - minutes * MINUTE_MS <= 8 * DAY_MS);
      },
    ),
  );
});
