/** Sabotages of how often workloads are rolled. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const FLAPPING = 'test/simulation/flapping.test.ts';

/** Every one of them must be noticed. */
export const PACE_MUTANTS: readonly Mutant[] = [
  {
    name: 'paces: no window is lengthened',
    edit: change('lengthened', 'doublings === 0', 'true'),
    tests: [FLAPPING],
  },
  {
    name: 'paces: a window is lengthened once and no more',
    edit: change('RolloutPace.rolled', 'doublings + 1', '1'),
    tests: [FLAPPING],
  },
  {
    name: 'paces: who was calm is not forgiven',
    edit: change('RolloutPace.#recent', 'monotonicMs() - past.calmSince < memoryMs', 'true'),
    tests: [FLAPPING],
  },
  {
    name: 'paces: a window that lasts longer than the limit counts is forgotten in the middle',
    edit: drop('RolloutPace.windowOf', 'past.calmSince = Number.POSITIVE_INFINITY'),
    tests: [FLAPPING],
  },
  {
    name: 'paces: the least interval is not kept',
    edit: change('RolloutPace.windowOf', 'max()', 'lengthened(ms, past.doublings)'),
    tests: [FLAPPING],
  },
  {
    name: 'windows: each touch begins a timer',
    edit: change(
      'QuietPeriod.touch',
      'return window.endsAt - now;',
      'this.#wait(key, window); return window.endsAt - now;',
    ),
    tests: ['test/unit/queue/quiet-period.test.ts'],
  },
  {
    name: 'windows: a touch moves no end',
    edit: drop('QuietPeriod.touch', 'window.endsAt = Math.min(now + window.quietMs, window.latestAt);'),
    tests: ['test/unit/queue/quiet-period.test.ts'],
  },
  {
    name: 'stamps: a number that is made up counts',
    edit: change('stampsOn', 'number <= highest', 'true'),
    tests: ['test/unit/controller/stamps.test.ts'],
  },
];
