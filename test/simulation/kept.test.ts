/** The histories that failed once. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { check } from './check.ts';
import type { History } from './history.ts';

const REGRESSIONS = new URL('regressions/', import.meta.url);

for (const file of readdirSync(REGRESSIONS).filter((name) => name.endsWith('.json'))) {
  const history = JSON.parse(readFileSync(new URL(file, REGRESSIONS), 'utf8')) as History;
  test(`${file}: ${history.why}`, async () => {
    assert.ok(history.why, 'a history that is kept says why');
    assert.deepEqual(await check(history), []);
  });
}
