/** Sabotages of how often workloads are rolled. */

import type { Mutant } from './table.ts';

const FILE = 'lib/controller/rollout-pace.ts';
const FLAPPING = 'test/simulation/flapping.test.ts';

/** Every one of them must be noticed. */
export const PACE_MUTANTS: readonly Mutant[] = [
  {
    name: 'paces: no window is lengthened',
    file: FILE,
    find: 'if (doublings === 0) return ms;',
    replace: 'return ms;',
    tests: [FLAPPING],
  },
  {
    name: 'paces: a window is lengthened once and no more',
    file: FILE,
    find: 'doublings: isTooMany ? doublings + 1 : 0,',
    replace: 'doublings: isTooMany ? 1 : 0,',
    tests: [FLAPPING],
  },
  {
    name: 'paces: who was calm is not forgiven',
    file: FILE,
    find: 'if (monotonicMs() - past.calmSince < memoryMs) return past;',
    replace: 'return past;',
    tests: [FLAPPING],
  },
  {
    name: 'paces: a window that lasts longer than the limit counts is forgotten in the middle',
    file: FILE,
    find: 'past.calmSince = Number.POSITIVE_INFINITY;',
    replace: '',
    tests: [FLAPPING],
  },
  {
    name: 'paces: the least interval is not kept',
    file: FILE,
    find: 'Math.max(lengthened(ms, past.doublings), remainingMs)',
    replace: 'lengthened(ms, past.doublings)',
    tests: [FLAPPING],
  },
];
