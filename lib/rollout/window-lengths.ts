/**
 * How long the window of a workload lasts: by the flags, its annotations and its pace, which slows workloads whose objects change for
 * ever. Once a workload was rolled more often than its limit allows, its window doubles with each further rollout, up to ten
 * minutes, until it has been up to date for as long as the limit counts. No change is lost: each rollout brings the current content.
 */

import type { ObjectKey, WorkloadRef } from '../model/object-ref.ts';
import { type Pace, UNHURRIED } from '../model/settings.ts';
import { monotonicMs } from '../model/time.ts';
import type { WindowLength } from '../queue/quiet-period.ts';
import type { Store } from '../store/store.ts';
import { isUrgentFor } from '../tracking/gate.ts';

/** The settings of `WindowLengths`. */
export interface WindowLengthsOptions extends WindowLength {
  readonly store: Store;
  /** A window was lengthened, since its workload is rolled too often. */
  readonly onSlowed: (ref: WorkloadRef, atTheLatestMs: number) => void;
}

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
/** The least window once a stamp was reverted: two processes that both lead find out by the state's marks before it ends. */
const CONTESTED_WINDOW_MS = 1000;

/** See the file's comment. Rollouts are remembered in memory only: a restart forgets the counts. */
export class WindowLengths {
  readonly #options: WindowLengthsOptions;
  readonly #past = new Map<ObjectKey, Past>();

  constructor(options: WindowLengthsOptions) {
    this.#options = options;
  }

  /** The length of the window that opens now; a lengthened one is reported. Not pure: the workload now waits for a rollout. */
  opened(key: ObjectKey): WindowLength {
    const { store, onSlowed } = this.#options;
    const asked = this.askedOf(key);
    const past = this.#recent(key);
    if (past === undefined) return asked;
    const lastAt = past.times.at(-1) ?? Number.NEGATIVE_INFINITY;
    const remainingMs = lastAt + this.#paceOf(key).minIntervalMs - monotonicMs();
    past.calmSince = Number.POSITIVE_INFINITY;
    const length = (ms: number): number => Math.max(lengthened(ms, past.doublings), remainingMs);
    const window = { quietMs: length(asked.quietMs), maxWaitMs: length(asked.maxWaitMs) };
    const ref = store.workloads.get(key)?.workload.ref;
    if (ref !== undefined && past.doublings > 0) onSlowed(ref, window.maxWaitMs);
    return window;
  }

  /** The window without the pace. One that the workload asks for is a least length, counted from the first change. */
  askedOf(workload: ObjectKey): WindowLength {
    const { store, quietMs, maxWaitMs } = this.#options;
    const record = store.workloads.get(workload);
    if (record === undefined) return { quietMs, maxWaitMs };
    const askedMs = isUrgentFor(store, record)
      ? 0
      : store.settings.vocabularies.pausing.windowMsOf(record.workload);
    const leastMs = Math.max(askedMs, record.takeBacks > 0 ? CONTESTED_WINDOW_MS : 0);
    return { quietMs: Math.max(quietMs, leastMs), maxWaitMs: Math.max(maxWaitMs, leastMs) };
  }

  /** Whether the open window, which ends at `end` by monotonicMs, was for what matters no more: a change in it is urgent. */
  isOver(workload: ObjectKey, end: number): boolean {
    const record = this.#options.store.workloads.get(workload);
    if (record === undefined || this.isSlowed(workload) || !isUrgentFor(this.#options.store, record))
      return false;
    return end - monotonicMs() > this.askedOf(workload).quietMs;
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

  #paceOf(key: ObjectKey): Pace {
    const { store } = this.#options;
    const record = store.workloads.get(key);
    return record === undefined ? UNHURRIED : store.settings.vocabularies.paceOf(record.workload);
  }
}

function lengthened(ms: number, doublings: number): number {
  if (doublings === 0) return ms;
  return Math.max(ms, Math.min(Math.max(ms, LEAST_WINDOW_MS) * 2 ** doublings, LONGEST_WINDOW_MS));
}
