/** The `pause-period` of workloads: a pause of a Deployment, a longer window of a workload that cannot be paused. */

import { type Pause, type PausePatch, pauseSince } from '../model/hold.ts';
import { parseGoDurationMs } from '../model/time.ts';
import type { Workload } from '../model/workload.ts';
import type { PauseKeys } from './vocabulary.ts';

/** See the file's comment. */
export class Pausing {
  readonly #keys: PauseKeys | undefined;
  readonly #windowMs: number;

  /** `keys`: the annotations, if a vocabulary has them; `windowMs`: the window of workloads without one. */
  constructor(keys: PauseKeys | undefined, windowMs: number) {
    this.#keys = keys;
    this.#windowMs = windowMs;
  }

  /** The present pause that a reloader began; undefined if the workload is not paused, or a person paused it. */
  pauseOf(workload: Workload): Pause | undefined {
    const since = this.#keys && workload.annotations[this.#keys.pausedAt];
    if (workload.isPaused !== true || since === undefined) return undefined;
    return pauseSince(since, this.#periodMsOf(workload) ?? 0);
  }

  /** The `paused-at` that a pause has left on a workload that is not paused any more. */
  leftBehind({ isPaused, annotations }: Workload): Pause | undefined {
    const since = isPaused === false && this.#keys ? annotations[this.#keys.pausedAt] : undefined;
    return since === undefined ? undefined : { since, periodMs: 0, endsAt: Number.NEGATIVE_INFINITY };
  }

  /** For how long a rollout that begins now pauses the workload, in ms; 0: not at all. */
  pauseMsOf(workload: Workload): number {
    return workload.isPaused === false ? (this.#periodMsOf(workload) ?? 0) : 0;
  }

  /** The fields by which a rollout at the time `now` begins a pause; undefined if it begins none. */
  begin(workload: Workload, now: string): PausePatch | undefined {
    if (this.#keys === undefined || this.pauseMsOf(workload) === 0) return undefined;
    return { paused: true, annotations: { [this.#keys.pausedAt]: now } };
  }

  /** The fields that end the pause of a workload, or remove a leftover `paused-at`. */
  end({ isPaused }: Workload): PausePatch {
    const annotations = this.#keys === undefined ? {} : { [this.#keys.pausedAt]: null };
    return isPaused === true ? { paused: null, annotations } : { annotations };
  }

  /** The minimum window of a workload in ms; a Deployment has a pause instead, so it needs none. */
  windowMsOf(workload: Workload): number {
    const own = this.#periodMsOf(workload);
    if (own === undefined) return this.#windowMs;
    return workload.isPaused === undefined ? own : 0;
  }

  /** Undefined without the annotation, and if its value cannot be parsed. */
  #periodMsOf({ annotations }: Workload): number | undefined {
    const text = this.#keys && annotations[this.#keys.period];
    return text === undefined ? undefined : parseGoDurationMs(text);
  }
}
