/**
 * One attempt to roll a workload: plan from the present store, send one patch, find out its result. Promise: the outcome is
 * `rolled` only if the patch is known to have an effect, and a patch whose result is unknown is looked up before the next one.
 */

import { STRATEGY_ANNOTATION } from '../annotations/vocabulary.ts';
import type { Blocker } from '../blockers/blocker.ts';
import { blockOf } from '../blockers/blockers.ts';
import { isCustom } from '../model/kinds/custom-kind.ts';
import { keyOf, type WorkloadRef } from '../model/object-ref.ts';
import {
  isTwice,
  type Outcome,
  type Retry,
  type RollResult,
  refusal,
  type WorkloadClient,
} from '../model/outcome.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import { carries, type RolloutPlan } from '../model/rollout-plan.ts';
import { monotonicMs } from '../model/time.ts';
import type { SignOfLife, Span, Timeline } from '../model/timeline.ts';
import { hasSameTemplate, type Workload } from '../model/workload.ts';
import { workloadKindOf } from '../model/workload-kind.ts';
import type { WorkloadRecord } from '../store/records.ts';
import { needsRollout } from '../tracking/edge-policy.ts';
import { Effects } from '../tracking/effects.ts';
import { abandonRollout, acceptRollout, doubtRollout } from '../tracking/rollout-decision.ts';
import { type EvictionOptions, PodEvictions } from './eviction.ts';
import { planRollout } from './plan-rollout.ts';

/** The memory of consecutive failed attempts to roll one workload. */
export interface Tries {
  /** The number of consecutive conflicts. */
  conflicts: number;
  /** The patch that was refused last, as text; only a second refusal of the same one counts. */
  refused: string | undefined;
  /** The id of their stamps, so that the same plan has the same text. One that may be applied yet is not used again. */
  id: number;
  /** Whether the last conflict was with a writer that left the template as it is: see RolloutDraft. */
  testsTemplate: boolean;
}

/** A patch that was sent. */
interface Sent {
  readonly plan: RolloutPlan;
  /** The workload that it was planned on. */
  readonly planned: Workload;
  readonly tries: Tries;
}

/** Records rollouts in the state, see StateCommitter. */
interface Marks {
  readonly isMarked: (record: WorkloadRecord) => boolean;
  readonly mark: (record: WorkloadRecord) => Promise<boolean>;
}

/** The collaborators of the attempts. */
export interface AttemptOptions extends EvictionOptions {
  readonly client: WorkloadClient;
  readonly timeline: Timeline;
  /** Observes a workload that was read again, or was answered to a write at `span`. */
  readonly observe: (ref: WorkloadRef, workload: Workload, span?: Span) => void;
  /** What may keep a workload from being rolled. */
  readonly blockers: readonly Blocker[];
  /** Has the state record a rollout before its patch. @default nothing is recorded */
  readonly marks?: Marks | undefined;
  /** Called with the latency of each patch, answered or not. */
  readonly onPatchAnswered: (seconds: number) => void;
}

const UNMARKED = 'the state cannot be written, and has to record the rollout first';

/** See the file's comment. */
export class RolloutAttempts {
  readonly #options: AttemptOptions;
  readonly #evictions: PodEvictions;

  constructor(options: AttemptOptions) {
    this.#options = options;
    this.#evictions = new PodEvictions(options);
  }

  /**
   * One attempt. `tries`: the memory of the attempts before, which it updates. `since`: when the first pending change was seen,
   * by monotonicMs. The caller makes no two attempts for one workload at once. May reject only by a defect.
   */
  async run(ref: WorkloadRef, tries: Tries, since: number): Promise<Outcome> {
    const { store, marks } = this.#options;
    const key = keyOf(ref);
    // An earlier patch without an answer: it may have an effect.
    const sent = store.workloads.get(key)?.inFlight;
    const unresolved = sent && (await this.#refresh(ref, sent));
    if (unresolved !== undefined) return unresolved;
    for (;;) {
      const record = store.workloads.get(key);
      if (record === undefined) return { type: 'current' };
      const known = this.#decide(record);
      if (known !== undefined) return known;
      // No patch before its mark: if this process dies with its answer, a start must know that pods may run either content.
      if (marks === undefined || marks.isMarked(record)) return await this.#begin(record, tries, since);
      if (!(await marks.mark(record))) return unavailable({ message: UNMARKED });
    }
  }

  /** Why there is nothing to send now. */
  #decide(record: WorkloadRecord): Outcome | undefined {
    const { store, blockers } = this.#options;
    this.#evictions.prepare(record);
    if (!needsRollout(store, keyOf(record.workload.ref))) return this.#current(record);
    const blocked = blockOf(blockers, record, Date.now());
    return blocked && { type: 'blocked', blocked };
  }

  /** Nothing blocks the workload, and the state marks it. */
  async #begin(record: WorkloadRecord, tries: Tries, since: number): Promise<Outcome> {
    const { store, blockers } = this.#options;
    const key = keyOf(record.workload.ref);
    for (const blocker of blockers) blocker.begin?.(record);
    const now = Date.now();
    const plan = planRollout(store, key, {
      seconds: Math.floor((now - (monotonicMs() - since)) / 1000),
      now: new Date(now).toISOString(),
      testsTemplate: tries.testsTemplate,
      id: tries.id,
    });
    return plan === undefined ? this.#current(record) : await this.#roll(record, plan, tries);
  }

  #current(record: WorkloadRecord): Outcome {
    this.#evictions.end(record);
    return { type: 'current' };
  }

  /** Whether the pods of the workload are evicted in place of a patch. */
  evicts(record: WorkloadRecord): boolean {
    return this.#evictions.isFor(record);
  }

  /** How many older pods of the workload were evicted; undefined: none are being evicted. */
  evictedOf(record: WorkloadRecord): number | undefined {
    return this.#evictions.evictedOf(record);
  }

  async #roll(record: WorkloadRecord, plan: RolloutPlan, tries: Tries): Promise<Outcome> {
    const { client, pods } = this.#options;
    if (pods !== undefined && this.#evictions.isFor(record))
      return await this.#evictions.attempt(record, plan, pods);
    this.#evictions.end(record);
    // Set before the patch is sent: if its answer is lost or this method throws, the next attempt looks the patch up first.
    record.inFlight = plan;
    const { workload: planned } = record;
    const startedAt = monotonicMs();
    const result = await client.roll(plan);
    this.#options.onPatchAnswered((monotonicMs() - startedAt) / 1000);
    return await this.#answered({ plan, planned, tries }, result);
  }

  async #answered(sent: Sent, result: RollResult<RawWorkload | undefined>): Promise<Outcome> {
    const { plan } = sent;
    if (result.mayHaveRun) doubtRollout(this.#options.store, plan);
    switch (result.kind) {
      case 'accepted':
        return this.#accepted(plan, result.object);
      case 'conflict':
        // A test of a plan on older data may fail: others write.
        return result.message === undefined || plan.testsTemplate !== true
          ? await this.#planAgain(sent)
          : await this.#rejected(sent, false, result.message);
      case 'gone':
        this.#abandon(plan);
        return { type: 'gone' };
      case 'rejected':
        return await this.#rejected(sent, result.code === 'forbidden', result.message);
      case 'throttled':
        this.#abandon(plan);
        return unavailable(result);
      case 'unanswered': {
        sent.tries.id = this.#options.store.settings.newStampId();
        const known = await this.#refresh(plan.workload, plan);
        return known ?? unavailable(result);
      }
    }
  }

  /** The answer has to show the stamp: a mutating webhook may have dropped it. */
  #accepted(plan: RolloutPlan, object: RawWorkload | undefined): Outcome {
    const { store, apply, observe, timeline } = this.#options;
    const workload = object && store.viewOf(plan.workload, object);
    if (workload !== undefined && !carries(workload, plan)) {
      this.#abandon(plan);
      return refusal(unstampedText(plan));
    }
    const effects = new Effects();
    const written = plan.referenced === undefined ? workload : workload?.referenced;
    const span = timeline.ofWrite(written?.resourceVersion ?? '', this.#signOf(plan.workload));
    // Another client may have changed what the patch does not test, such as what the workload follows. A Job is another one by now.
    const known = store.workloads.get(keyOf(plan.workload))?.workload;
    if (workload !== undefined && workload.uid === known?.uid) observe(plan.workload, workload, span);
    acceptRollout(store, effects, plan, workload, span);
    apply(effects);
    return { type: 'rolled', plan };
  }

  /** A 403 is a refusal at once. The first refusal of any other plan may have been planned on an outdated workload. */
  async #rejected(sent: Sent, isForbidden: boolean, message: string): Promise<Outcome> {
    const { plan, tries } = sent;
    const changes = plan.operations.filter(({ op, path }) => op !== 'test' && !path.startsWith('/metadata/'));
    const isRefusedTwice = isTwice(tries, JSON.stringify(changes));
    if (!isForbidden && !isRefusedTwice) return await this.#planAgain(sent);
    this.#abandon(plan);
    return refusal(message);
  }

  /** The next plan is made on fresh data. */
  async #planAgain({ plan, planned, tries }: Sent): Promise<Outcome> {
    const known = await this.#refresh(plan.workload, plan);
    const workload = this.#options.store.workloads.get(keyOf(plan.workload))?.workload;
    tries.testsTemplate = known === undefined && workload !== undefined && hasSameTemplate(workload, planned);
    return known ?? { type: 'retry', reason: 'conflict', message: 'another client wrote first' };
  }

  /** Reads the workload and observes it; undefined: the patch of `plan` has no effect, and a new attempt may follow. */
  async #refresh(ref: WorkloadRef, plan: RolloutPlan): Promise<Outcome | undefined> {
    const { client, observe, store } = this.#options;
    const reading = await client.get(ref);
    switch (reading.kind) {
      case 'found': {
        const workload = store.viewOf(ref, reading.object);
        observe(ref, workload);
        this.#abandon(plan);
        return carries(workload, plan) ? { type: 'rolled', plan } : undefined;
      }
      case 'absent':
        this.#abandon(plan);
        return { type: 'gone' };
      case 'failed':
        // The plan stays in flight: there is no new plan until it is known whether this one has an effect.
        return unavailable(reading);
    }
  }

  #abandon(plan: RolloutPlan): void {
    const effects = new Effects();
    abandonRollout(this.#options.store, effects, plan);
    this.#options.apply(effects);
  }

  #signOf(ref: WorkloadRef): SignOfLife | undefined {
    const record = this.#options.store.workloads.get(keyOf(ref));
    return record && { at: record.knownAt, arrival: record.knownAt };
  }
}

function unavailable({ message, retryAfterMs }: Pick<Retry, 'message' | 'retryAfterMs'>): Retry {
  return { type: 'retry', reason: 'unavailable', message, retryAfterMs };
}

/** The schema of a custom resource may drop fields of the pod template. */
function unstampedText({ workload, template }: RolloutPlan): string {
  const text = 'the API server accepted the patch without its stamp';
  if (!isCustom(workloadKindOf(workload.kind))) return text;
  const [lost, other] =
    template.variables.length === 0 && Object.keys(template.annotations).length > 0
      ? ['metadata', 'env-vars']
      : ['variables of containers', 'annotations'];
  return `${text}; if the schema of ${workload.kind} has no ${lost} in its pod template, write ${STRATEGY_ANNOTATION}: ${other}`;
}
