import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAX_DURATION_MS, parseDurationMs } from '../../../lib/model/duration.ts';

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

test('a duration with units is the sum of its parts', () => {
  const part = fc.nat({ max: 500 });
  fc.assert(
    fc.property(part, part, part, part, (h, m, s, ms) => {
      const want = ((h * 60 + m) * 60 + s) * 1000 + ms;
      assert.equal(parseDurationMs(`${h}h${m}m${s}s${ms}ms`), want);
    }),
  );
});
