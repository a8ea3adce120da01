/** How long workloads want to wait: Deployments by a pause, those that cannot be paused by a longer window. */

import { type Pause, type PausePatch, pauseSince, pauseThatWasEnded } from '../model/hold.ts';
import { parseGoDurationMs } from '../model/time.ts';
import type { Workload } from '../model/workload.ts';
import type { PauseKeys } from './vocabulary.ts';

/** See the file's comment. */
export class Pausing {
  readonly #keys: PauseKeys | undefined;
  readonly #windowMs: number;

  /** `keys`: where workloads say it, if they can; `windowMs`: the window of those that do not. */
  constructor(keys: PauseKeys | undefined, windowMs: number) {
    this.#keys = keys;
    this.#windowMs = windowMs;
  }

  /** The pause of a reloader that the workload is in; undefined: it is not paused, or by a person. */
  pauseOf(workload: Workload): Pause | undefined {
    const since = this.#keys && workload.annotations[this.#keys.pausedAt];
    if (workload.isPaused !== true || since === undefined) return undefined;
    return pauseSince(since, this.#periodMsOf(workload) ?? 0);
  }

  /** The beginning that a pause has left on a workload that is not paused any more. */
  leftBehind(workload: Workload): Pause | undefined {
    const since = this.#keys && workload.annotations[this.#keys.pausedAt];
    return workload.isPaused !== false || since === undefined ? undefined : pauseThatWasEnded(since);
  }

  /** What a rollout at the moment `now` says of pauses: whether it begins one. */
  begin(workload: Workload, now: string): PausePatch | undefined {
    if (this.#keys === undefined || workload.isPaused !== false) return undefined;
    if ((this.#periodMsOf(workload) ?? 0) === 0) return undefined;
    return { paused: true, annotations: { [this.#keys.pausedAt]: now } };
  }

  /** What ends the pause that a workload is in, or removes what is left of one. */
  end({ isPaused }: Workload): PausePatch {
    const annotations = this.#keys === undefined ? {} : { [this.#keys.pausedAt]: null };
    return isPaused === true ? { paused: null, annotations } : { annotations };
  }

  /** How long the window of a workload lasts at least; a Deployment that is paused needs no longer one. */
  windowMsOf(workload: Workload): number {
    const own = this.#periodMsOf(workload);
    if (own === undefined) return this.#windowMs;
    return workload.isPaused === undefined ? own : 0;
  }

  /** Undefined: it does not say, or not so that it can be read. */
  #periodMsOf({ annotations }: Workload): number | undefined {
    const text = this.#keys && annotations[this.#keys.period];
    return text === undefined ? undefined : parseGoDurationMs(text);
  }
}
