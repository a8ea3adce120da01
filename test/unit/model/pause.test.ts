import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pauseSince, pauseWords, remainingMs } from '../../../lib/model/hold.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const MINUTE = 60_000;
const at = (ms: number): string => new Date(ms).toISOString();

/** How long one of five minutes lasts at noon. */
const REMAINING: Record<string, readonly [since: string, want: number]> = {
  'the whole period where it begins now': [at(NOON), 5 * MINUTE],
  'what is left of it': [at(NOON - 2 * MINUTE), 3 * MINUTE],
  'nothing at its end': [at(NOON - 5 * MINUTE), 0],
  'nothing long after': [at(NOON - 5000 * MINUTE), 0],
  'the time zone counts': ['2026-01-01T13:58:00+02:00', 3 * MINUTE],
  'a clock that is a little fast makes it a little longer': [at(NOON + MINUTE), 6 * MINUTE],
  'a beginning that is further away than a period cannot be meant': [at(NOON + 6 * MINUTE), 0],
  'nor one in another century': ['9999-01-01T00:00:00Z', 0],
  'nor one that is no time': ['at noon', 0],
  'nor none': ['', 0],
};

for (const [sentence, [since, want]] of Object.entries(REMAINING)) {
  test(`a pause lasts: ${sentence}`, () => {
    assert.equal(remainingMs(pauseSince(since, 5 * MINUTE), NOON), want);
  });
}

test('without a period it is over', () => {
  assert.equal(remainingMs(pauseSince(at(NOON), 0), NOON), 0);
  assert.equal(remainingMs(pauseSince(at(NOON + MINUTE), 0), NOON), 0);
});

const WORDS: Record<string, string> = {
  [pauseWords(pauseSince(at(NOON), 5 * MINUTE))]:
    'paused since 2026-01-01T12:00:00.000Z, until 2026-01-01T12:05:00.000Z',
  [pauseWords(pauseSince('at noon', MINUTE))]:
    'paused since at noon, for a time that it does not say any more',
  [pauseWords(pauseSince(at(NOON), 0))]:
    'paused since 2026-01-01T12:00:00.000Z, for a time that it does not say any more',
  [pauseWords(pauseSince('+275760-09-13T00:00:00Z', MINUTE))]:
    'paused since +275760-09-13T00:00:00Z, for a time that it does not say any more',
};

for (const [said, want] of Object.entries(WORDS)) test(want, () => assert.equal(said, want));
