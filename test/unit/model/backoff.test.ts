import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffMs } from '../../../lib/model/time.ts';

const BOUNDS = { baseMs: 500, capMs: 30_000 };

const RANGES: Record<string, { attempt: number; lowest: number; highest: number }> = {
  'the first retry comes within the doubled base': { attempt: 0, lowest: 500, highest: 1_000 },
  'the range doubles with each failure': { attempt: 3, lowest: 500, highest: 8_000 },
  'the range ends at the cap': { attempt: 6, lowest: 500, highest: 30_000 },
  'a thousand failures do not overflow': { attempt: 5_000, lowest: 500, highest: 30_000 },
  'a negative attempt counts as the first': { attempt: -1, lowest: 500, highest: 1_000 },
};

for (const [sentence, { attempt, lowest, highest }] of Object.entries(RANGES)) {
  test(sentence, () => {
    assert.equal(
      backoffMs(attempt, BOUNDS, () => 0),
      lowest,
    );
    assert.equal(
      backoffMs(attempt, BOUNDS, () => 1),
      highest,
    );
    assert.equal(
      backoffMs(attempt, BOUNDS, () => 0.5),
      (lowest + highest) / 2,
    );
  });
}

test('a cap below the base leaves the base', () => {
  assert.equal(
    backoffMs(4, { baseMs: 500, capMs: 100 }, () => 0.9),
    500,
  );
});
