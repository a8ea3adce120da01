/** Times in metadata, and what they say. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochSecondsOf, isAfter, lastWriteOf } from '../../../lib/model/time.ts';

const NOON = '2026-01-01T12:00:00Z';
const LATER = '2026-01-01T12:00:02Z';

test('the last write is the latest of all managers, whatever they wrote', () => {
  const managedFields = [{ time: NOON }, { time: LATER, subresource: 'status' }, { time: NOON }];
  assert.equal(lastWriteOf({ managedFields }), Date.parse(LATER) / 1000);
});

test('nothing is known where managers are stripped, or one of them says no time, or none that is one', () => {
  for (const managedFields of [undefined, [], [{ time: NOON }, {}], [{ time: NOON }, { time: 'soon' }]])
    assert.equal(lastWriteOf(managedFields === undefined ? {} : { managedFields }), undefined);
  assert.equal(epochSecondsOf(undefined), undefined);
  assert.equal(epochSecondsOf(NOON), Date.parse(NOON) / 1000);
});

test('a moment is after another one by more than a second, and if both are known', () => {
  assert.equal(isAfter(1002, 1000), true);
  assert.equal(isAfter(1001, 1000), false);
  assert.equal(isAfter(undefined, 1000), false);
  assert.equal(isAfter(1002, undefined), false);
});
