/** The histories that a test file tries: so many of one flavour. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeFailure, shrunk, trySeed } from './check.ts';
import type { Flavour } from './flavours.ts';

/** What each share is a part of. The shares of all test files make up some 1.9 of it. @default 2000 */
const HISTORIES = Number(process.env['SIMULATION_HISTORIES'] ?? 2000);
/** The first seed. */
const SEED = Number(process.env['SIMULATION_SEED'] ?? 1);

/** `npm run simulate` takes longer. */
const SHRINK_MS = 20_000;

/** Adds a test that tries `share` of that many histories, in that flavour. */
export function tryHistories(flavour: Flavour, share: number): void {
  const count = Math.ceil(HISTORIES * share);
  test(`${count} ${flavour} histories from seed ${SEED} break no law`, async () => {
    for (let seed = SEED; seed < SEED + count; seed += 1) {
      const failure = await trySeed(flavour, seed);
      if (failure !== undefined) assert.fail(describeFailure(await shrunk(failure, SHRINK_MS)));
    }
  });
}
