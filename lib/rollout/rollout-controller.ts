/**
 * Rolls outdated workloads: a quiet period for each one, then one attempt at a time, whose outcome decides what follows. A
 * workload is done only when a patch was accepted, or when it is no longer outdated.
 */

import type { Heartbeat } from '../model/health.ts';
import { type Log, NO_LOG } from '../model/log.ts';
import type { ConfigRef, ObjectKey, WorkloadRef } from '../model/object-ref.ts';
import type { Outcome, PendingChanges, PendingReason } from '../model/outcome.ts';
import { type Pace, UNHURRIED } from '../model/settings.ts';
import { backoffMs, CONFLICT_BACKOFF, LATER_BACKOFF, monotonicMs, REFUSAL_BACKOFF } from '../model/time.ts';
import { QuietPeriod, type WindowLength } from '../queue/quiet-period.ts';
import { type Failure, type Result, RetryQueue } from '../queue/retry-queue.ts';
import { needsRollout } from '../tracking/edge-policy.ts';
import { ExternalRolloutDeadlines } from '../tracking/external-rollout-deadlines.ts';
import { type AttemptOptions, RolloutAttempts, type Tries } from './rollout-attempt.ts';
import { RolloutPace } from './rollout-pace.ts';

/** Who wants to know what became of a workload that was due. */
export interface RolloutObserver {
  /** An attempt ended; `pending` has the changes that it was about. */
  readonly onOutcome: (
    ref: WorkloadRef,
    outcome: Outcome,
    pending: PendingChanges,
    nextTryMs: number | undefined,
  ) => void;
  /** A workload that is rolled too often waits: the next rollout of it comes in so many ms at the latest. */
  readonly onSlowed: (ref: WorkloadRef, atTheLatestMs: number) => void;
}

/** What the controller is made of. */
export interface RolloutControllerOptions extends Omit<AttemptOptions, 'externalRolloutMs'> {
  readonly heartbeat: Heartbeat;
  readonly observer: RolloutObserver;
  readonly quietMs: number;
  readonly maxWaitMs: number;
  readonly concurrency: number;
  readonly random: () => number;
  readonly log?: Log | undefined;
}

/** Several calls, each of which may take half a minute to be answered. */
const LONGEST_ATTEMPT_MS = 120_000;
/** A window that lasts longer than this many quiet periods holds up no commit. */
const COMMIT_WAITS_FOR_PERIODS = 6;

/** See the file's comment. */
export class RolloutController {
  readonly #options: RolloutControllerOptions;
  readonly #quiet: QuietPeriod;
  readonly #queue: RetryQueue;
  /** Released by the quiet period and not yet patched, refused or settled. */
  readonly #due = new Set<ObjectKey>();
  /** What is remembered of the attempts that did not succeed, until one does. */
  readonly #tries = new Map<ObjectKey, Tries>();
  readonly #attempts: RolloutAttempts;
  readonly #externalRolloutDeadlines = new ExternalRolloutDeadlines();
  /** How often each workload was rolled lately. */
  readonly #pace = new RolloutPace((key) => this.#paceOf(key));
  /** Outdated workloads of namespaces that are not selected. */
  readonly #heldBack = new Set<ObjectKey>();
  readonly #pendingChanges = new Map<ObjectKey, { changes: number; since: number }>();

  constructor(options: RolloutControllerOptions) {
    this.#options = options;
    const { log = NO_LOG } = options;
    this.#quiet = new QuietPeriod({
      windowOf: (key) => this.#openedWindowOf(key),
      release: (key) => this.#release(key),
    });
    this.#queue = new RetryQueue({ ...options, log, reconcile: (key) => this.#reconcile(key) });
    const externalRolloutMs = this.#externalRolloutDeadlines.remaining.bind(this.#externalRolloutDeadlines);
    this.#attempts = new RolloutAttempts({ ...options, externalRolloutMs });
  }

  /** `workload` needs a rollout because `changes` objects changed; answers in how many ms it is rolled, if nothing else comes. */
  touch(workload: ObjectKey, changes: number): number {
    const pending = this.#pendingChanges.get(workload) ?? { changes: 0, since: monotonicMs() };
    this.#pendingChanges.set(workload, { ...pending, changes: pending.changes + changes });
    if (!this.#isSelected(workload)) {
      this.#heldBack.add(workload);
      return Number.POSITIVE_INFINITY;
    }
    const backoff = this.#queue.backoffOf(workload);
    if (backoff !== undefined) return Math.max(0, backoff.until - monotonicMs());
    return this.#quiet.touch(workload);
  }

  /** The workload's namespace is selected: in how many ms it is rolled; undefined if nothing was held back. */
  release(workload: ObjectKey): number | undefined {
    return this.#heldBack.delete(workload) ? this.#quiet.touch(workload) : undefined;
  }

  /** The external rollout ended: a workload that waited for it is up to date, or rolled. */
  resume(workload: ObjectKey): void {
    if (!this.#externalRolloutDeadlines.delete(workload)) return;
    this.#queue.forget(workload);
    this.#release(workload);
  }

  /** What the workload waits for that is not there; mostly nothing. */
  needsOf(workload: ObjectKey): readonly ConfigRef[] {
    return this.#tries.get(workload)?.needs ?? [];
  }

  /** News of these workloads, or of what they name: one that no longer waits for a dependency is rolled. */
  wake(workloads: Iterable<ObjectKey>): void {
    const { store, needsOf } = this.#options;
    for (const key of workloads) {
      if (this.needsOf(key).length === 0) continue;
      const record = store.workloads.get(key);
      if (record === undefined || needsOf(record).length === 0) this.retryNow(key);
    }
  }

  /** What was in the way before may not be any more: the workload does not wait for its backoff. */
  retryNow(workload: ObjectKey): void {
    if (this.#queue.backoffOf(workload) === undefined) return;
    this.#tries.delete(workload);
    this.#queue.forget(workload);
    this.#quiet.touch(workload);
  }

  /** Our stamp was reverted `times` more often than is tried at once: that counts as so many refusals in a row. */
  contest(workload: ObjectKey, times: number): void {
    const ref = this.#options.store.workloads.get(workload)?.workload.ref;
    if (ref === undefined) return;
    this.#conclude(workload, ref, { type: 'refused', message: 'the stamp is reverted each time' }, times);
  }

  /** Forgets a workload that is gone or follows nothing any more. */
  forget(workload: ObjectKey): void {
    this.#quiet.forget(workload);
    this.#queue.forget(workload);
    this.#pace.forget(workload);
    this.#settle(workload);
  }

  /** Whether the workload is rolled so often that its window was lengthened. */
  isSlowed(workload: ObjectKey): boolean {
    return this.#pace.isSlowed(workload);
  }

  /** How many workloads are. */
  get slowed(): number {
    return this.#pace.slowed;
  }

  /** Whether the workload is going to be patched soon, so that the commit of its changes waits for it. */
  isWaiting(workload: ObjectKey): boolean {
    if (this.#queue.backoffOf(workload) !== undefined || this.needsOf(workload).length > 0) return false;
    const isTried = this.#queue.isBusy(workload) && !this.#heldBack.has(workload);
    if (this.#due.has(workload) || isTried) return true;
    const openedAt = this.#quiet.beginOf(workload);
    const longestMs = COMMIT_WAITS_FOR_PERIODS * this.#options.quietMs;
    if (openedAt === undefined || this.#windowOf(workload).quietMs > longestMs) return false;
    return monotonicMs() - openedAt < longestMs;
  }

  /** Why the workload is not being patched now; undefined if nothing is to be done for it. */
  pendingReasonOf(workload: ObjectKey): PendingReason | undefined {
    if (this.#heldBack.has(workload)) return { type: 'selection' };
    if (this.needsOf(workload).length > 0) return { type: 'dependency' };
    const backoff = this.#queue.backoffOf(workload);
    if (backoff?.until === Number.POSITIVE_INFINITY) return { type: 'change', message: backoff.message };
    if (backoff !== undefined) return { type: 'backoff', ...backoff };
    if (this.#due.has(workload)) return { type: 'queued' };
    const until = this.#quiet.endOf(workload);
    if (until !== undefined) return { type: 'quiet', until };
    const externalRolloutMs = this.#externalRolloutDeadlines.untilOf(workload);
    return externalRolloutMs === undefined
      ? undefined
      : { type: 'external-rollout', until: externalRolloutMs };
  }

  /** What waits to be rolled out to the workload. */
  pendingChangesOf(workload: ObjectKey): PendingChanges | undefined {
    return this.#pendingChanges.get(workload);
  }

  /** Starts no more rollouts; resolves when the patches under way are answered. */
  async close(): Promise<void> {
    this.#quiet.close();
    await this.#queue.close();
  }

  /** The window that opens now; where the pace makes it longer, people are told when the next rollout comes. */
  #openedWindowOf(key: ObjectKey): WindowLength {
    const window = this.#pace.windowOf(key, this.#windowOf(key));
    const ref = this.#options.store.workloads.get(key)?.workload.ref;
    if (ref !== undefined && this.#pace.isSlowed(key)) this.#options.observer.onSlowed(ref, window.maxWaitMs);
    return window;
  }

  /** Where a workload asks for a longer one it lasts so long from the first change. */
  #windowOf(workload: ObjectKey): WindowLength {
    const { store, quietMs, maxWaitMs } = this.#options;
    const record = store.workloads.get(workload);
    const ownMs = record === undefined ? 0 : store.settings.vocabularies.pausing.windowMsOf(record.workload);
    return { quietMs: Math.max(quietMs, ownMs), maxWaitMs: Math.max(maxWaitMs, ownMs) };
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

  /** A defect of ours counts as any failure: the workload stays outdated and is tried again. */
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

  /** What follows for the queue and for those who watch. `times`: how often in a row it was refused, if others counted. */
  #conclude(key: ObjectKey, ref: WorkloadRef, outcome: Outcome, times?: number): Result {
    const pending = this.#pendingChanges.get(key) ?? { changes: 1, since: monotonicMs() };
    const result = this.#resultOf(key, outcome, times);
    const nextTryMs = result === 'done' ? undefined : result === 'again' ? 0 : result.afterMs;
    this.#options.observer.onOutcome(ref, outcome, pending, nextTryMs);
    return result;
  }

  /** The one switch. */
  #resultOf(key: ObjectKey, outcome: Outcome, times: number | undefined): Result {
    switch (outcome.type) {
      case 'settled':
      case 'done':
        if (outcome.type === 'done') this.#pace.rolled(key);
        else this.#pace.settled(key);
        this.#settle(key);
        // What came during the attempt begins a window of its own.
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
      case 'again':
        return this.#again(key);
      case 'waiting-for-dependency':
        this.#cease(key);
        this.#triesOf(key).needs = outcome.needs;
        return this.#putOff(key, { bounds: REFUSAL_BACKOFF });
      case 'later':
        return this.#putOff(key, { ...outcome, bounds: LATER_BACKOFF, atLeastMs: outcome.retryAfterMs });
      case 'given-up':
        // Until there is a reason to try again, see retryNow.
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

  #again(key: ObjectKey): Result {
    const tries = this.#triesOf(key);
    const { conflicts } = tries;
    tries.conflicts += 1;
    this.#due.add(key);
    if (conflicts === 0) return 'again';
    return { afterMs: backoffMs(conflicts - 1, CONFLICT_BACKOFF, this.#options.random) };
  }

  #putOff(key: ObjectKey, failure: Failure): Result {
    this.#triesOf(key).conflicts = 0;
    this.#due.delete(key);
    this.#quiet.forget(key);
    return this.#queue.backOff(key, failure);
  }

  #triesOf(key: ObjectKey): Tries {
    const tries = this.#tries.get(key) ?? { conflicts: 0, refused: undefined, needs: [] };
    this.#tries.set(key, tries);
    return tries;
  }

  #cease(key: ObjectKey): void {
    this.#due.delete(key);
    this.#tries.delete(key);
  }

  #settle(key: ObjectKey): void {
    this.#cease(key);
    this.#heldBack.delete(key);
    this.#externalRolloutDeadlines.delete(key);
    this.#pendingChanges.delete(key);
  }

  #paceOf(key: ObjectKey): Pace {
    const { store } = this.#options;
    const record = store.workloads.get(key);
    return record === undefined ? UNHURRIED : store.settings.vocabularies.paceOf(record.workload);
  }

  #isSelected(key: ObjectKey): boolean {
    const { store } = this.#options;
    const namespace = store.workloads.get(key)?.workload.ref.namespace;
    return namespace === undefined || store.isSelected(namespace);
  }
}
