/** The sabotages take long to try; that they still fit is seen at once. */

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { ALL_MUTANTS, misfits } from './mutants/all.ts';

test('every sabotage finds its line in the source, once', () => {
  assert.deepEqual(misfits(path.join(import.meta.dirname, '..'), ALL_MUTANTS), []);
});
