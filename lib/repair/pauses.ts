/**
 * Ends the pauses that reloaders began. When one is over is said by the Deployment alone: a timer only says when to look.
 * So neither a restart nor a failure leaves one paused, whichever reloader paused it, followed or not. Where a person has
 * ended one its beginning is removed, so that a later pause by a person does not count as this one.
 */

import { type Pause, remainingMs } from '../model/hold.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import { fencedPause } from '../model/rollout-plan.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import { type Result, RetryQueue } from '../queue/retry-queue.ts';
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

/** One workload that is paused, as it was seen last. */
interface Paused {
  readonly workload: Workload;
  readonly pause: Pause;
  /** Whether the end was put off for a rollout: that is done once. */
  hasWaited: boolean;
}

const ROLLS_NOW = 'its pause is over: it rolls once with all that changed meanwhile';
const RESUMED_BEFORE =
  'its pause was ended before its time: the annotation that says its beginning is removed';
const STILL_MARKED =
  'resumed, but the annotation that says the beginning of its pause is not removed, which is tried again until it is';

/** A pause ends by the time of day, which may be set at any moment: whether it has ended is asked at least so often. */
const LONGEST_SLEEP_MS = 60_000;

/** See the file's comment. */
export class Pauses {
  readonly #options: PausesOptions;
  readonly #queue: RetryQueue;
  readonly #patches: LivePatches;
  readonly #paused = new Map<ObjectKey, Paused>();

  constructor(options: PausesOptions) {
    this.#options = options;
    this.#queue = new RetryQueue({ ...options, reconcile: (key) => this.#reconcile(key) });
    this.#patches = new LivePatches({
      ...options,
      queue: this.#queue,
      unfinishedOf: ({ isPaused }) =>
        isPaused === true ? 'not resumed, and tried again until it is' : STILL_MARKED,
    });
  }

  /** News of a workload. */
  observe(event: InformerEvent<Workload>): void {
    if (event.type === 'absent') this.#forget(event.key);
    if (event.type !== 'present') return;
    const { key, object: workload } = event;
    const pause = this.#pauseOf(workload);
    const known = this.#paused.get(key)?.pause;
    if (pause === undefined) this.#forget(key);
    else if (known?.since !== pause.since || known.endsAt !== pause.endsAt)
      this.#lookLater(key, workload, pause, event.isInInitialList ? this.#options.quietMs : 0);
  }

  /** An attempt to roll the workload ended: the end of its pause need not wait for it any more. */
  proceed(workload: ObjectKey): void {
    if (this.#paused.get(workload)?.hasWaited) this.#queue.add(workload);
  }

  /** Ends no more pauses; resolves when what is under way is answered. */
  async close(): Promise<void> {
    await this.#queue.close();
  }

  /** The pause that is to be ended, or what is left of one. */
  #pauseOf(workload: Workload): Pause | undefined {
    const { client, store } = this.#options;
    if (client.patch === undefined || workload.isLeftAlone) return undefined;
    const { pausing } = store.settings.vocabularies;
    return pausing.pauseOf(workload) ?? pausing.leftBehind(workload);
  }

  #lookLater(key: ObjectKey, workload: Workload, pause: Pause, atLeastMs: number): void {
    this.#paused.set(key, { workload, pause, hasWaited: false });
    this.#queue.forget(key);
    this.#queue.addAfter(key, Math.max(atLeastMs, sleepOf(pause)));
  }

  #forget(key: ObjectKey): void {
    this.#paused.delete(key);
    this.#queue.forget(key);
  }

  async #reconcile(key: ObjectKey): Promise<Result> {
    const { isWaiting, maxWaitMs } = this.#options;
    const paused = this.#paused.get(key);
    if (paused === undefined) return 'done';
    const ms = sleepOf(paused.pause);
    if (ms > 0) return { afterMs: ms };
    if (paused.workload.isPaused !== true || paused.hasWaited || !isWaiting(key))
      return await this.#end(key, paused);
    paused.hasWaited = true;
    return { afterMs: maxWaitMs };
  }

  async #end(key: ObjectKey, paused: Paused): Promise<Result> {
    let isPaused: boolean | undefined;
    return await this.#patches.patch(key, paused.workload, {
      bodyFor: (live) => {
        isPaused = live.isPaused;
        return this.#endOf(key, live);
      },
      isDone: (answered) => this.#pauseOf(answered) === undefined,
      accepted: (object) => {
        const message = isPaused === true ? ROLLS_NOW : RESUMED_BEFORE;
        this.#options.say(paused.workload, { reason: 'resumed', about: paused.pause.since, message });
        // Of a dry run it stays paused: what is known of it keeps the same from being said with all news.
        if (object !== undefined) this.#paused.delete(key);
      },
    });
  }

  /** What ends the pause of the workload; undefined: there is none, or it lasts longer. */
  #endOf(key: ObjectKey, live: Workload): object | undefined {
    const pause = this.#pauseOf(live);
    if (pause !== undefined && remainingMs(pause, Date.now()) <= 0)
      return fencedPause(live, this.#options.store.settings.vocabularies.pausing.end(live));
    if (pause === undefined) this.#forget(key);
    else this.#lookLater(key, live, pause, 0);
    return undefined;
  }
}

/** For how long nothing is to be done for it. */
function sleepOf(pause: Pause): number {
  return Math.min(remainingMs(pause, Date.now()), LONGEST_SLEEP_MS);
}
