/** One attempt to roll a workload: plan from the present, patch once, find out what became of it. */

import { type ConfigRef, keyOf, type ObjectKey, type WorkloadRef } from '../model/object-ref.ts';
import type { Outcome, RollResult, WorkloadClient } from '../model/outcome.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import { carries, type RolloutPlan } from '../model/rollout-plan.ts';
import { monotonicMs } from '../model/time.ts';
import type { SignOfLife, Timeline } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { Effects } from '../tracking/effects.ts';
import { isBroughtByExternalRollout } from '../tracking/external-rollout.ts';
import { abandonRollout, acceptRollout, doubtRollout, planRollout } from '../tracking/rollout-decision.ts';
import { isGivenUp, MOST_TRIES } from '../tracking/take-backs.ts';
import { Births, type ListBirths } from './births.ts';

/** What is remembered of the attempts to roll one workload that did not succeed. */
export interface Tries {
  /** Times in a row that another writer was first. */
  conflicts: number;
  /** The plan that was refused on fresh data, as text: refused again it is a refusal. */
  refused: string | undefined;
  /** What the workload needs and was not there. */
  needs: readonly ConfigRef[];
}

/** What attempts are made with. */
export interface AttemptOptions {
  readonly store: Store;
  readonly client: WorkloadClient;
  readonly timeline: Timeline;
  /** Carries out the consequences of what was learned. */
  readonly apply: (effects: Effects) => void;
  /** Takes in a look at a workload. */
  readonly observe: (ref: WorkloadRef, workload: Workload) => void;
  /** For how many ms more a workload waits for an external rollout that brings its changes. */
  readonly externalRolloutMs: (workload: ObjectKey, record: WorkloadRecord) => number;
  /** What the workload needs, and what is not there: its pods would wait for it. Mostly nothing. */
  readonly needsOf: (record: WorkloadRecord) => readonly ConfigRef[];
  /** Looks again for objects that no stream may show. */
  readonly lookFor: (missing: readonly ConfigRef[]) => Promise<void>;
  readonly listBirths: ListBirths;
  /** The API server answered a patch. */
  readonly onPatchAnswered: (seconds: number) => void;
}

const TAKEN_BACK_EACH_TIME = `its stamp was reverted ${MOST_TRIES} times, and is not written again for this content`;

/** See the file's comment. */
export class RolloutAttempts {
  readonly #options: AttemptOptions;
  readonly #births: Births;

  constructor(options: AttemptOptions) {
    this.#options = options;
    this.#births = new Births(options);
  }

  /** One attempt; `tries` is what is remembered of those before, `since` when the first change was seen, as monotonicMs says it. Never two at once. */
  async run(ref: WorkloadRef, tries: Tries, since: number): Promise<Outcome> {
    const { store, client } = this.#options;
    const key = keyOf(ref);
    const unresolved = await this.#resolveFlight(key, ref);
    if (unresolved !== undefined) return unresolved;
    if (!store.isSelected(ref.namespace)) return { type: 'unselected' };
    if (this.#isGivenUp(key)) return { type: 'given-up', message: TAKEN_BACK_EACH_TIME };
    await this.#births.weigh(key);
    if (this.#isOwnersTurn(key)) return { type: 'absorbing' };
    if (tries.needs.length > 0) await this.#options.lookFor(tries.needs);
    const now = Date.now();
    const changedAt = now - (monotonicMs() - since);
    const plan = planRollout(store, key, Math.floor(changedAt / 1000), new Date(now).toISOString());
    const record = store.workloads.get(key);
    if (plan === undefined || record === undefined) return { type: 'settled' };
    const needs = this.#options.needsOf(record);
    if (needs.length > 0) return { type: 'waiting-for-dependency', needs };
    record.inFlight = plan;
    const startedAt = monotonicMs();
    const result = await client.roll(plan);
    this.#options.onPatchAnswered((monotonicMs() - startedAt) / 1000);
    return await this.#answered(plan, result, tries);
  }

  #isGivenUp(key: ObjectKey): boolean {
    const record = this.#options.store.workloads.get(key);
    return record !== undefined && isGivenUp(record);
  }

  /** An external rollout without progress is not waited for any longer. */
  #isOwnersTurn(key: ObjectKey): boolean {
    const { store, externalRolloutMs } = this.#options;
    const record = store.workloads.get(key);
    if (record === undefined || !isBroughtByExternalRollout(store, record)) return false;
    if (externalRolloutMs(key, record) > 0) return true;
    record.externalRollout = undefined;
    return false;
  }

  /** Finds out what became of a patch whose answer was lost; undefined when that is known. */
  async #resolveFlight(key: ObjectKey, ref: WorkloadRef): Promise<Outcome | undefined> {
    const plan = this.#options.store.workloads.get(key)?.inFlight;
    return plan === undefined ? undefined : await this.#refresh(ref, plan, true);
  }

  async #answered(
    plan: RolloutPlan,
    result: RollResult<RawWorkload | undefined>,
    tries: Tries,
  ): Promise<Outcome> {
    if (result.mayHaveRun) doubtRollout(this.#options.store, plan);
    switch (result.kind) {
      case 'accepted':
        return this.#accepted(plan, result.object);
      case 'conflict':
        return (await this.#refresh(plan.workload, plan)) ?? { type: 'again' };
      case 'gone':
        this.#abandon(plan);
        return { type: 'gone' };
      case 'rejected':
        return await this.#rejected(plan, result.code === 'forbidden', result.message, tries);
      case 'throttled':
        this.#abandon(plan);
        return { type: 'later', message: result.message, ...retryAfter(result.retryAfterMs) };
      case 'unanswered': {
        const known = await this.#refresh(plan.workload, plan, true);
        return known ?? { type: 'later', message: result.message, ...retryAfter(result.retryAfterMs) };
      }
    }
  }

  #accepted(plan: RolloutPlan, object: RawWorkload | undefined): Outcome {
    const { store, apply, timeline } = this.#options;
    const workload = object && store.viewOf(plan.workload, object);
    if (workload !== undefined && !carries(workload, plan)) {
      this.#abandon(plan);
      return { type: 'refused', message: 'the API server accepted the patch without its stamp' };
    }
    const effects = new Effects();
    const span = timeline.ofWrite(workload?.resourceVersion ?? '', this.#signOf(plan.workload));
    acceptRollout(store, effects, plan, workload, span);
    apply(effects);
    return { type: 'done', plan };
  }

  /** A refusal counts only when the same plan is refused twice on fresh data: the first may have been of a stale one. */
  async #rejected(plan: RolloutPlan, isForbidden: boolean, message: string, tries: Tries): Promise<Outcome> {
    const text = JSON.stringify({ ...plan.body, metadata: undefined });
    const isRefusal = isForbidden || tries.refused === text;
    tries.refused = text;
    if (isRefusal) {
      this.#abandon(plan);
      return { type: 'refused', message };
    }
    return (await this.#refresh(plan.workload, plan)) ?? { type: 'again' };
  }

  /**
   * Looks at the workload afresh; undefined once it is known that `plan` is not in force and nothing is in its way.
   * `isUnanswered`: it may have been meanwhile; else the server has said that it was not.
   */
  async #refresh(ref: WorkloadRef, plan: RolloutPlan, isUnanswered = false): Promise<Outcome | undefined> {
    const { client, observe, store } = this.#options;
    const reading = await client.get(ref);
    switch (reading.kind) {
      case 'found': {
        const workload = store.viewOf(ref, reading.object);
        observe(ref, workload);
        this.#abandon(plan, isUnanswered);
        return carries(workload, plan) ? { type: 'done', plan } : undefined;
      }
      case 'gone':
        this.#abandon(plan, isUnanswered);
        return { type: 'gone' };
      case 'failed':
        // The plan stays in flight: there is no new plan until it is known whether this one is in force.
        return { type: 'later', message: reading.message, ...retryAfter(reading.retryAfterMs) };
    }
  }

  #abandon(plan: RolloutPlan, wasUnanswered = false): void {
    const effects = new Effects();
    abandonRollout(this.#options.store, effects, plan, wasUnanswered);
    this.#options.apply(effects);
  }

  #signOf(ref: WorkloadRef): SignOfLife | undefined {
    const record = this.#options.store.workloads.get(keyOf(ref));
    return record && { at: record.knownAt, arrival: record.knownAt };
  }
}

function retryAfter(retryAfterMs: number | undefined): { retryAfterMs?: number } {
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}
