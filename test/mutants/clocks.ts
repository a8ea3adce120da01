/** Sabotages of the clock that waits go by. */

import { change } from './edit.ts';
import type { Mutant } from './table.ts';

/** Each sees waits of another area while the time of day jumps. */
const WAITS: Readonly<Record<string, string>> = {
  'the whole program': 'test/simulation/clock-jumps.test.ts',
  'intervals between rollouts': 'test/simulation/flapping.test.ts',
  windows: 'test/unit/queue/quiet-period.test.ts',
  rollouts: 'test/unit/rollout/rollout-races.test.ts',
  'writes of the state': 'test/unit/state/state-committer.test.ts',
  'rollouts of owners': 'test/unit/tracking/external-rollout-deadlines.test.ts',
  'missing rights': 'test/unit/app/preflight.test.ts',
  credentials: 'test/unit/kubernetes/credentials.test.ts',
  watches: 'test/unit/kubernetes/reflector.test.ts',
  'durations of requests': 'test/unit/kubernetes/wrapped-send.test.ts',
};

/** Every one of them must be noticed. */
export const CLOCK_MUTANTS: readonly Mutant[] = [
  ...Object.entries(WAITS).map(([area, file]) => ({
    name: `clocks: waits go by the time of day: ${area}`,
    edit: change('monotonicMs', 'performance.now()', 'Date.now()'),
    tests: [file],
  })),
  {
    name: 'clocks: the end of a pause is not looked at before it was expected',
    edit: change('sleepOf', 'LONGEST_SLEEP_MS', 'Number.POSITIVE_INFINITY'),
    tests: ['test/simulation/pauses.test.ts'],
  },
  {
    name: 'clocks: a paused Deployment is read each minute',
    edit: change('pauses', 'afterMs > 0', 'false'),
    tests: ['test/unit/repair/pauses.test.ts'],
  },
  {
    name: 'clocks: people are told no time of day',
    edit: change('RolloutAttempts.#plan', 'changedAt / 1000', 'since / 1000'),
    tests: ['test/unit/rollout/rollout-races.test.ts'],
  },
];
