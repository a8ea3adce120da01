/**
 * Decides when an out-of-date workload is rolled: after a window of its own, by one attempt at a time, whose outcome decides
 * about the retry. Promise: a workload leaves this controller only when a patch was accepted, or when it is up to date or gone.
 */

import type { Blocker } from '../blockers/blocker.ts';
import { blockOf, newBlockers } from '../blockers/blockers.ts';
import { Slots, type SlotsOptions } from '../blockers/budget.ts';
import { Pace } from '../blockers/pace.ts';
import { ADVICE } from '../blockers/reverted.ts';
import { Stages, type StagesOptions } from '../blockers/stages.ts';
import type { Heartbeat } from '../model/health.ts';
import type { ObjectKey, WorkloadRef } from '../model/object-ref.ts';
import { type Blocked, type Outcome, type PendingChanges, type Retry, refusal } from '../model/outcome.ts';
import {
  type BackoffBounds,
  backoffMs,
  CONFLICT_BACKOFF,
  EVICTION_BACKOFF,
  LATER_BACKOFF,
  monotonicMs,
  REFUSAL_BACKOFF,
} from '../model/time.ts';
import { QuietPeriod } from '../queue/quiet-period.ts';
import { type Failure, type Result, RetryQueue, type RetryQueueOptions } from '../queue/retry-queue.ts';
import type { WorkloadRecord } from '../store/records.ts';
import { needsRollout } from '../tracking/edge-policy.ts';
import { PodFailures } from './pod-failures.ts';
import { type AttemptOptions, RolloutAttempts, type Tries } from './rollout-attempt.ts';
import { isWindowOver, windowOf } from './window-lengths.ts';

/** The collaborators and times of the controller. */
export interface RolloutControllerOptions
  extends Omit<AttemptOptions, 'blockers' | 'isUnhealthy'>,
    Omit<RetryQueueOptions, 'reconcile'>,
    Omit<SlotsOptions, 'budget' | 'evictedOf' | 'begin'>,
    Omit<StagesOptions, 'canBegin' | 'begin' | 'failures'> {
  readonly heartbeat: Heartbeat;
  /** An attempt ended, in this turn; `pending`: what it was for; `nextTryMs`: in how many ms it is retried, if it is. */
  readonly onOutcome: (
    ref: WorkloadRef,
    outcome: Outcome,
    pending: PendingChanges,
    nextTryMs: number | undefined,
  ) => void;
  /** The quiet period, unless a workload asks for a longer window. */
  readonly quietMs: number;
  /** The maximum wait from the first change; at least `quietMs`. */
  readonly maxWaitMs: number;
  /** The budget of rollouts. @default any number */
  readonly budget?: SlotsOptions['budget'] | undefined;
}

/** For the heartbeat: one attempt is several calls, each with a time-out of half a minute. */
const LONGEST_ATTEMPT_MS = 120_000;
/** A workload whose window lasts longer than this many quiet periods is marked in the state. */
const COMMIT_WAITS_FOR_PERIODS = 6;
/** A long block is asked about in between: the time of day may be set. */
const LONGEST_BLOCK_MS = 600_000;
const QUEUED: Blocked = { reason: 'queued', message: 'it is being rolled, or is next', until: 0 };
const BOUNDS: Readonly<Record<Exclude<Retry['reason'], 'conflict'>, BackoffBounds>> = {
  unavailable: LATER_BACKOFF,
  refused: REFUSAL_BACKOFF,
  evicting: EVICTION_BACKOFF,
};

/**
 * See the file's comment. A workload passes through these stages: its window (`#quiet`), due and queued (`#due`, `#queue`), in
 * an attempt, then perhaps blocked or to be tried again (`waiting`, with the timer of `#queue`). A change during an attempt opens the
 * next window. Only keys are kept; each attempt reads the store anew.
 */
export class RolloutController {
  readonly #options: RolloutControllerOptions;
  readonly #quiet: QuietPeriod;
  readonly #queue: RetryQueue;
  /** Workloads whose window has ended and that are not yet patched, refused or up to date: the state needs no mark of them yet. */
  readonly #due = new Set<ObjectKey>();
  /** The failed attempts of each workload since its last success. */
  readonly #tries = new Map<ObjectKey, Tries>();
  readonly #attempts: RolloutAttempts;
  /** What may keep a workload from being rolled, in the order of precedence. */
  readonly blockers: readonly Blocker[];
  /** Why each workload is not rolled now: its window, a blocker, or an attempt that is to be made again. */
  readonly waiting: Map<ObjectKey, Blocked> = new Map();
  /** The slots of the budget, if there is one. */
  readonly slots: Slots | undefined;
  readonly stages: Stages;
  readonly #failures: PodFailures;
  readonly pace: Pace;
  /** The changes since the last rollout of each workload; `since` by monotonicMs. */
  readonly #pendingChanges = new Map<ObjectKey, { changes: number; since: number }>();

  constructor(options: RolloutControllerOptions) {
    this.#options = options;
    const { store, budget } = options;
    this.#quiet = new QuietPeriod({
      windowOf: (key) => windowOf(options, key),
      release: (key) => this.#release(key),
    });
    this.#queue = new RetryQueue({ ...options, reconcile: (key) => this.#reconcile(key) });
    const wake = (key: ObjectKey): void => this.#proceed(key);
    const evictedOf = (record: WorkloadRecord): number | undefined => this.#attempts.evictedOf(record);
    const evicts = (record: WorkloadRecord): boolean => this.#attempts.evicts(record);
    const isEvicting = (record: WorkloadRecord): boolean => evictedOf(record) !== undefined;
    const outdatedSince = (key: ObjectKey): number | undefined => this.#pendingChanges.get(key)?.since;
    this.slots = budget && new Slots({ ...options, budget, evictedOf, begin: wake });
    this.#failures = new PodFailures(options.pods, options.store, () => this.stages.proceed());
    const canBegin = (key: ObjectKey): boolean => this.#canBegin(key);
    this.stages = new Stages({ ...options, failures: this.#failures, canBegin, begin: wake });
    this.pace = new Pace({ ...options, isEvicting, outdatedSince });
    const memories = { pace: this.pace, stages: this.stages, budget: this.slots };
    this.blockers = newBlockers({ store, evicts, isEvicting, ...memories });
    this.#attempts = new RolloutAttempts({ ...options, blockers: this.blockers });
  }

  /**
   * `workload` needs a rollout because `changes` objects changed: opens its window, or restarts its quiet period. The result:
   * in how many ms it is rolled without a further change; Infinity if it is blocked. A backoff is not shortened.
   */
  touch(workload: ObjectKey, changes: number): number {
    const pending = this.#pendingChanges.get(workload) ?? { changes: 0, since: monotonicMs() };
    this.#pendingChanges.set(workload, { ...pending, changes: pending.changes + changes });
    // Where the namespace is not selected no window opens.
    const blocked = this.#blockOf(workload, 1);
    const isFree = this.#queue.backoffOf(workload) === undefined || this.#blockerOf(workload) !== undefined;
    if (blocked !== undefined && isFree) this.#block(workload, blocked);
    const by = this.#blockerOf(workload);
    if (by !== undefined) {
      if (by.isPerContent !== true && !this.#isOver(workload, by)) return Number.POSITIVE_INFINITY;
      this.#unblock(workload);
    }
    const backoffUntil = this.#queue.backoffOf(workload);
    if (backoffUntil !== undefined) return Math.max(0, backoffUntil - monotonicMs());
    const end = this.#quiet.endOf(workload);
    if (end !== undefined && isWindowOver(this.#options, workload, end)) this.#quiet.forget(workload);
    return this.#openWindow(workload);
  }

  /**
   * The workload, its namespace, or an object that it names has changed: it is tried again if nothing blocks it any more, or something
   * else does.
   */
  wake(workload: ObjectKey): void {
    this.stages.observed(workload);
    const by = this.#blockerOf(workload);
    if (by === undefined || !this.#isOver(workload, by)) return;
    this.#unblock(workload);
    this.#openWindow(workload);
  }

  /** Ends the backoff of the workload, since the reason for its failure may be gone. Without a backoff it does nothing. */
  retryNow(workload: ObjectKey): void {
    if (this.#queue.backoffOf(workload) === undefined) return;
    this.#tries.delete(workload);
    this.#unblock(workload);
    this.#queue.forget(workload);
    this.#openWindow(workload);
  }

  /**
   * An external writer reverted our stamp `times` more often than is retried at once: counts as so many consecutive refusals.
   */
  contest(workload: ObjectKey, times: number): void {
    const ref = this.#options.store.workloads.get(workload)?.workload.ref;
    if (ref === undefined) return;
    this.#conclude(workload, ref, refusal(`the stamp is reverted each time; ${ADVICE}`), times);
  }

  /** Forgets a workload that does not exist or follows nothing any more; an attempt under way goes on. */
  forget(workload: ObjectKey): void {
    this.#quiet.forget(workload);
    this.#queue.forget(workload);
    this.#settle(workload);
    this.#endBlocks(workload, { type: 'gone' });
  }

  /**
   * Whether the workload is about to be patched, so that the state needs no mark of it yet. Not for one
   * that backs off, is blocked, evicts pods, or has been in its window for six quiet periods: no workload delays the
   * others for long.
   */
  isWaiting(workload: ObjectKey): boolean {
    const record = this.#options.store.workloads.get(workload);
    const isEvicting = record !== undefined && this.#attempts.evictedOf(record) !== undefined;
    if (this.#queue.backoffOf(workload) !== undefined || isEvicting) return false;
    if (this.#due.has(workload) || this.#queue.isBusy(workload)) return true;
    const openedAt = this.#quiet.beginOf(workload);
    const longestMs = COMMIT_WAITS_FOR_PERIODS * this.#options.quietMs;
    if (openedAt === undefined || windowOf(this.#options, workload).quietMs > longestMs) return false;
    return monotonicMs() - openedAt < longestMs;
  }

  /** Why the workload is not being patched now; undefined if it needs no rollout. */
  waitOf(workload: ObjectKey): Blocked | undefined {
    return this.waiting.get(workload) ?? (this.#due.has(workload) ? QUEUED : undefined);
  }

  /** Whether the workload waits, and no person has asked for the wait. */
  isOverdue(workload: ObjectKey): boolean {
    const by = this.#blockerOf(workload);
    return by === undefined ? this.waiting.get(workload)?.reason !== 'quiet' : by.isProblem === true;
  }

  /** The changes that the next rollout of the workload will bring. */
  pendingChangesOf(workload: ObjectKey): PendingChanges | undefined {
    return this.#pendingChanges.get(workload);
  }

  /** Starts no more rollouts; resolves when the attempts under way have ended. */
  async close(): Promise<void> {
    this.#quiet.close();
    this.slots?.close();
    this.stages.close();
    this.#failures.close();
    await this.#queue.close();
  }

  /** Whether nothing before its stage keeps the workload from being rolled. */
  #canBegin(key: ObjectKey): boolean {
    const by = this.#blockerOf(key);
    if (by !== undefined) return this.blockers.indexOf(by) >= this.blockers.indexOf(this.stages);
    return this.#queue.backoffOf(key) === undefined;
  }

  /** What blocks the workload now, by the first `most` blockers. */
  #blockOf(key: ObjectKey, most?: number): Blocked | undefined {
    const record = this.#options.store.workloads.get(key);
    return record && blockOf(this.blockers.slice(0, most), record, Date.now());
  }

  /** The blocker that the workload waits for; undefined: none. */
  #blockerOf(key: ObjectKey): Blocker | undefined {
    const reason = this.waiting.get(key)?.reason;
    if (reason === undefined) return undefined;
    return this.blockers.find(({ name, reasons = [name] }) => reasons.includes(reason));
  }

  /** Whether nothing blocks the workload any more that `by` blocked, or something else does. Else what it waits for is renewed. */
  #isOver(key: ObjectKey, by: Blocker): boolean {
    const known = this.waiting.get(key);
    const now = this.#blockOf(key, by.wakes && this.blockers.indexOf(by)) ?? (by.wakes && known);
    if (known === undefined || now?.reason !== known.reason) return true;
    if (now.message !== known.message || now.until < known.until) return true;
    this.waiting.set(key, now);
    return false;
  }

  /** A blocker that wakes its workloads lets this one go. */
  #proceed(key: ObjectKey): void {
    if (this.#blockerOf(key)?.wakes !== true) return;
    this.#unblock(key);
    this.#release(key);
  }

  /** Attempts that failed before the block count on: a block that ends and begins again shortens no backoff. */
  #unblock(key: ObjectKey): void {
    this.waiting.delete(key);
    this.#queue.unblock(key);
  }

  /** Opens the window of the workload, or restarts its quiet period. */
  #openWindow(key: ObjectKey): number {
    const ms = this.#quiet.touch(key);
    const message = 'it is rolled once its objects have not changed for a moment';
    if (ms > 0) this.waiting.set(key, { reason: 'quiet', message, until: Date.now() + ms });
    return ms;
  }

  #release(key: ObjectKey): void {
    if (this.waiting.get(key)?.reason === 'quiet') this.waiting.delete(key);
    this.#due.add(key);
    this.#queue.add(key);
  }

  async #reconcile(key: ObjectKey): Promise<Result> {
    const ref = this.#options.store.workloads.get(key)?.workload.ref;
    if (ref !== undefined) return this.#conclude(key, ref, await this.#fencedAttempt(key, ref));
    this.#settle(key);
    return 'done';
  }

  /** An exception, which can only be a defect of this program, counts as a failed attempt: the workload is retried. */
  async #fencedAttempt(key: ObjectKey, ref: WorkloadRef): Promise<Outcome> {
    const { heartbeat } = this.#options;
    const loop = `the rollout of ${key}`;
    heartbeat.sleeps(loop, monotonicMs() + LONGEST_ATTEMPT_MS);
    try {
      const since = this.#pendingChanges.get(key)?.since ?? monotonicMs();
      return await this.#attempts.run(ref, this.#triesOf(key), since);
    } catch (error) {
      return { type: 'retry', reason: 'unavailable', message: `internal error: ${String(error)}` };
    } finally {
      heartbeat.ended(loop);
    }
  }

  /** Reports the outcome, and answers the result for the queue. `times`: consecutive refusals, if the caller counts them. */
  #conclude(key: ObjectKey, ref: WorkloadRef, outcome: Outcome, times?: number): Result {
    const pending = this.#pendingChanges.get(key) ?? { changes: 1, since: monotonicMs() };
    const result = this.#resultOf(key, outcome, times);
    this.#endBlocks(key, outcome);
    const nextTryMs = result === 'done' ? undefined : result === 'again' ? 0 : result.afterMs;
    this.#options.onOutcome(ref, outcome, pending, nextTryMs);
    return result;
  }

  #endBlocks(key: ObjectKey, outcome: Outcome): void {
    for (const blocker of this.blockers) blocker.end?.(key, outcome);
  }

  /** Decides about the retry: the only place that does. */
  #resultOf(key: ObjectKey, outcome: Outcome, times: number | undefined): Result {
    switch (outcome.type) {
      case 'current':
      case 'rolled':
        this.#settle(key);
        // A change that came during the attempt is not in its patch: it begins a window of its own.
        if (needsRollout(this.#options.store, key)) this.touch(key, 1);
        return 'done';
      case 'blocked':
        return this.#block(key, outcome.blocked);
      case 'retry':
        return this.#retry(key, outcome, times);
      case 'gone':
        return this.#putOff(key, 'gone', 'the workload no longer exists', { bounds: LATER_BACKOFF });
    }
  }

  #block(key: ObjectKey, blocked: Blocked): Result {
    this.#due.delete(key);
    this.#quiet.forget(key);
    this.waiting.set(key, blocked);
    return this.#queue.block(key, Math.min(Math.max(0, blocked.until - Date.now()), LONGEST_BLOCK_MS));
  }

  #retry(key: ObjectKey, { reason, message, retryAfterMs, evictions }: Retry, refusals?: number): Result {
    if (reason === 'conflict') return this.#again(key, message);
    const times = evictions ? evictions.idle + 1 : refusals;
    return this.#putOff(key, reason, message, { bounds: BOUNDS[reason], atLeastMs: retryAfterMs, times });
  }

  /** The first conflict is retried at once: the workload has just been read again. */
  #again(key: ObjectKey, message: string): Result {
    const tries = this.#triesOf(key);
    const { conflicts } = tries;
    tries.conflicts += 1;
    this.#due.add(key);
    this.waiting.delete(key);
    if (conflicts === 0) return 'again';
    const afterMs = backoffMs(conflicts - 1, CONFLICT_BACKOFF, this.#options.random);
    this.waiting.set(key, { reason: 'conflict', message, until: Date.now() + afterMs });
    return { afterMs };
  }

  /** The attempt that comes later brings the changes that came meanwhile. */
  #putOff(key: ObjectKey, reason: string, message: string, failure: Failure): Result {
    this.#triesOf(key).conflicts = 0;
    this.#due.delete(key);
    this.#quiet.forget(key);
    const result = this.#queue.backOff(key, failure);
    const state = reason === 'refused' ? reason : undefined;
    this.waiting.set(key, { reason, message, until: Date.now() + result.afterMs, state });
    return result;
  }

  #triesOf(key: ObjectKey): Tries {
    const { newStampId } = this.#options.store.settings;
    const fresh = (): Tries => ({ conflicts: 0, refused: undefined, testsTemplate: false, id: newStampId() });
    const tries = this.#tries.get(key) ?? fresh();
    this.#tries.set(key, tries);
    return tries;
  }

  #settle(key: ObjectKey): void {
    this.#due.delete(key);
    this.#tries.delete(key);
    if (this.#blockerOf(key) !== undefined) this.#queue.forget(key);
    if (this.#queue.backoffOf(key) === undefined) this.waiting.delete(key);
    this.#pendingChanges.delete(key);
  }
}
