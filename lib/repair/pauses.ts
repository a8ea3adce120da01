/**
 * Ends the pauses that reloaders began. When one is over is said by the Deployment alone: a timer only says when to look.
 * So neither a restart nor a failure leaves one paused, whichever reloader paused it, followed or not. Where a person has
 * ended one its beginning is removed, so that a later pause by a person does not count as this one.
 */

import type { Pausing } from '../annotations/pausing.ts';
import { type Pause, remainingMs } from '../model/hold.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import { fencedPause } from '../model/rollout-plan.ts';
import { LivePatches, type PatchingOptions } from './live-patches.ts';

/** What the pauses are ended with. */
export interface PausesOptions extends PatchingOptions {
  /** Whether a rollout of the workload is about to be written: then it goes with the others that the pause held up. */
  readonly isWaiting: (workload: ObjectKey) => boolean;
  /** The quiet period, which lets a process that has just begun hear of the rest first. */
  readonly quietMs: number;
  /** The longest that the end of a pause is put off for a rollout. */
  readonly maxWaitMs: number;
}

const ROLLS_NOW = 'its pause is over: it rolls once with all that changed meanwhile';
const RESUMED_BEFORE =
  'its pause was ended before its time: the annotation that says its beginning is removed';
const STILL_MARKED =
  'resumed, but the annotation that says the beginning of its pause is not removed, which is tried again until it is';

/** A pause ends by the time of day, which may be set at any moment: whether it has ended is asked at least so often. */
const LONGEST_SLEEP_MS = 60_000;

/** See the file's comment. */
export function pauses({ isWaiting, quietMs, maxWaitMs, ...options }: PausesOptions): LivePatches<Pause> {
  const pausing = (): Pausing => options.store.settings.vocabularies.pausing;
  return new LivePatches(options, {
    dueOf: (workload) =>
      workload.isLeftAlone ? undefined : (pausing().pauseOf(workload) ?? pausing().leftBehind(workload)),
    isSame: (one, other) => one.since === other.since && one.endsAt === other.endsAt,
    delayOf: (pause, isInInitialList) => Math.max(isInInitialList ? quietMs : 0, sleepOf(pause)),
    waitOf: (key, paused) => {
      const afterMs = sleepOf(paused.due);
      if (afterMs > 0) return { afterMs };
      if (paused.workload.isPaused !== true || paused.hasWaited || !isWaiting(key)) return undefined;
      paused.hasWaited = true;
      return { afterMs: maxWaitMs };
    },
    patchOf: (live) => fencedPause(live, pausing().end(live)),
    doneOf: ({ isPaused }, { since }) => ({
      reason: 'resumed',
      about: since,
      message: isPaused === true ? ROLLS_NOW : RESUMED_BEFORE,
    }),
    unfinishedOf: ({ isPaused }) =>
      isPaused === true ? 'not resumed, and tried again until it is' : STILL_MARKED,
  });
}

/** For how long nothing is to be done for it. */
function sleepOf(pause: Pause): number {
  return Math.min(remainingMs(pause, Date.now()), LONGEST_SLEEP_MS);
}
