/**
 * Rolls what is owed: a quiet period for each workload, then a worker that plans from the present, patches once, and acts
 * on the outcome. No outcome settles a workload but an accepted patch or the end of what it owes.
 */

import { type BackoffBounds, backoffMs } from '../model/backoff.ts';
import type { Heartbeat } from '../model/heartbeat.ts';
import { keyOf, type ObjectKey, type WorkloadRef } from '../model/object-ref.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import { carries, type RolloutPlan } from '../model/rollout-plan.ts';
import type { Timeline } from '../model/timeline.ts';
import { type Workload, workloadOf } from '../model/workload.ts';
import { workloadKindOf } from '../model/workload-kind.ts';
import type { WriteResult } from '../model/write-result.ts';
import { QuietPeriod } from '../queue/quiet-period.ts';
import { WorkQueue } from '../queue/work-queue.ts';
import type { Edges } from './edges.ts';
import { Effects } from './effects.ts';
import type { Outcome } from './outcome.ts';
import { Retries } from './retries.ts';
import { abandonRollout, acceptRollout, planRollout } from './rollout.ts';
import type { Tally, Waiting } from './waiting.ts';

/** Knows how to read and patch workloads. Never throws. */
export interface WorkloadClient {
  /** An accepted patch without an object is one of a dry run. */
  readonly patch: (ref: WorkloadRef, body: object) => Promise<WriteResult<RawWorkload | undefined>>;
  readonly get: (
    ref: WorkloadRef,
  ) => Promise<
    | { readonly kind: 'found'; readonly object: RawWorkload }
    | { readonly kind: 'gone' }
    | { readonly kind: 'failed'; readonly message: string; readonly retryAfterMs?: number }
  >;
}

/** Who wants to know what became of a workload that was due. */
export interface RolloutObserver {
  /** An attempt ended; `tally` is what it was about. */
  readonly onOutcome: (
    ref: WorkloadRef,
    outcome: Outcome,
    tally: Tally,
    nextTryMs: number | undefined,
  ) => void;
  /** The API server answered a patch. */
  readonly onPatchAnswered: (seconds: number) => void;
}

/** What the controller is made of. */
export interface RolloutControllerOptions {
  readonly edges: Edges;
  readonly client: WorkloadClient;
  readonly timeline: Timeline;
  readonly heartbeat: Heartbeat;
  /** Carries out the consequences of what was learned. */
  readonly apply: (effects: Effects) => void;
  /** Takes in a look at a workload, known before in the version `since`. False: it was overtaken and says nothing. */
  readonly observe: (ref: WorkloadRef, workload: Workload, since: string | undefined) => boolean;
  /** Looks afresh at an object and takes in what it sees; false: it failed. */
  readonly lookAt: (config: ObjectKey) => Promise<boolean>;
  readonly observer: RolloutObserver;
  readonly quietMs: number;
  readonly maxWaitMs: number;
  readonly concurrency: number;
  readonly random: () => number;
}

/** Several calls, each of which may take half a minute to be answered. */
const LONGEST_ATTEMPT_MS = 120_000;
/** A window that lasts longer than this many quiet periods holds up no commit. */
const DEFAULT_WAIT_IN_PERIODS = 6;
const CONFLICT_BACKOFF: BackoffBounds = { baseMs: 20, capMs: 5_000 };
const LATER_BACKOFF: BackoffBounds = { baseMs: 500, capMs: 30_000 };
const REFUSAL_BACKOFF: BackoffBounds = { baseMs: 5_000, capMs: 300_000 };

/** See the file's comment. */
export class RolloutController {
  readonly #options: RolloutControllerOptions;
  readonly #quiet: QuietPeriod;
  readonly #queue: WorkQueue;
  /** Released by the quiet period and not yet patched, refused or settled. */
  readonly #due = new Set<ObjectKey>();
  readonly #retries = new Retries();
  /** Owed something, in a namespace that is not selected. */
  readonly #heldBack = new Set<ObjectKey>();
  readonly #tallies = new Map<ObjectKey, { changes: number; since: number }>();

  constructor(options: RolloutControllerOptions) {
    this.#options = options;
    const { quietMs, maxWaitMs, concurrency } = options;
    this.#quiet = new QuietPeriod({ quietMs, maxWaitMs, release: (key) => this.#release(key) });
    this.#queue = new WorkQueue({ work: (key) => this.#work(key), concurrency });
  }

  /** `workload` owes something because `changes` objects changed; answers in how many ms it is rolled, if nothing else comes. */
  touch(workload: ObjectKey, changes: number): number {
    const tally = this.#tallies.get(workload) ?? { changes: 0, since: Date.now() };
    this.#tallies.set(workload, { ...tally, changes: tally.changes + changes });
    if (!this.#isSelected(workload)) {
      this.#heldBack.add(workload);
      return Number.POSITIVE_INFINITY;
    }
    const { backoff } = this.#retries.get(workload) ?? {};
    if (backoff !== undefined) return Math.max(0, backoff.until - Date.now());
    return this.#quiet.touch(workload);
  }

  /** The workload's namespace is selected: in how many ms it is rolled; undefined if nothing was held back. */
  release(workload: ObjectKey): number | undefined {
    return this.#heldBack.delete(workload) ? this.#quiet.touch(workload) : undefined;
  }

  /** The owner changed the workload: what was refused before may be accepted now. */
  spur(workload: ObjectKey): void {
    if (this.#retries.get(workload)?.backoff === undefined) return;
    this.#retries.delete(workload);
    this.#queue.forget(workload);
    this.#quiet.touch(workload);
  }

  /** Our stamp was taken back `times` more often than is tried: that counts as so many refusals in a row. */
  contest(workload: ObjectKey, ref: WorkloadRef, times: number): void {
    this.#quiet.forget(workload);
    this.#retries.of(workload).failures = times - 1;
    this.#conclude(workload, ref, { type: 'refused', message: 'the stamp is taken back each time' });
  }

  /** Forgets a workload that is gone or follows nothing any more. */
  forget(workload: ObjectKey): void {
    this.#quiet.forget(workload);
    this.#queue.forget(workload);
    this.#settle(workload);
  }

  /** Whether the workload is going to be patched soon, so that a commit of what it owes waits for it. */
  isWaiting(workload: ObjectKey): boolean {
    if (this.#retries.get(workload)?.backoff !== undefined) return false;
    if (this.#due.has(workload) || this.#queue.isBusy(workload)) return true;
    const openedAt = this.#quiet.beginOf(workload);
    return openedAt !== undefined && Date.now() - openedAt < DEFAULT_WAIT_IN_PERIODS * this.#options.quietMs;
  }

  /** Why the workload is not being patched now; undefined if nothing is to be done for it. */
  waitingOf(workload: ObjectKey): Waiting | undefined {
    if (this.#heldBack.has(workload)) return { type: 'selection' };
    const { backoff } = this.#retries.get(workload) ?? {};
    if (backoff !== undefined) return { type: 'backoff', ...backoff };
    if (this.#due.has(workload)) return { type: 'queued' };
    const until = this.#quiet.endOf(workload);
    return until === undefined ? undefined : { type: 'quiet', until };
  }

  /** What waits to be rolled out to the workload. */
  tallyOf(workload: ObjectKey): Tally | undefined {
    return this.#tallies.get(workload);
  }

  /** Starts no more rollouts; resolves when the patches under way are answered. */
  async close(): Promise<void> {
    this.#quiet.close();
    await this.#queue.close();
  }

  #release(key: ObjectKey): void {
    this.#due.add(key);
    this.#queue.add(key);
  }

  async #work(key: ObjectKey): Promise<void> {
    const ref = this.#options.edges.workloads.get(key)?.workload.ref;
    if (ref === undefined) return this.#settle(key);
    this.#conclude(key, ref, await this.#fencedAttempt(key, ref));
  }

  /** A defect of ours must not end the process: the workload stays owed and is tried again. */
  async #fencedAttempt(key: ObjectKey, ref: WorkloadRef): Promise<Outcome> {
    const { heartbeat } = this.#options;
    const loop = `the rollout of ${key}`;
    heartbeat.sleeps(loop, Date.now() + LONGEST_ATTEMPT_MS);
    try {
      return await this.#attempt(key, ref);
    } catch (error) {
      return { type: 'later', message: `internal error: ${String(error)}` };
    } finally {
      heartbeat.ended(loop);
    }
  }

  async #attempt(key: ObjectKey, ref: WorkloadRef): Promise<Outcome> {
    const { edges, client } = this.#options;
    const unresolved = (await this.#resolveFlight(key, ref)) ?? (await this.#resolveDoubt(key));
    if (unresolved !== undefined) return unresolved;
    if (!this.#isSelected(key)) return { type: 'unselected' };
    const since = this.#tallies.get(key)?.since ?? Date.now();
    const plan = planRollout(edges, key, Math.floor(since / 1000));
    const record = edges.workloads.get(key);
    if (plan === undefined || record === undefined) return { type: 'settled' };
    record.inFlight = plan;
    const startedAt = Date.now();
    const result = await client.patch(ref, plan.body);
    this.#options.observer.onPatchAnswered((Date.now() - startedAt) / 1000);
    return await this.#answered(key, plan, result);
  }

  /** Finds out what became of a patch whose answer was lost; undefined when that is known. */
  async #resolveFlight(key: ObjectKey, ref: WorkloadRef): Promise<Outcome | undefined> {
    const plan = this.#options.edges.workloads.get(key)?.inFlight;
    return plan === undefined ? undefined : await this.#refresh(ref, plan);
  }

  /** What another process knew and this one does not is looked at first: else the two would roll in turns. */
  async #resolveDoubt(key: ObjectKey): Promise<Outcome | undefined> {
    const { edges, lookAt } = this.#options;
    const configs = [...(edges.workloads.get(key)?.edges.keys() ?? [])].filter((config) =>
      edges.doubted.has(config),
    );
    for (const config of configs) {
      if (!(await lookAt(config))) return { type: 'later', message: 'the changed object cannot be read' };
      edges.doubted.delete(config);
    }
    return undefined;
  }

  async #answered(
    key: ObjectKey,
    plan: RolloutPlan,
    result: WriteResult<RawWorkload | undefined>,
  ): Promise<Outcome> {
    switch (result.kind) {
      case 'accepted':
        return this.#accepted(plan, result.object);
      case 'conflict':
        return (await this.#refresh(plan.workload, plan)) ?? { type: 'again' };
      case 'gone':
        this.#abandon(plan);
        return { type: 'gone' };
      case 'rejected':
        return await this.#rejected(key, plan, result.code === 'forbidden', result.message);
      case 'throttled':
        this.#abandon(plan);
        return { type: 'later', message: result.message, ...retryAfter(result.retryAfterMs) };
      case 'unanswered': {
        const known = await this.#refresh(plan.workload, plan);
        return known ?? { type: 'later', message: result.message, ...retryAfter(result.retryAfterMs) };
      }
    }
  }

  #accepted(plan: RolloutPlan, object: RawWorkload | undefined): Outcome {
    const { edges, apply, timeline } = this.#options;
    const workload = object && this.#viewOf(plan.workload, object);
    if (workload !== undefined && !carries(workload, plan)) {
      this.#abandon(plan);
      return { type: 'refused', message: 'the API server accepted the patch without its stamp' };
    }
    const effects = new Effects();
    const span = timeline.ofWrite(workload?.resourceVersion ?? '', this.#signOf(plan.workload));
    acceptRollout(edges, effects, plan, workload, span);
    apply(effects);
    return { type: 'done', plan };
  }

  /** A refusal counts only when the same plan is refused twice on fresh data: the first may have been of a stale one. */
  async #rejected(
    key: ObjectKey,
    plan: RolloutPlan,
    isForbidden: boolean,
    message: string,
  ): Promise<Outcome> {
    const retry = this.#retries.of(key);
    const text = JSON.stringify({ ...plan.body, metadata: undefined });
    const isRefusal = isForbidden || retry.refused === text;
    retry.refused = text;
    if (isRefusal) {
      this.#abandon(plan);
      return { type: 'refused', message };
    }
    return (await this.#refresh(plan.workload, plan)) ?? { type: 'again' };
  }

  /** Looks at the workload afresh; undefined once it is known that `plan` is not in force and nothing is in its way. */
  async #refresh(ref: WorkloadRef, plan: RolloutPlan): Promise<Outcome | undefined> {
    const { client, observe, edges } = this.#options;
    const since = edges.workloads.get(keyOf(ref))?.workload.resourceVersion;
    const reading = await client.get(ref);
    switch (reading.kind) {
      case 'found': {
        const workload = this.#viewOf(ref, reading.object);
        if (!observe(ref, workload, since)) return { type: 'later', message: 'it changed while it was read' };
        this.#abandon(plan);
        return carries(workload, plan) ? { type: 'done', plan } : undefined;
      }
      case 'gone':
        this.#abandon(plan);
        return { type: 'gone' };
      case 'failed':
        // The plan stays in flight: until it is known whether it is in force, nobody plans anew.
        return { type: 'later', message: reading.message, ...retryAfter(reading.retryAfterMs) };
    }
  }

  #abandon(plan: RolloutPlan): void {
    const effects = new Effects();
    abandonRollout(this.#options.edges, effects, plan);
    this.#options.apply(effects);
  }

  /** The one switch: what follows for the queue and for those who watch. */
  #conclude(key: ObjectKey, ref: WorkloadRef, outcome: Outcome): void {
    const tally = this.#tallies.get(key) ?? { changes: 1, since: Date.now() };
    let nextTryMs: number | undefined;
    switch (outcome.type) {
      case 'settled':
      case 'done':
        this.#settle(key);
        // What came during the attempt begins a window of its own.
        if (this.#options.edges.owes(key)) this.touch(key, 1);
        break;
      case 'unselected':
        this.#due.delete(key);
        this.#retries.delete(key);
        this.#heldBack.add(key);
        break;
      case 'again':
        nextTryMs = this.#again(key);
        break;
      case 'later':
        nextTryMs = this.#putOff(key, outcome.message, LATER_BACKOFF, outcome.retryAfterMs);
        break;
      case 'refused':
        nextTryMs = this.#putOff(key, outcome.message, REFUSAL_BACKOFF);
        break;
      case 'gone':
        nextTryMs = this.#putOff(key, 'the workload no longer exists', LATER_BACKOFF);
        break;
    }
    this.#options.observer.onOutcome(ref, outcome, tally, nextTryMs);
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
    retry.backoff = { until: Date.now() + ms, message };
    this.#due.delete(key);
    this.#quiet.forget(key);
    this.#queue.forget(key);
    this.#queue.addAfter(key, ms);
    return ms;
  }

  #settle(key: ObjectKey): void {
    this.#heldBack.delete(key);
    this.#due.delete(key);
    this.#retries.delete(key);
    this.#tallies.delete(key);
  }

  #isSelected(key: ObjectKey): boolean {
    const { edges } = this.#options;
    const namespace = edges.workloads.get(key)?.workload.ref.namespace;
    return namespace === undefined || edges.isSelected(namespace);
  }

  #viewOf(ref: WorkloadRef, raw: RawWorkload): Workload {
    return workloadOf(workloadKindOf(ref.kind), raw, this.#options.edges.dialect);
  }

  #signOf(ref: WorkloadRef): { resourceVersion: string; arrival: number } | undefined {
    const record = this.#options.edges.workloads.get(keyOf(ref));
    return record && { resourceVersion: record.workload.resourceVersion, arrival: record.knownAt };
  }
}

function retryAfter(retryAfterMs: number | undefined): { retryAfterMs?: number } {
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}
