/** Sabotages of how often workloads are rolled. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const TAKE_BACKS = 'test/simulation/take-backs.test.ts';
const WORKLOADS = 'test/unit/tracking/observe-workload.test.ts';
const ROLLOUTS = 'test/unit/rollout/rollout-controller.test.ts';
const FLAPPING = 'test/simulation/flapping.test.ts';
const CERTIFICATES = 'test/unit/rollout/awaited-certificates.test.ts';
const ISSUED = 'test/simulation/certificates.test.ts';
const ISSUED_BY_CHANCE = 'test/simulation/simulation-certificates.test.ts';

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
    name: 'take-backs: they are never too many',
    edit: change('isGivenUp', 'takeBacks >= MOST_TRIES', 'false'),
    tests: [TAKE_BACKS],
  },
  {
    name: 'take-backs: another content is not tried',
    edit: drop('observeEdge', 'beginAnew()'),
    tests: [WORKLOADS],
  },
  {
    name: 'take-backs: another template is not tried',
    edit: drop('diffWorkload', 'beginAnew()'),
    tests: [WORKLOADS],
  },
  {
    name: 'take-backs: who was given up is not spurred',
    edit: drop('beginAnew', "effects.enqueue(key, { type: 'retry-now' })"),
    tests: [WORKLOADS],
  },
  {
    name: 'take-backs: those after a rollout do not count',
    edit: change('noticeTakeBack', "diff.takenBack === 'no'", 'false'),
    tests: [WORKLOADS],
  },
  {
    name: 'take-backs: stamps of a peer do not count',
    edit: drop('afterWrites', "if (diff.takenBack === 'no') diff.takenBack = 'by a peer';"),
    tests: [WORKLOADS],
  },
  {
    name: 'take-backs: who was taken back is rolled again without a pause',
    edit: change('WindowLengths.askedOf', 'record.takeBacks > 0', 'false'),
    tests: ['test/unit/rollout/rollout-races.test.ts'],
  },
  {
    name: 'take-backs: a stamp of a peer is told as a revert',
    edit: change(
      'noteTakeBack',
      "takenBack !== 'before it had rolled'",
      "takenBack === 'after it had rolled'",
    ),
    tests: [WORKLOADS],
  },
  {
    name: 'take-backs: who is given up is tried for ever',
    edit: change('RolloutController.#resultOf', 'Number.POSITIVE_INFINITY', '0'),
    tests: [ROLLOUTS],
  },
  {
    name: 'paces: a window grows beyond ten minutes',
    edit: drop('lengthened', 'LONGEST_WINDOW_MS'),
    tests: [FLAPPING],
  },
  {
    name: 'paces: nobody is told when the next rollout comes',
    edit: drop('WindowLengths.opened', 'onSlowed()'),
    tests: [ROLLOUTS],
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
    name: 'certificates: one of an issuer counts as temporary',
    edit: change('config-object/annotationsOf', "(annotations[ISSUER_ANNOTATION] ?? '') === ''", 'true'),
    tests: ['test/unit/model/config-object.test.ts'],
  },
  {
    name: 'certificates: no window waits for that of the issuer',
    edit: drop('AwaitedCertificates.windowOf', 'this.#workloads.add(workload)'),
    tests: [CERTIFICATES],
  },
  {
    name: 'certificates: that of the issuer waits too',
    edit: change('AwaitedCertificates.isOver', '!awaitsCertificates(this.#store, workload)', 'false'),
    tests: [CERTIFICATES],
  },
  {
    name: 'certificates: a change of another object waits too',
    edit: drop(
      'awaitsCertificates',
      'if (object === undefined || !isTemporaryCertificate(object)) return false;',
    ),
    tests: [CERTIFICATES],
  },
  {
    name: 'certificates: a temporary one is rolled out at once',
    edit: change('AwaitedCertificates.windowOf', '!awaitsCertificates(this.#store, workload)', 'true'),
    tests: [ISSUED, ISSUED_BY_CHANCE],
  },
  {
    name: 'certificates: that of the issuer waits for the end of the ten minutes',
    edit: drop('WindowLengths.isOver', 'this.certificates.isOver(workload)'),
    tests: [ISSUED, ISSUED_BY_CHANCE],
  },
  {
    name: 'certificates: a temporary one that stays is not rolled out for an hour',
    edit: change('awaited-certificates/LONGEST_WAIT_MS', '600_000', '3_600_000'),
    tests: [ISSUED, ISSUED_BY_CHANCE],
  },
  {
    name: 'certificates: each temporary one prolongs the wait',
    edit: change(
      'AwaitedCertificates.isOver',
      '!awaitsCertificates(this.#store, workload)',
      'awaitsCertificates(this.#store, workload)',
    ),
    tests: [CERTIFICATES],
  },
  {
    name: 'certificates: a commit waits for that of the issuer',
    edit: drop('RolloutController.isWaiting', 'this.#windows.certificates.has(workload)'),
    tests: [CERTIFICATES],
  },
  {
    name: 'stamps: a number that is made up counts',
    edit: change('stampsOn', 'number <= highest', 'true'),
    tests: ['test/unit/tracking/stamps.test.ts'],
  },
];
