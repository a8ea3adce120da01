/** Sabotages of pauses and of longer windows. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const BY_RULES = ['test/unit/repair/pauses.test.ts', 'test/simulation/pauses.test.ts'];
const BY_WORDS = ['test/unit/annotations/pausing.test.ts', 'test/simulation/pauses.test.ts'];

/** Every one of them must be noticed. */
export const PAUSE_MUTANTS: readonly Mutant[] = [
  {
    name: 'pauses: each patch begins one anew',
    edit: change('Pausing.pauseMsOf', 'workload.isPaused === false', 'workload.isPaused !== undefined'),
    tests: BY_WORDS,
  },
  {
    name: 'pauses: that of a person is ended',
    edit: change(
      'Pausing.pauseOf',
      'if (workload.isPaused !== true || since === undefined) return undefined;',
      "if (workload.isPaused !== true) return undefined; if (since === undefined) return pauseSince('', 0);",
    ),
    tests: BY_WORDS,
  },
  {
    name: 'pauses: what a person resumed counts as paused',
    edit: drop('Pausing.pauseOf', 'workload.isPaused !== true'),
    tests: BY_WORDS,
  },
  {
    name: 'pauses: their beginning stays when a person has ended one',
    edit: drop('pauses', 'leftBehind()'),
    tests: BY_RULES,
  },
  {
    name: 'pauses: a Deployment has a longer window too',
    edit: change('Pausing.windowMsOf', 'workload.isPaused === undefined', 'true'),
    tests: BY_WORDS,
  },
  {
    name: 'pauses: the timer is believed',
    edit: change('LivePatches.#reconcile', 'this.#rule.delayOf(due, false) > 0', 'false'),
    tests: BY_RULES,
  },
  {
    name: 'pauses: a look that fails is the last',
    edit: change('LivePatches.#reconcile', "this.#putOff(key, task, 'retry', reading)", "'done'"),
    tests: BY_RULES,
  },
  {
    name: 'pauses: a refused end is not tried again',
    edit: change('LivePatches.#patch', "this.#putOff(key, task, 'refused', result)", "'done'"),
    tests: BY_RULES,
  },
  {
    name: 'pauses: an empty answer is believed',
    edit: drop('LivePatches.#patch', 'hasVersion(object)'),
    tests: BY_RULES,
  },
  {
    name: 'pauses: an answer is believed that shows the workload paused',
    edit: drop('LivePatches.#patch', 'this.#isDone()'),
    tests: BY_RULES,
  },
  {
    name: 'pauses: a conflict is the end of it',
    edit: change('LivePatches.#patch', 'this.#queue.backOff()', "'done'"),
    tests: BY_RULES,
  },
  {
    name: 'pauses: those of the first list are left alone',
    edit: change(
      'LivePatches.observe',
      "event.type !== 'present'",
      "event.type !== 'present' || event.isInInitialList",
    ),
    tests: BY_RULES,
  },
  {
    name: 'pauses: at a start nobody waits for the other lists',
    edit: change('pauses', 'isInInitialList ? quietMs : 0', '0'),
    tests: BY_RULES,
  },
  {
    name: 'pauses: a rollout that is about to be written is not waited for',
    edit: change('pauses', 'isWaiting()', 'false'),
    tests: BY_RULES,
  },
  {
    name: 'pauses: changes put the end off for ever',
    edit: change('pauses', 'paused.hasWaited = true;', ';'),
    tests: BY_RULES,
  },
  {
    name: 'pauses: one that was ended is not ended again',
    edit: change('LivePatches.#patch', 'this.#tasks.delete(key);', ';'),
    tests: BY_RULES,
  },
  {
    name: 'pauses: a beginning in the far future is believed',
    edit: change('remainingMs', 'left > 2 * periodMs', 'false'),
    tests: ['test/unit/model/pause.test.ts'],
  },
  {
    name: 'pauses: one is begun although nothing is patched',
    edit: change('planRollout', 'store.settings.onlyTells', 'false'),
    tests: ['test/unit/tracking/rollout-decision.test.ts'],
  },
  {
    name: 'pauses: they count as holds',
    edit: drop('findings/RULES', 'vocabularies.pausing.pauseOf(workload) === undefined'),
    tests: ['test/unit/report/findings.test.ts'],
  },
  {
    name: 'windows: a longer one holds up commits',
    edit: drop('RolloutController.isWaiting', 'this.#windows.askedOf(workload).quietMs > longestMs'),
    tests: ['test/unit/rollout/rollout-races.test.ts'],
  },
  {
    name: 'windows: one that is asked for makes others shorter',
    edit: change('WindowLengths.askedOf', 'Math.max(maxWaitMs, ownMs)', 'ownMs || maxWaitMs'),
    tests: ['test/unit/rollout/rollout-races.test.ts'],
  },
  {
    name: 'windows: one that is open changes its length',
    edit: change('QuietPeriod.touch', 'window.quietMs', 'this.#options.windowOf(key).quietMs'),
    tests: ['test/unit/queue/quiet-period.test.ts'],
  },
  {
    name: 'two writes of one workload at once',
    edit: drop('oneAtATime', 'then()'),
    tests: ['test/unit/rollout/one-at-a-time.test.ts'],
  },
];
