/**
 * The least time between two rollouts of a workload: by its annotation or the flag, and more for one whose objects change for ever.
 * Once a workload was rolled more often than its limit allows, the time doubles with each further rollout, up to ten minutes, until the
 * workload has been current for as long as the limit counts. No change is lost: each rollout brings the current content.
 */

import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { Outcome } from '../model/outcome.ts';
import { type Pace as PaceSettings, UNHURRIED } from '../model/settings.ts';
import { formatDuration, monotonicMs } from '../model/time.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { isUrgentFor } from '../tracking/edge-policy.ts';
import { type Blocker, type Readers, timeText } from './blocker.ts';

/** What `Pace` reads. */
export interface PaceOptions extends Pick<Readers, 'isEvicting' | 'isObserver'> {
  readonly store: Store;
  /** The longest window of a change: the time that is doubled. */
  readonly maxWaitMs: number;
  /** Since when the workload is outdated, by monotonicMs; undefined: it is current. */
  readonly outdatedSince: (workload: ObjectKey) => number | undefined;
}

/** The recent rollouts of one workload. */
interface Past {
  /** The last rollouts, as many as the limit allows, by monotonicMs. */
  readonly times: readonly number[];
  /** How often its time was doubled. */
  readonly doublings: number;
  /** Since when it was current before the change that waits now, by monotonicMs. */
  readonly calmSince: number;
}

const LONGEST_MS = 600_000;
/** The time that is doubled if windows have no length. */
const LEAST_MS = 1000;

/** See the file's comment. Rollouts are remembered in memory only: a restart forgets the counts. */
export class Pace implements Blocker {
  readonly name = 'min-rollout-interval';
  readonly reasons: readonly string[] = ['min-rollout-interval', 'rollout-limit'];
  readonly #options: PaceOptions;
  readonly #past = new Map<ObjectKey, Past>();

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** See Blocker. Neither an urgent change nor evictions that have begun wait. */
  check(record: WorkloadRecord, now: number): ReturnType<Blocker['check']> {
    const { store, isEvicting, isObserver } = this.#options;
    const key = keyOf(record.workload.ref);
    if (isUrgentFor(store, record) || isEvicting?.(record) === true) return undefined;
    const { minIntervalMs, limit } = this.#paceOf(key);
    if (isObserver === true) return minIntervalMs > 0 ? 'unknown' : undefined;
    const past = this.#recent(key);
    const lastAt = past?.times.at(-1);
    if (past === undefined || lastAt === undefined) return undefined;
    const doubledMs = this.#doubledMs(past);
    const leftMs = lastAt + Math.max(minIntervalMs, doubledMs) - monotonicMs();
    if (leftMs <= 0) return undefined;
    const until = Math.ceil(now + leftMs);
    const next = `its next rollout comes at ${timeText(until)}`;
    if (limit === undefined || doubledMs <= minIntervalMs)
      return { reason: this.name, until, message: `it was rolled a moment ago: ${next}` };
    const often = `rolled more than ${limit.rollouts} times within ${formatDuration(limit.withinMs)}`;
    return { reason: 'rollout-limit', until, message: `${often}: ${next}`, event: 'RolloutsSlowed' };
  }

  /** See Blocker. */
  end(workload: ObjectKey, { type }: Outcome): void {
    const past = this.#past.get(workload);
    if (type === 'gone') this.#past.delete(workload);
    if (type === 'rolled') this.#rolled(workload, past);
    if (type === 'current' && past) this.#past.set(workload, { ...past, calmSince: monotonicMs() });
  }

  /** How many workloads are rolled more often than their limit allows. */
  get slowed(): number {
    return [...this.#past.keys()].filter((workload) => (this.#recent(workload)?.doublings ?? 0) > 0).length;
  }

  #rolled(workload: ObjectKey, past: Past | undefined): void {
    const { limit, minIntervalMs } = this.#paceOf(workload);
    if (limit === undefined && minIntervalMs === 0) return;
    const { times = [], doublings = 0 } = past ?? {};
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

  #doubledMs({ doublings }: Past): number {
    if (doublings === 0) return 0;
    return Math.min(Math.max(this.#options.maxWaitMs, LEAST_MS) * 2 ** doublings, LONGEST_MS);
  }

  /** The recent rollouts; forgotten once the workload has been current for as long as its limit counts. */
  #recent(workload: ObjectKey): Past | undefined {
    const past = this.#past.get(workload);
    if (past === undefined) return undefined;
    const { limit, minIntervalMs } = this.#paceOf(workload);
    const calmUntil = this.#options.outdatedSince(workload) ?? monotonicMs();
    if (calmUntil - past.calmSince < Math.max(limit?.withinMs ?? 0, minIntervalMs)) return past;
    this.#past.delete(workload);
    return undefined;
  }

  #paceOf(key: ObjectKey): PaceSettings {
    const { store } = this.#options;
    const record = store.workloads.get(key);
    return record === undefined ? UNHURRIED : store.settings.vocabularies.paceOf(record.workload);
  }
}
