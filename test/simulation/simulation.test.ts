/** Histories full of trouble, and those that failed once. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { check } from './check.ts';
import { tryHistories } from './histories.ts';
import type { History } from './history.ts';

const REGRESSIONS = new URL('regressions/', import.meta.url);

for (const file of readdirSync(REGRESSIONS).filter((name) => name.endsWith('.json'))) {
  const history = JSON.parse(readFileSync(new URL(file, REGRESSIONS), 'utf8')) as History;
  test(`${file}: ${history.why}`, async () => {
    assert.ok(history.why, 'a history that is kept says why');
    assert.deepEqual(await check(history), []);
  });
}

tryHistories('faults', 0.15);
tryHistories('replicas', 0.1);
tryHistories('everything', 0.1);
tryHistories('shards', 0.1);
tryHistories('presence', 0.09);
