/**
 * Decides when an out-of-date workload is rolled: after a window of its own, by one attempt at a time, whose outcome decides
 * about the retry. Promise: a workload leaves this controller only when a patch was accepted, or when it is up to date or gone.
 */

import { namespaceIn, type ObjectKey, type WorkloadRef } from '../model/object-ref.ts';
import type { Gate, Outcome, PendingChanges, PendingReason } from '../model/outcome.ts';
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
import { type Failure, type Result, RetryQueue } from '../queue/retry-queue.ts';
import { needsRollout } from '../tracking/edge-policy.ts';
import { ExternalRolloutDeadlines } from '../tracking/external-rollout-deadlines.ts';
import { Gates } from './gates.ts';
import { ADVICE, RolloutAttempts, type Tries } from './rollout-attempt.ts';
import type { RolloutControllerOptions } from './rollout-options.ts';
import type { Slots } from './slots.ts';
import type { Stages } from './stages.ts';
import { WindowLengths } from './window-lengths.ts';

/** For the heartbeat: one attempt is several calls, each with a time-out of half a minute. */
const LONGEST_ATTEMPT_MS = 120_000;
/** A commit does not wait for a window that lasts longer than this many quiet periods; it records an override instead. */
const COMMIT_WAITS_FOR_PERIODS = 6;
/** A hold or a window says itself when it ends. */
const NO_BACKOFF: BackoffBounds = { baseMs: 0, capMs: 0 };

/**
 * See the file's comment. A workload passes through these stages: its window (`#quiet`), due and queued (`#due`, `#queue`), in
 * an attempt, then perhaps backing off (`#queue`), waiting for an external rollout (`#externalRolloutDeadlines`), or held back
 * (`#heldBack`). A change during an attempt opens the next window. Only keys are kept; each attempt reads the store anew.
 */
export class RolloutController {
  readonly #options: RolloutControllerOptions;
  readonly #quiet: QuietPeriod;
  readonly #queue: RetryQueue;
  /** Workloads whose window has ended and that are not yet patched, refused or up to date: a commit waits for them. */
  readonly #due = new Set<ObjectKey>();
  /** The failed attempts of each workload since its last success. */
  readonly #tries = new Map<ObjectKey, Tries>();
  readonly #attempts: RolloutAttempts;
  readonly #externalRolloutDeadlines = new ExternalRolloutDeadlines();
  /** The slots of the budget, if there is one. */
  readonly slots: Slots | undefined;
  readonly stages: Stages;
  readonly #windows: WindowLengths;
  /** Workloads that a hold, a window or a stage keeps. */
  readonly gates: Gates = new Gates((key) => this.#attempts.gateOf(key));
  /** Out-of-date workloads in namespaces that are not selected. */
  readonly #heldBack = new Set<ObjectKey>();
  /** The changes since the last rollout of each workload; `since` by monotonicMs. */
  readonly #pendingChanges = new Map<ObjectKey, { changes: number; since: number }>();

  constructor(options: RolloutControllerOptions) {
    this.#options = options;
    this.#windows = new WindowLengths(options);
    this.#quiet = new QuietPeriod({
      windowOf: (key) => this.#windows.opened(key),
      release: (key) => this.#release(key),
    });
    this.#queue = new RetryQueue({ ...options, reconcile: (key) => this.#reconcile(key) });
    this.slots = options.newSlots?.({
      evictedOf: (record) => this.#attempts.evictedOf(record),
      begin: (key) => this.#release(key),
    });
    this.stages = options.newStages({
      canBegin: (key) => this.#canBegin(key),
      begin: (key) => this.#beginStage(key),
    });
    this.#attempts = new RolloutAttempts({
      ...options,
      externalRolloutMs: (...about) => this.#externalRolloutDeadlines.remaining(...about),
      takeSlot: (key) => this.slots?.take(key) ?? true,
      stageOf: (key) => this.stages.gateOf(key),
      isUnhealthy: (key) => this.stages.isUnhealthy(key),
    });
  }

  /**
   * `workload` needs a rollout because `changes` objects changed: opens its window, or restarts its quiet period. The result:
   * in how many ms it is rolled without a further change; Infinity if its namespace is not selected, or it is held or waits for a slot. A
   * backoff is not shortened.
   */
  touch(workload: ObjectKey, changes: number): number {
    const pending = this.#pendingChanges.get(workload) ?? { changes: 0, since: monotonicMs() };
    this.#pendingChanges.set(workload, { ...pending, changes: pending.changes + changes });
    if (!this.#options.store.isSelected(namespaceIn(workload))) {
      this.#heldBack.add(workload);
      return Number.POSITIVE_INFINITY;
    }
    if (this.gates.isKeptOtherwise(workload)) return Number.POSITIVE_INFINITY;
    this.#openGate(workload);
    const backoff = this.#queue.backoffOf(workload);
    if (backoff !== undefined) return Math.max(0, backoff.until - monotonicMs());
    if (this.slots?.isWaiting(workload)) return Number.POSITIVE_INFINITY;
    const end = this.#quiet.endOf(workload);
    if (end !== undefined && this.#windows.isOver(workload, end)) this.#quiet.forget(workload);
    return this.#quiet.touch(workload);
  }

  /** The namespace of the workload is selected now: its quiet period begins if it was held back. */
  release(workload: ObjectKey): void {
    if (this.#heldBack.delete(workload)) this.#quiet.touch(workload);
  }

  /** An external rollout ended: a workload that waited for it is decided again at once. */
  resume(workload: ObjectKey): void {
    if (!this.#externalRolloutDeadlines.delete(workload)) return;
    this.#queue.forget(workload);
    this.#release(workload);
  }

  /** The workload, or an object that it names, has changed: it is retried if it is not held any more, or by something else. */
  wake(workload: ObjectKey): void {
    this.stages.observed(workload);
    if (this.gates.hasChanged(workload)) this.retryNow(workload);
  }

  /** Ends the backoff of the workload, since the reason for its failure may be gone. Without a backoff it does nothing. */
  retryNow(workload: ObjectKey): void {
    if (this.#queue.backoffOf(workload) === undefined) return;
    this.#tries.delete(workload);
    this.gates.forget(workload);
    this.#queue.forget(workload);
    this.#quiet.touch(workload);
  }

  /**
   * An external writer reverted our stamp `times` more often than is retried at once: counts as so many consecutive refusals.
   */
  contest(workload: ObjectKey, times: number): void {
    const ref = this.#options.store.workloads.get(workload)?.workload.ref;
    if (ref === undefined) return;
    const message = `the stamp is reverted each time; ${ADVICE}`;
    this.#conclude(workload, ref, { type: 'refused', message }, times);
  }

  /** Forgets a workload that does not exist or follows nothing any more; an attempt under way goes on. */
  forget(workload: ObjectKey): void {
    this.#quiet.forget(workload);
    this.#queue.forget(workload);
    this.#windows.forget(workload);
    this.#settle(workload);
    this.slots?.forget(workload);
    this.stages.observed(workload);
  }

  /** Whether the workload is rolled so often that its window is lengthened. */
  isSlowed(workload: ObjectKey): boolean {
    return this.#windows.isSlowed(workload);
  }

  /** The number of workloads whose window is lengthened. */
  get slowed(): number {
    return this.#windows.slowed;
  }

  /**
   * Whether the workload is about to be patched, so that a commit waits for it instead of recording an override. Not for one
   * that backs off, evicts pods, waits for a slot, or has been in its window for six quiet periods: no workload delays the
   * others for long.
   */
  isWaiting(workload: ObjectKey): boolean {
    if (this.#queue.backoffOf(workload) !== undefined || this.#attempts.isEvicting(workload)) return false;
    const isTried = this.#queue.isBusy(workload) && !this.#heldBack.has(workload);
    if (this.#due.has(workload) || isTried) return true;
    const openedAt = this.#quiet.beginOf(workload);
    const longestMs = COMMIT_WAITS_FOR_PERIODS * this.#options.quietMs;
    if (openedAt === undefined) return false;
    if (this.#windows.askedOf(workload).quietMs > longestMs) return false;
    return monotonicMs() - openedAt < longestMs;
  }

  /** Why the workload is not being patched now; undefined if it needs no rollout. */
  pendingReasonOf(workload: ObjectKey): PendingReason | undefined {
    if (this.#heldBack.has(workload)) return { type: 'selection' };
    const gate = this.gates.reasonOf(workload);
    if (gate !== undefined) return gate;
    const backoff = this.#queue.backoffOf(workload);
    if (backoff?.until === Number.POSITIVE_INFINITY) return { type: 'change', message: backoff.message };
    if (backoff !== undefined)
      return { type: this.#attempts.isEvicting(workload) ? 'evicting' : 'backoff', ...backoff };
    const message = this.slots?.reasonOf(workload);
    if (message !== undefined) return { type: 'budget', message };
    if (this.#due.has(workload)) return { type: 'queued' };
    const until = this.#quiet.endOf(workload);
    if (until !== undefined) return { type: 'quiet', until };
    const externalRolloutMs = this.#externalRolloutDeadlines.untilOf(workload);
    return externalRolloutMs === undefined
      ? undefined
      : { type: 'external-rollout', until: externalRolloutMs };
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
    await this.#queue.close();
  }

  /** Whether nothing but its stage keeps the workload from being rolled. */
  #canBegin(key: ObjectKey): boolean {
    if (this.#heldBack.has(key) || this.gates.isKeptOtherwise(key)) return false;
    if (this.#externalRolloutDeadlines.untilOf(key) !== undefined) return false;
    return this.gates.of(key) !== undefined || this.#queue.backoffOf(key) === undefined;
  }

  /** The stage of a workload that it keeps has begun, or something else keeps it now. */
  #beginStage(key: ObjectKey): void {
    if (!this.gates.isKeptOtherwise(key) && this.#openGate(key)) this.#release(key);
  }

  /** Whether the workload was kept; it is not any more. */
  #openGate(key: ObjectKey): boolean {
    if (this.gates.of(key) === undefined) return false;
    this.gates.forget(key);
    this.#queue.forget(key);
    return true;
  }

  #release(key: ObjectKey): void {
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
      return { type: 'later', message: `internal error: ${String(error)}` };
    } finally {
      heartbeat.ended(loop);
    }
  }

  /** Reports the outcome, and answers the result for the queue. `times`: consecutive refusals, if the caller counts them. */
  #conclude(key: ObjectKey, ref: WorkloadRef, outcome: Outcome, times?: number): Result {
    const pending = this.#pendingChanges.get(key) ?? { changes: 1, since: monotonicMs() };
    if (outcome.type !== 'held') this.gates.forget(key);
    const result = this.#resultOf(key, outcome, times);
    this.slots?.ended(key, outcome.type);
    this.stages.observed(key);
    const nextTryMs = result === 'done' ? undefined : result === 'again' ? 0 : result.afterMs;
    this.#options.onOutcome(ref, outcome, pending, nextTryMs);
    return result;
  }

  /** Decides about the retry: the only place that does. */
  #resultOf(key: ObjectKey, outcome: Outcome, times: number | undefined): Result {
    switch (outcome.type) {
      case 'settled':
      case 'done':
        this.#windows[outcome.type === 'done' ? 'rolled' : 'settled'](key);
        this.#settle(key);
        // A change that came during the attempt is not in its patch: it begins a window of its own.
        if (needsRollout(this.#options.store, key)) this.touch(key, 1);
        return 'done';
      case 'unselected':
        this.#cease(key);
        this.#heldBack.add(key);
        return 'done';
      case 'absorbing':
        this.#cease(key);
        return {
          afterMs: Math.max(0, (this.#externalRolloutDeadlines.untilOf(key) ?? 0) - monotonicMs()),
        };
      case 'waiting-for-slot':
        return this.#endWindow(key);
      case 'again':
        return this.#again(key);
      case 'held':
        return this.#hold(key, outcome.gate);
      case 'evicting':
        return this.#putOff(key, {
          ...outcome,
          bounds: EVICTION_BACKOFF,
          times: outcome.idle + 1,
          atLeastMs: outcome.retryAfterMs,
        });
      case 'later':
        return this.#putOff(key, { ...outcome, bounds: LATER_BACKOFF, atLeastMs: outcome.retryAfterMs });
      case 'given-up':
        // Without an end: only retryNow ends this backoff, after a change by which a new attempt may succeed.
        return this.#putOff(key, {
          ...outcome,
          bounds: REFUSAL_BACKOFF,
          atLeastMs: Number.POSITIVE_INFINITY,
        });
      case 'refused':
        return this.#putOff(key, { ...outcome, bounds: REFUSAL_BACKOFF, ...(times && { times }) });
      case 'gone':
        return this.#putOff(key, { bounds: LATER_BACKOFF, message: 'the workload no longer exists' });
    }
  }

  #hold(key: ObjectKey, gate: Gate): Result {
    this.#cease(key);
    return this.#putOff(key, { bounds: NO_BACKOFF, atLeastMs: this.gates.close(key, gate) });
  }

  /** The first conflict is retried at once: the workload has just been read again. */
  #again(key: ObjectKey): Result {
    const tries = this.#triesOf(key);
    const { conflicts } = tries;
    tries.conflicts += 1;
    this.#due.add(key);
    if (conflicts === 0) return 'again';
    return { afterMs: backoffMs(conflicts - 1, CONFLICT_BACKOFF, this.#options.random) };
  }

  /** The attempt that comes later brings the changes that came meanwhile. */
  #endWindow(key: ObjectKey): Result {
    this.#due.delete(key);
    this.#quiet.forget(key);
    return 'done';
  }

  /** Backs off. */
  #putOff(key: ObjectKey, failure: Failure): Result {
    this.#triesOf(key).conflicts = 0;
    this.#endWindow(key);
    return this.#queue.backOff(key, failure);
  }

  #triesOf(key: ObjectKey): Tries {
    const tries = this.#tries.get(key) ?? { conflicts: 0, refused: undefined, testsTemplate: false };
    this.#tries.set(key, tries);
    return tries;
  }

  #cease(key: ObjectKey): void {
    this.#due.delete(key);
    this.#tries.delete(key);
  }

  #settle(key: ObjectKey): void {
    this.#cease(key);
    this.gates.forget(key);
    this.#heldBack.delete(key);
    this.#externalRolloutDeadlines.delete(key);
    this.#pendingChanges.delete(key);
  }
}
