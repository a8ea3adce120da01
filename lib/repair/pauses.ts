/**
 * Ends the pauses that reloaders began, also of Deployments that follow no object. The Deployment's annotations alone decide
 * whether a pause is over; a timer only decides when to read them. So neither a restart nor a failure leaves a Deployment paused,
 * whichever reloader paused it. If a person ended the pause early, the annotation with its begin is removed, so that a later
 * pause by a person does not count as this one.
 */

import type { Pausing } from '../annotations/pausing.ts';
import { type Pause, remainingMs } from '../model/hold.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import { fencedPause } from '../model/rollout-plan.ts';
import { LivePatches, type PatchingOptions } from './live-patches.ts';

/** What is needed to end pauses. */
export interface PausesOptions extends PatchingOptions {
  /** Whether a rollout of the workload is about to be written: then the end of the pause waits for it, once. */
  readonly isWaiting: (workload: ObjectKey) => boolean;
  /** The quiet period: after a start, a pause ends only when changes of that long are known. */
  readonly quietMs: number;
  /** The maximum wait for that rollout. */
  readonly maxWaitMs: number;
}

const ROLLS_NOW = 'its pause is over: it rolls once with all that changed meanwhile';
const RESUMED_BEFORE =
  'its pause was ended before its time: the annotation that says its beginning is removed';
const STILL_MARKED =
  'resumed, but the annotation that says the beginning of its pause is not removed, which is tried again until it is';

/** A pause ends by the time of day, which may be set at any moment: it is checked at least this often. */
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
    write: ({ patch }, live) => patch?.(live.ref, fencedPause(live, pausing().end(live))),
    doneOf: ({ isPaused }, { since }) => ({
      reason: 'resumed',
      about: since,
      message: isPaused === true ? ROLLS_NOW : RESUMED_BEFORE,
    }),
    unfinishedOf: ({ isPaused }) =>
      isPaused === true ? 'not resumed, and tried again until it is' : STILL_MARKED,
  });
}

/** The time until the next check of a pause. */
function sleepOf(pause: Pause): number {
  return Math.min(remainingMs(pause, Date.now()), LONGEST_SLEEP_MS);
}
