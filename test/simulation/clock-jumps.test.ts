/** Clocks that are set forward and back: no wait is any nearer to its end, and none is farther. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyOf } from './check.ts';
import { FLAVOURS, type Flavour } from './flavours.ts';
import { type History, JUMPS_MS, type Step } from './history.ts';
import { run } from './world.ts';

/** A time of day that is said to people, the id of a stamp, and the names that a hash of it is part of. */
const TIMES =
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z|\b(?=[a-z]*\d)[0-9a-z]{9,16}\b|(?<=-)[0-9a-z]{5,16}(?=-\w@)/g;

const SLOTS = [0, 1, 2] as const;

/**
 * What happens and when, where before each step all clocks jump by what `jumps` tells in turn, and then that of one process by
 * what it tells next; without what is read on a clock.
 */
async function factsOf(history: History, jumps: readonly number[]): Promise<readonly string[]> {
  const steps = history.steps.flatMap((step, index): Step[] => [
    { do: 'jump', ms: jumps[index % jumps.length] ?? 0 },
    { do: 'jump', ms: jumps[(index + 1) % jumps.length] ?? 0, slot: SLOTS[index % SLOTS.length] ?? 0 },
    step,
  ]);
  const { facts } = await run({ ...history, steps });
  return facts.map((fact) => JSON.stringify(fact).replaceAll(TIMES, 'then'));
}

/**
 * Pauses, holds and reload windows end by the time of day: pauses.test.ts, and the tests of gates, have what jumps do to them. Who
 * waits for a rollout of another client, as in histories of owners and rights, is asked once more after a jump.
 */
const BY_THE_TIME_OF_DAY: readonly Flavour[] = ['pauses', 'holds', 'owners', 'rights', 'together'];

for (const flavour of FLAVOURS.filter((each) => !BY_THE_TIME_OF_DAY.includes(each))) {
  test(`in a history of ${flavour} all happens as it would without jumps, and when it would`, async () => {
    for (const seed of [1, 2, 3]) {
      const history = historyOf(flavour, seed);
      assert.deepEqual(await factsOf(history, JUMPS_MS), await factsOf(history, [0]));
    }
  });
}
