/** The annotations of a workload that limit how often it is rolled, and those that pause it. */

import { type Pause, type PausePatch, pauseSince } from '../model/hold.ts';
import { type Pace, parseRolloutLimit } from '../model/settings.ts';
import { parseDurationMs, parseGoDurationMs } from '../model/time.ts';
import type { Workload } from '../model/workload.ts';
import type { Checks } from './malformed.ts';
import { NATIVE_PREFIX, type PauseKeys } from './vocabulary.ts';

const INTERVAL: string = `${NATIVE_PREFIX}/min-rollout-interval`;
const LIMIT: string = `${NATIVE_PREFIX}/rollout-limit`;

/** The annotations that are read here; they count with any vocabularies in use. */
export const PACE_CHECKS: Checks = {
  [INTERVAL]: (value) =>
    parseDurationMs(value) === undefined
      ? 'is no duration; write such as 30s, 5m or 1h30m'
      : unitless(value, 'as in 30s, 5m or 1h30m'),
  [LIMIT]: (value) =>
    parseRolloutLimit(value) === undefined
      ? 'is no limit; write such as 20/1h, or off'
      : unitless(value, 'as in 20/1h'),
};

function unitless(value: string, as: string): string | undefined {
  return /(?:^|\/)\s*[1-9]\d*\s*$/.test(value) ? `counts as milliseconds; write a unit, ${as}` : undefined;
}

/** The pace of a workload: `usual` applies without an annotation, and if its value cannot be parsed. */
export function paceOf({ annotations }: Workload, usual: Pace): Pace {
  const limit = parseRolloutLimit(annotations[LIMIT] ?? '') ?? usual.limit;
  return {
    minIntervalMs: parseDurationMs(annotations[INTERVAL] ?? '') ?? usual.minIntervalMs,
    limit: limit === 'off' ? undefined : limit,
  };
}

/** The `pause-period` of workloads: a pause of a Deployment, a longer window of a workload that cannot be paused. */
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
