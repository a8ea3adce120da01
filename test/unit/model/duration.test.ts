import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRolloutLimit } from '../../../lib/model/settings.ts';
import {
  formatDuration,
  MAX_DURATION_MS,
  parseDurationMs,
  parseGoDurationMs,
} from '../../../lib/model/time.ts';
import { fc } from '../../laws.ts';

const DURATIONS: Record<string, number> = {
  '0': 0,
  '5000': 5000,
  '500ms': 500,
  '10s': 10_000,
  '2m': 120_000,
  '1h': 3_600_000,
  '1h30m': 5_400_000,
  '1m0s': 60_000,
  '1.5s': 1500,
  '0.4ms': 0,
  ' 7s ': 7000,
  [String(MAX_DURATION_MS)]: MAX_DURATION_MS,
};
for (const [text, want] of Object.entries(DURATIONS)) {
  test(`"${text}" is ${want} ms`, () => assert.equal(parseDurationMs(text), want));
}

for (const text of [
  '',
  's',
  '-1',
  '-1s',
  '1.5',
  '1 s',
  '10sec',
  '1d',
  '1e3',
  '0x10',
  'Infinity',
  '2147483648',
  '600h',
]) {
  test(`"${text}" is no duration`, () => assert.equal(parseDurationMs(text), undefined));
}

/** As time.ParseDuration of Go takes them; undefined: it does not, or the sign is one that makes no sense here. */
const OF_GO: Record<string, number | undefined> = {
  '0': 0,
  '5m': 300_000,
  '+1h30m': 5_400_000,
  '.5s': 500,
  '1.s': 1000,
  '1500us': 2,
  '2000\u00b5s1000000ns': 3,
  '1\u03bcs': 0,
  '0s': 0,
  '5000': undefined,
  '+5': undefined,
  '+0': 0,
  '-5m': undefined,
  '.s': undefined,
  '5 m': undefined,
  '5min': undefined,
  '1d': undefined,
  '': undefined,
  '600h': undefined,
};
for (const [text, want] of Object.entries(OF_GO)) {
  test(`"${text}" is ${want === undefined ? 'no duration' : `${want} ms`} where units are asked for`, () => {
    assert.equal(parseGoDurationMs(text), want);
  });
}

test('a duration with units is the sum of its parts', () => {
  const part = fc.nat({ max: 500 });
  fc.assert(
    fc.property(part, part, part, part, (h, m, s, ms) => {
      const want = ((h * 60 + m) * 60 + s) * 1000 + ms;
      assert.equal(parseDurationMs(`${h}h${m}m${s}s${ms}ms`), want);
    }),
  );
});

test('a duration that is written is read as the same one', () => {
  fc.assert(
    fc.property(fc.nat(MAX_DURATION_MS), (ms) => assert.equal(parseDurationMs(formatDuration(ms)), ms)),
  );
  assert.deepEqual([0, 500, 90_000, 3_600_000].map(formatDuration), ['0s', '500ms', '1m30s', '1h']);
});

const GO_UNITS_MS: readonly (readonly [string, number])[] = [
  ['ns', 1e-6],
  ['us', 1e-3],
  ['\u00b5s', 1e-3],
  ['\u03bcs', 1e-3],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
];

/** The milliseconds that Go reads, told letter by letter; undefined for what it does not take. */
function msOfGo(text: string): number | undefined {
  const unsigned = text.startsWith('+') ? text.slice(1) : text;
  if (unsigned === '0') return 0;
  let sum = 0;
  for (const part of unsigned.split(/(?<=[a-z\u00b5\u03bc])(?=[^a-z\u00b5\u03bc])/)) {
    const [unit, size] = GO_UNITS_MS.find(([one]) => part.endsWith(one)) ?? ['', Number.NaN];
    const amount = part.slice(0, part.length - unit.length);
    const letters = [...amount];
    const digits = letters.filter((letter) => letter >= '0' && letter <= '9').length;
    const dots = letters.filter((letter) => letter === '.').length;
    if (digits === 0 || dots > 1 || digits + dots !== letters.length) return undefined;
    sum += Number(amount) * size;
  }
  return Number.isNaN(sum) ? undefined : sum;
}

test('law: a text is a duration exactly if each of its parts is digits, at most one dot among them, and a unit, and a timer can wait so long', () => {
  const pieces = fc.constantFrom(
    '0',
    '1',
    '.',
    '+',
    'n',
    's',
    'm',
    'h',
    'u',
    '\u00b5',
    '\u03bc',
    '1s',
    '1.5m',
    '596h',
  );
  const texts = fc.array(pieces, { minLength: 1, maxLength: 8 }).map((all) => all.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      const ms = msOfGo(text);
      const want = ms === undefined || ms > MAX_DURATION_MS ? undefined : Math.round(ms);
      assert.equal(parseGoDurationMs(text), want);
    }),
    { numRuns: 3_000 },
  );
});

const MANY = 250_000;

/** A parser that tries every way to divide the digits takes minutes for each. */
const LONG: Record<string, string> = {
  'digits without end': '1'.repeat(MANY),
  'digits and what is no unit': `${'1'.repeat(MANY)}x`,
  'digits after a dot': `1.${'1'.repeat(MANY)}x`,
  'parts without end': `${'1m'.repeat(MANY / 2)}x`,
  'spaces within': `1${' '.repeat(MANY)}1s`,
};
for (const [sentence, text] of Object.entries(LONG)) {
  test(`as long as an annotation can be, and no duration: ${sentence}`, () => {
    assert.equal(parseGoDurationMs(text), undefined);
    assert.equal(parseDurationMs(text), undefined);
    assert.equal(parseRolloutLimit(`1/${text}`), undefined);
    assert.equal(parseRolloutLimit(`1${' '.repeat(MANY)}${text}`), undefined);
  });
}
