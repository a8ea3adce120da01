/**
 * Slows the rollouts of workloads whose objects change for ever. Once a workload was rolled more often than its limit allows,
 * its window doubles with each further rollout, up to ten minutes, until it has been up to date for as long as the limit
 * counts. No change is lost: each rollout brings the content in force.
 */

import type { ObjectKey } from '../model/object-ref.ts';
import type { Pace } from '../model/settings.ts';
import { monotonicMs } from '../model/time.ts';
import type { WindowLength } from '../queue/quiet-period.ts';

/** The recent rollouts of one workload. */
interface Past {
  /** The last rollouts, as many as the limit allows, by monotonicMs. */
  times: readonly number[];
  /** How often its window was doubled. */
  doublings: number;
  /** Since when it is up to date, by monotonicMs; Infinity while it waits for a rollout. */
  calmSince: number;
}

const LONGEST_WINDOW_MS = 600_000;
/** The length that is doubled if the window has none. */
const LEAST_WINDOW_MS = 1000;

/** See the file's comment. Kept in memory only: a restart forgets the counts. */
export class RolloutPace {
  readonly #paceOf: (workload: ObjectKey) => Pace;
  readonly #past = new Map<ObjectKey, Past>();

  /** `paceOf`: the limit and the interval of a workload by its present annotations. */
  constructor(paceOf: (workload: ObjectKey) => Pace) {
    this.#paceOf = paceOf;
  }

  /**
   * The length of the window that opens now; `usual`: its length without the pace. Not pure: the workload now waits for a
   * rollout.
   */
  windowOf(workload: ObjectKey, usual: WindowLength): WindowLength {
    const { minIntervalMs } = this.#paceOf(workload);
    const past = this.#recent(workload);
    if (past === undefined) return usual;
    const lastAt = past.times.at(-1) ?? Number.NEGATIVE_INFINITY;
    const remainingMs = lastAt + minIntervalMs - monotonicMs();
    past.calmSince = Number.POSITIVE_INFINITY;
    const length = (ms: number): number => Math.max(lengthened(ms, past.doublings), remainingMs);
    return { quietMs: length(usual.quietMs), maxWaitMs: length(usual.maxWaitMs) };
  }

  /** The workload was rolled. */
  rolled(workload: ObjectKey): void {
    const { limit, minIntervalMs } = this.#paceOf(workload);
    if (limit === undefined && minIntervalMs === 0) return;
    const { times = [], doublings = 0 } = this.#past.get(workload) ?? {};
    const now = monotonicMs();
    const { rollouts, withinMs } = limit ?? { rollouts: 1, withinMs: minIntervalMs };
    const recent = times.filter((time) => now - time < withinMs);
    const isTooMany = limit !== undefined && (doublings > 0 || recent.length >= rollouts);
    this.#past.set(workload, {
      times: [...recent, now].slice(-rollouts),
      doublings: isTooMany ? doublings + 1 : 0,
      calmSince: now,
    });
  }

  /** The workload became up to date without a rollout. */
  settled(workload: ObjectKey): void {
    const past = this.#past.get(workload);
    if (past !== undefined) past.calmSince = Math.min(past.calmSince, monotonicMs());
  }

  /** Whether the window of the workload is lengthened. */
  isSlowed(workload: ObjectKey): boolean {
    return (this.#recent(workload)?.doublings ?? 0) > 0;
  }

  /** The number of workloads whose window is lengthened. */
  get slowed(): number {
    return [...this.#past.keys()].filter((workload) => this.isSlowed(workload)).length;
  }

  /** Forgets a workload that does not exist or follows nothing any more. */
  forget(workload: ObjectKey): void {
    this.#past.delete(workload);
  }

  /** The recent rollouts; forgotten once the workload has been up to date for as long as its limit counts. */
  #recent(workload: ObjectKey): Past | undefined {
    const past = this.#past.get(workload);
    if (past === undefined) return undefined;
    const { limit, minIntervalMs } = this.#paceOf(workload);
    const memoryMs = Math.max(limit?.withinMs ?? 0, minIntervalMs);
    if (monotonicMs() - past.calmSince < memoryMs) return past;
    this.#past.delete(workload);
    return undefined;
  }
}

function lengthened(ms: number, doublings: number): number {
  if (doublings === 0) return ms;
  return Math.max(ms, Math.min(Math.max(ms, LEAST_WINDOW_MS) * 2 ** doublings, LONGEST_WINDOW_MS));
}
