import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  formatDuration,
  MAX_DURATION_MS,
  parseDurationMs,
  parseGoDurationMs,
} from '../../../lib/model/duration.ts';

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
