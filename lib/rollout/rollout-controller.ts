/**
 * Rolls what is owed: a quiet period for each workload, then a worker that makes one attempt at a time, and acts on its
 * outcome. No outcome settles a workload but an accepted patch or the end of what it owes.
 */

import type { Heartbeat } from '../model/health.ts';
import { type Log, NO_LOG } from '../model/log.ts';
import type { ConfigRef, ObjectKey, WorkloadRef } from '../model/object-ref.ts';
import type { Outcome, PendingChanges, PendingReason } from '../model/outcome.ts';
import { type Pace, UNHURRIED } from '../model/settings.ts';
import {
  type BackoffBounds,
  backoffMs,
  CONFLICT_BACKOFF,
  LATER_BACKOFF,
  monotonicMs,
  REFUSAL_BACKOFF,
} from '../model/time.ts';
import { QuietPeriod, type WindowLength } from '../queue/quiet-period.ts';
import { WorkQueue } from '../queue/work-queue.ts';
import { needsRollout } from '../tracking/edge-policy.ts';
import { ExternalRolloutDeadlines } from '../tracking/external-rollout-deadlines.ts';
import { Retries } from './retries.ts';
import { type AttemptOptions, RolloutAttempts } from './rollout-attempt.ts';
import { RolloutPace } from './rollout-pace.ts';

/** Who wants to know what became of a workload that was due. */
export interface RolloutObserver {
  /** An attempt ended; `tally` is what it was about. */
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
const DEFAULT_WAIT_IN_PERIODS = 6;

/** See the file's comment. */
export class RolloutController {
  readonly #options: RolloutControllerOptions;
  readonly #log: Log;
  readonly #quiet: QuietPeriod;
  readonly #queue: WorkQueue;
  /** Released by the quiet period and not yet patched, refused or settled. */
  readonly #due = new Set<ObjectKey>();
  readonly #retries = new Retries();
  readonly #attempts: RolloutAttempts;
  readonly #externalRolloutDeadlines = new ExternalRolloutDeadlines();
  /** How often each workload was rolled lately. */
  readonly #pace = new RolloutPace((key) => this.#paceOf(key));
  /** Owed something, in a namespace that is not selected. */
  readonly #heldBack = new Set<ObjectKey>();
  /** Owed something, while something is not there that their pods need. */
  readonly #lacking = new Map<ObjectKey, readonly ConfigRef[]>();
  readonly #pendingChanges = new Map<ObjectKey, { changes: number; since: number }>();

  constructor(options: RolloutControllerOptions) {
    this.#options = options;
    const { concurrency, log = NO_LOG } = options;
    this.#log = log;
    this.#quiet = new QuietPeriod({
      windowOf: (key) => this.#openedWindowOf(key),
      release: (key) => this.#release(key),
    });
    this.#queue = new WorkQueue({ work: (key) => this.#work(key), concurrency });
    const externalRolloutMs = this.#externalRolloutDeadlines.remaining.bind(this.#externalRolloutDeadlines);
    this.#attempts = new RolloutAttempts({ ...options, externalRolloutMs });
  }

  /** `workload` owes something because `changes` objects changed; answers in how many ms it is rolled, if nothing else comes. */
  touch(workload: ObjectKey, changes: number): number {
    const pending = this.#pendingChanges.get(workload) ?? { changes: 0, since: monotonicMs() };
    this.#pendingChanges.set(workload, { ...pending, changes: pending.changes + changes });
    if (!this.#isSelected(workload)) {
      this.#heldBack.add(workload);
      return Number.POSITIVE_INFINITY;
    }
    const { backoff } = this.#retries.get(workload) ?? {};
    if (backoff !== undefined) return Math.max(0, backoff.until - monotonicMs());
    return this.#quiet.touch(workload);
  }

  /** The workload's namespace is selected: in how many ms it is rolled; undefined if nothing was held back. */
  release(workload: ObjectKey): number | undefined {
    return this.#heldBack.delete(workload) ? this.#quiet.touch(workload) : undefined;
  }

  /** The owner's rollout ended: what waited for it is settled, or rolled. */
  resume(workload: ObjectKey): void {
    if (this.#externalRolloutDeadlines.delete(workload)) this.#release(workload);
  }

  /** What is not there may be there now: who of these, or of all, waits for nothing of it any more is rolled. */
  recheck(workloads?: Iterable<ObjectKey>): void {
    const { store, needsOf } = this.#options;
    if (this.#lacking.size === 0) return;
    for (const key of [...(workloads ?? this.#lacking.keys())]) {
      if (!this.#lacking.has(key)) continue;
      const record = store.workloads.get(key);
      if (record !== undefined && needsOf(record).length > 0) continue;
      this.#lacking.delete(key);
      this.#quiet.touch(key);
    }
  }

  /** What the workload waits for that is not there; mostly nothing. */
  needsOf(workload: ObjectKey): readonly ConfigRef[] {
    return this.#lacking.get(workload) ?? [];
  }

  /** The owner changed the workload: what was refused before may be accepted now. */
  retryNow(workload: ObjectKey): void {
    if (this.#retries.get(workload)?.backoff === undefined) return;
    this.#retries.delete(workload);
    this.#queue.forget(workload);
    this.#quiet.touch(workload);
  }

  /** Our stamp was taken back `times` more often than is tried: that counts as so many refusals in a row. */
  contest(workload: ObjectKey, times: number): void {
    const ref = this.#options.store.workloads.get(workload)?.workload.ref;
    if (ref === undefined) return;
    this.#quiet.forget(workload);
    this.#retries.of(workload).failures = times - 1;
    this.#conclude(workload, ref, { type: 'refused', message: 'the stamp is reverted each time' });
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

  /** Whether the workload is going to be patched soon, so that a commit of what it owes waits for it. */
  isWaiting(workload: ObjectKey): boolean {
    if (this.#retries.get(workload)?.backoff !== undefined) return false;
    const isTried = this.#queue.isBusy(workload) && !this.#heldBack.has(workload);
    if (this.#due.has(workload) || isTried) return true;
    const openedAt = this.#quiet.beginOf(workload);
    const longestMs = DEFAULT_WAIT_IN_PERIODS * this.#options.quietMs;
    if (openedAt === undefined || this.#windowOf(workload).quietMs > longestMs) return false;
    return monotonicMs() - openedAt < longestMs;
  }

  /** Why the workload is not being patched now; undefined if nothing is to be done for it. */
  pendingReasonOf(workload: ObjectKey): PendingReason | undefined {
    if (this.#heldBack.has(workload)) return { type: 'selection' };
    if (this.#lacking.has(workload)) return { type: 'dependency' };
    const { backoff } = this.#retries.get(workload) ?? {};
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

  async #work(key: ObjectKey): Promise<void> {
    const ref = this.#options.store.workloads.get(key)?.workload.ref;
    if (ref === undefined) return this.#settle(key);
    const outcome = await this.#fencedAttempt(key, ref);
    try {
      this.#conclude(key, ref, outcome);
    } catch (error) {
      const message = `internal error: ${String(error)}`;
      this.#log.error('what became of a rollout could not be told, it is tried again', {
        workload: key,
        error: message,
      });
      // Who owes nothing any more is settled by the next attempt.
      this.#putOff(key, message, LATER_BACKOFF);
    }
  }

  /** A defect of ours must not end the process: the workload stays owed and is tried again. */
  async #fencedAttempt(key: ObjectKey, ref: WorkloadRef): Promise<Outcome> {
    const { heartbeat } = this.#options;
    const loop = `the rollout of ${key}`;
    heartbeat.sleeps(loop, monotonicMs() + LONGEST_ATTEMPT_MS);
    try {
      const since = this.#pendingChanges.get(key)?.since ?? monotonicMs();
      return await this.#attempts.run(ref, this.#retries.of(key), since);
    } catch (error) {
      return { type: 'later', message: `internal error: ${String(error)}` };
    } finally {
      heartbeat.ended(loop);
    }
  }

  /** The one switch: what follows for the queue and for those who watch. */
  #conclude(key: ObjectKey, ref: WorkloadRef, outcome: Outcome): void {
    const pending = this.#pendingChanges.get(key) ?? { changes: 1, since: monotonicMs() };
    let nextTryMs: number | undefined;
    switch (outcome.type) {
      case 'settled':
      case 'done':
        if (outcome.type === 'done') this.#pace.rolled(key);
        else this.#pace.settled(key);
        this.#settle(key);
        // What came during the attempt begins a window of its own.
        if (needsRollout(this.#options.store, key)) this.touch(key, 1);
        break;
      case 'unselected':
        this.#due.delete(key);
        this.#retries.delete(key);
        this.#heldBack.add(key);
        break;
      case 'waiting-for-dependency':
        this.#due.delete(key);
        this.#retries.delete(key);
        this.#lacking.set(key, outcome.needs);
        break;
      case 'absorbing':
        this.#due.delete(key);
        this.#retries.delete(key);
        this.#queue.addAfter(
          key,
          Math.max(0, (this.#externalRolloutDeadlines.untilOf(key) ?? 0) - monotonicMs()),
        );
        break;
      case 'again':
        nextTryMs = this.#again(key);
        break;
      case 'later':
        nextTryMs = this.#putOff(key, outcome.message, LATER_BACKOFF, outcome.retryAfterMs);
        break;
      case 'given-up':
        this.#giveUp(key, outcome.message);
        break;
      case 'refused':
        nextTryMs = this.#putOff(key, outcome.message, REFUSAL_BACKOFF);
        break;
      case 'gone':
        nextTryMs = this.#putOff(key, 'the workload no longer exists', LATER_BACKOFF);
        break;
    }
    this.#options.observer.onOutcome(ref, outcome, pending, nextTryMs);
  }

  #again(key: ObjectKey): number {
    const retry = this.#retries.of(key);
    const ms =
      retry.conflicts === 0 ? 0 : backoffMs(retry.conflicts - 1, CONFLICT_BACKOFF, this.#options.random);
    retry.conflicts += 1;
    retry.backoff = undefined;
    this.#due.add(key);
    if (ms === 0) this.#queue.add(key);
    else this.#queue.addAfter(key, ms);
    return ms;
  }

  #putOff(key: ObjectKey, message: string, bounds: BackoffBounds, atLeastMs = 0): number {
    const retry = this.#retries.of(key);
    const ms = Math.max(atLeastMs, backoffMs(retry.failures, bounds, this.#options.random));
    retry.failures += 1;
    retry.conflicts = 0;
    retry.backoff = { until: monotonicMs() + ms, message };
    this.#due.delete(key);
    this.#quiet.forget(key);
    this.#queue.forget(key);
    this.#queue.addAfter(key, ms);
    return ms;
  }

  /** It is spurred once there is a reason to try again. */
  #giveUp(key: ObjectKey, message: string): void {
    this.#retries.of(key).backoff = { until: Number.POSITIVE_INFINITY, message };
    this.#due.delete(key);
    this.#quiet.forget(key);
    this.#queue.forget(key);
  }

  #settle(key: ObjectKey): void {
    this.#heldBack.delete(key);
    this.#lacking.delete(key);
    this.#externalRolloutDeadlines.delete(key);
    this.#due.delete(key);
    this.#retries.delete(key);
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
