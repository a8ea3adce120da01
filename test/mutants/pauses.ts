/** Sabotages of pauses and of longer windows. */

import type { Mutant } from './table.ts';

const ENDS = 'lib/controller/pauses.ts';
const PATCHES = 'lib/controller/live-patches.ts';
const WORDS = 'lib/dialects/pausing.ts';
const BY_RULES = ['test/unit/controller/pauses.test.ts', 'test/simulation/pauses.test.ts'];
const BY_WORDS = ['test/unit/dialects/pausing.test.ts', 'test/simulation/pauses.test.ts'];

/** Every one of them must be noticed. */
export const PAUSE_MUTANTS: readonly Mutant[] = [
  {
    name: 'pauses: each patch begins one anew',
    file: WORDS,
    find: 'this.#keys === undefined || workload.isPaused !== false',
    replace: 'this.#keys === undefined || workload.isPaused === undefined',
    tests: BY_WORDS,
  },
  {
    name: 'pauses: that of a person is ended',
    file: WORDS,
    find: 'if (workload.isPaused !== true || since === undefined) return undefined;',
    replace:
      "if (workload.isPaused !== true) return undefined; if (since === undefined) return pauseSince('', 0);",
    tests: BY_WORDS,
  },
  {
    name: 'pauses: what a person resumed counts as paused',
    file: WORDS,
    find: 'workload.isPaused !== true || since',
    replace: 'since',
    tests: BY_WORDS,
  },
  {
    name: 'pauses: their beginning stays when a person has ended one',
    file: ENDS,
    find: '?? pausing.leftBehind(workload)',
    replace: '',
    tests: BY_RULES,
  },
  {
    name: 'pauses: a Deployment has a longer window too',
    file: WORDS,
    find: 'workload.isPaused === undefined ? own : 0',
    replace: 'own',
    tests: BY_WORDS,
  },
  {
    name: 'pauses: the timer is believed',
    file: ENDS,
    find: 'remainingMs(pause, Date.now()) <= 0)',
    replace: 'Date.now() > 0)',
    tests: BY_RULES,
  },
  {
    name: 'pauses: a look that fails is the last',
    file: PATCHES,
    find: "return this.#putOff(key, subject, { reason: 'retry', ...reading });",
    replace: 'return;',
    tests: BY_RULES,
  },
  {
    name: 'pauses: a refused end is not tried again',
    file: PATCHES,
    find: "return this.#putOff(key, subject, { reason: 'refused', message: result.message });",
    replace: 'return;',
    tests: BY_RULES,
  },
  {
    name: 'pauses: an empty answer is believed',
    file: PATCHES,
    find: "(answered.resourceVersion !== '' && isDone(answered))",
    replace: 'isDone(answered)',
    tests: BY_RULES,
  },
  {
    name: 'pauses: an answer is believed that shows the workload paused',
    file: PATCHES,
    find: "(answered.resourceVersion !== '' && isDone(answered))",
    replace: "answered.resourceVersion !== ''",
    tests: BY_RULES,
  },
  {
    name: 'pauses: a conflict is the end of it',
    file: PATCHES,
    find: 'return this.#again(key, subject, CONFLICT_BACKOFF);',
    replace: 'return;',
    tests: BY_RULES,
  },
  {
    name: 'pauses: those of the first list are left alone',
    file: ENDS,
    find: "if (event.type !== 'present') return;",
    replace: "if (event.type !== 'present' || event.isInInitialList) return;",
    tests: BY_RULES,
  },
  {
    name: 'pauses: at a start nobody waits for the other lists',
    file: ENDS,
    find: 'event.isInInitialList ? this.#options.quietMs : 0',
    replace: '0',
    tests: BY_RULES,
  },
  {
    name: 'pauses: a rollout that is about to be written is not waited for',
    file: ENDS,
    find: '!paused.hasWaited && isWaiting(key)',
    replace: 'isWaiting === undefined',
    tests: BY_RULES,
  },
  {
    name: 'pauses: changes put the end off for ever',
    file: ENDS,
    find: '!paused.hasWaited && isWaiting(key)',
    replace: 'isWaiting(key)',
    tests: BY_RULES,
  },
  {
    name: 'pauses: one that was ended is not ended again',
    file: ENDS,
    find: 'if (object !== undefined) this.#paused.delete(key);',
    replace: '',
    tests: BY_RULES,
  },
  {
    name: 'pauses: a beginning in the far future is believed',
    file: 'lib/model/pause.ts',
    find: 'left > 2 * periodMs ? 0 : Math.max(0, left)',
    replace: 'Math.max(0, left)',
    tests: ['test/unit/model/pause.test.ts'],
  },
  {
    name: 'pauses: one is begun although nothing is patched',
    file: 'lib/controller/rollout.ts',
    find: 'edges.onlyTells ? undefined : edges.dialect.pausing.begin(record.workload, now)',
    replace: 'edges.dialect.pausing.begin(record.workload, now)',
    tests: ['test/unit/controller/rollout.test.ts'],
  },
  {
    name: 'pauses: they count as holds',
    file: 'lib/controller/notices.ts',
    find: 'isStamped && dialect.pausing.pauseOf(workload) === undefined ? held(workload) : []',
    replace: 'isStamped ? held(workload) : []',
    tests: ['test/unit/controller/notices.test.ts'],
  },
  {
    name: 'windows: a longer one holds up commits',
    file: 'lib/controller/rollout-controller.ts',
    find: 'openedAt === undefined || this.#windowOf(workload).quietMs > longestMs',
    replace: 'openedAt === undefined',
    tests: ['test/unit/controller/rollout-races.test.ts'],
  },
  {
    name: 'windows: one that is asked for makes others shorter',
    file: 'lib/controller/rollout-controller.ts',
    find: 'Math.max(maxWaitMs, ownMs)',
    replace: 'ownMs || maxWaitMs',
    tests: ['test/unit/controller/rollout-races.test.ts'],
  },
  {
    name: 'windows: one that is open changes its length',
    file: 'lib/queue/quiet-period.ts',
    find: 'Math.min(now + window.quietMs',
    replace: 'Math.min(now + this.#options.windowOf(key).quietMs',
    tests: ['test/unit/queue/quiet-period.test.ts'],
  },
  {
    name: 'two writes of one workload at once',
    file: 'lib/controller/one-at-a-time.ts',
    find: 'lines.get(key)?.then(send) ?? send()',
    replace: 'send()',
    tests: ['test/unit/controller/one-at-a-time.test.ts'],
  },
];
