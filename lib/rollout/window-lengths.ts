/** How long the window of a workload lasts: by the flags, its annotations and its pace. */

import type { ObjectKey, WorkloadRef } from '../model/object-ref.ts';
import { type Pace, UNHURRIED } from '../model/settings.ts';
import { monotonicMs } from '../model/time.ts';
import type { WindowLength } from '../queue/quiet-period.ts';
import type { Store } from '../store/store.ts';
import { isUrgentFor } from '../tracking/gate.ts';
import { RolloutPace } from './rollout-pace.ts';

/** The settings of `WindowLengths`. */
export interface WindowLengthsOptions extends WindowLength {
  readonly store: Store;
  /** A window was lengthened, since its workload is rolled too often. */
  readonly onSlowed: (ref: WorkloadRef, atTheLatestMs: number) => void;
}

/** The least window once a stamp was reverted: two processes that both lead find out by the state's marks before it ends. */
const CONTESTED_WINDOW_MS = 1000;

/** See the file's comment. */
export class WindowLengths {
  readonly #options: WindowLengthsOptions;
  /** The recent rollouts of each workload, by which its windows are lengthened. */
  readonly pace: RolloutPace = new RolloutPace((key) => this.#paceOf(key));

  constructor(options: WindowLengthsOptions) {
    this.#options = options;
  }

  /** The length of the window that opens now; a lengthened one is reported. */
  opened(key: ObjectKey): WindowLength {
    const window = this.pace.windowOf(key, this.askedOf(key));
    const ref = this.#options.store.workloads.get(key)?.workload.ref;
    if (ref !== undefined && this.pace.isSlowed(key)) this.#options.onSlowed(ref, window.maxWaitMs);
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
    if (record === undefined || this.pace.isSlowed(workload) || !isUrgentFor(this.#options.store, record))
      return false;
    return end - monotonicMs() > this.askedOf(workload).quietMs;
  }

  #paceOf(key: ObjectKey): Pace {
    const { store } = this.#options;
    const record = store.workloads.get(key);
    return record === undefined ? UNHURRIED : store.settings.vocabularies.paceOf(record.workload);
  }
}
