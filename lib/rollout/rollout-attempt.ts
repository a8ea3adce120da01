/**
 * One attempt to roll a workload: plan from the present store, send one patch, find out its result. Promise: the outcome is
 * `done` only if the patch is known to have an effect, and a patch whose result is unknown is looked up before the next one.
 */

import { STRATEGY_ANNOTATION } from '../annotations/vocabulary.ts';
import { whenTaken } from '../model/hold.ts';
import { isCustom } from '../model/kinds/custom-kind.ts';
import { keyOf, type ObjectKey, type WorkloadRef } from '../model/object-ref.ts';
import { type Gate, isTwice, type Outcome, type RollResult, type WorkloadClient } from '../model/outcome.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import { aboutOf, carries, type RolloutPlan } from '../model/rollout-plan.ts';
import { monotonicMs } from '../model/time.ts';
import type { SignOfLife, Span, Timeline } from '../model/timeline.ts';
import { hasSameTemplate, type Workload } from '../model/workload.ts';
import { workloadKindOf } from '../model/workload-kind.ts';
import type { WorkloadRecord } from '../store/records.ts';
import { needsRollout } from '../tracking/edge-policy.ts';
import { Effects } from '../tracking/effects.ts';
import { isBroughtByExternalRollout } from '../tracking/external-rollout.ts';
import { wouldFailAgain } from '../tracking/failed-rollouts.ts';
import { gateOf } from '../tracking/gate.ts';
import { abandonRollout, acceptRollout, doubtRollout, planRollout } from '../tracking/rollout-decision.ts';
import { isGivenUp, MOST_TRIES } from '../tracking/take-backs.ts';
import { type EvictionOptions, PodEvictions } from './eviction.ts';

/** The memory of consecutive failed attempts to roll one workload. */
export interface Tries {
  /** The number of consecutive conflicts. */
  conflicts: number;
  /** The patch that was refused last, as text; only a second refusal of the same one counts. */
  refused: string | undefined;
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

/** The collaborators of the attempts. */
export interface AttemptOptions extends EvictionOptions {
  readonly client: WorkloadClient;
  readonly timeline: Timeline;
  /** Observes a workload that was read again, or was answered to a write at `span`. */
  readonly observe: (ref: WorkloadRef, workload: Workload, span?: Span) => void;
  /** For how many more ms the workload waits for an external rollout that absorbs its changes; 0: it is rolled. */
  readonly externalRolloutMs: (workload: ObjectKey, record: WorkloadRecord) => number;
  /** Whether the budget of rollouts lets the workload begin; if so it takes its slot. */
  readonly takeSlot: (workload: ObjectKey) => boolean;
  /** What the stages of a change keep the workload for. */
  readonly stageOf: (workload: ObjectKey) => Gate | undefined;
  /** Whether the workload, rolled in a stage, is not healthy before. */
  readonly isUnhealthy: (workload: ObjectKey) => boolean;
  /** Called with the latency of each patch, answered or not. */
  readonly onPatchAnswered: (seconds: number) => void;
}

/** What to do about stamps that are reverted. */
export const ADVICE: string = `if an operator owns the template, the annotation ${STRATEGY_ANNOTATION}: evict makes the reloader evict its pods instead`;
const TAKEN_BACK_EACH_TIME = `its stamp was reverted ${MOST_TRIES} times, and is not written again for this content; ${ADVICE}`;

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
    const { store } = this.#options;
    const key = keyOf(ref);
    // An earlier patch without an answer: it may have an effect.
    const sent = store.workloads.get(key)?.inFlight;
    const unresolved = sent && (await this.#refresh(ref, sent, true));
    if (unresolved !== undefined) return unresolved;
    const record = store.workloads.get(key);
    if (record === undefined) return { type: 'settled' };
    if (!store.isSelected(ref.namespace)) return { type: 'unselected' };
    const isEvicted = this.#evictions.isFor(record);
    if (isGivenUp(record) && !isEvicted) return { type: 'given-up', message: TAKEN_BACK_EACH_TIME };
    if (!isEvicted && this.#isAborted(key, record)) {
      const message = `its rollout was aborted; it goes on after kubectl argo rollouts retry rollout ${ref.name}, an undo or a change of its template`;
      return { type: 'given-up', message };
    }
    if (this.#isOwnersTurn(key, record)) return { type: 'absorbing' };
    const plan = this.#plan(key, record, since, tries);
    if (plan === undefined) return { type: 'settled' };
    return this.#keptFrom(key, record, plan) ?? (await this.#roll(record, plan, tries));
  }

  /** Why the plan is not carried out now; undefined: it is, and has its slot. */
  #keptFrom(key: ObjectKey, record: WorkloadRecord, plan: RolloutPlan): Outcome | undefined {
    const { store, stageOf, takeSlot } = this.#options;
    if (wouldFailAgain(store, record, plan))
      return { type: 'given-up', message: `stamped, but ${whenTaken({ type: 'failed' }, plan.workload)}` };
    const gate = this.gateOf(key) ?? stageOf(key);
    if (gate !== undefined) return { type: 'held', gate, about: aboutOf(plan) };
    return takeSlot(key) ? undefined : { type: 'waiting-for-slot', about: aboutOf(plan) };
  }

  /** What keeps the workload from being rolled now. A window does not stop evictions that have begun, a hold does. */
  gateOf(key: ObjectKey): Gate | undefined {
    const { store } = this.#options;
    const record = store.workloads.get(key);
    const gate = record && gateOf(store, record, Date.now());
    return gate?.type === 'window' && this.isEvicting(key) ? undefined : gate;
  }

  /** Whether older pods of the workload are being evicted: no commit waits for that. */
  isEvicting(key: ObjectKey): boolean {
    const record = this.#options.store.workloads.get(key);
    return record !== undefined && this.evictedOf(record) !== undefined;
  }

  /** How many older pods of the workload were evicted; undefined: none are being evicted. */
  evictedOf(record: WorkloadRecord): number | undefined {
    return this.#evictions.evictedOf(record);
  }

  /** The plan of the rollout that the workload needs at this moment; undefined: none. */
  #plan(
    key: ObjectKey,
    record: WorkloadRecord,
    since: number,
    { testsTemplate }: Tries,
  ): RolloutPlan | undefined {
    const { store, isUnhealthy } = this.#options;
    this.#evictions.prepare(record);
    const now = Date.now();
    const changedAt = now - (monotonicMs() - since);
    const plan = planRollout(store, key, {
      seconds: Math.floor(changedAt / 1000),
      now: new Date(now).toISOString(),
      isUnhealthy: isUnhealthy(key),
      testsTemplate,
    });
    if (plan === undefined || !this.#evictions.isFor(record)) this.#evictions.end(record);
    return plan;
  }

  /** Whether a person has to decide first: a patch would force on what an analysis has refused. A restart forces nothing. */
  #isAborted(key: ObjectKey, { workload }: WorkloadRecord): boolean {
    const { store } = this.#options;
    const { vocabularies, onlyTells } = store.settings;
    if (workload.hold?.type !== 'aborted' || onlyTells) return false;
    return needsRollout(store, key) && !vocabularies.restarts(workload);
  }

  /** Whether the workload still waits for an external rollout; one that made no progress for its deadline does not count. */
  #isOwnersTurn(key: ObjectKey, record: WorkloadRecord): boolean {
    const { store, externalRolloutMs } = this.#options;
    if (!isBroughtByExternalRollout(store, record)) return false;
    if (externalRolloutMs(key, record) > 0) return true;
    record.externalRollout = undefined;
    return false;
  }

  async #roll(record: WorkloadRecord, plan: RolloutPlan, tries: Tries): Promise<Outcome> {
    const { client, pods } = this.#options;
    if (pods !== undefined && this.#evictions.isFor(record))
      return await this.#evictions.attempt(record, plan, pods);
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
        return { type: 'later', message: result.message, retryAfterMs: result.retryAfterMs };
      case 'unanswered': {
        const known = await this.#refresh(plan.workload, plan, true);
        return known ?? { type: 'later', message: result.message, retryAfterMs: result.retryAfterMs };
      }
    }
  }

  /** The answer has to show the stamp: a mutating webhook may have dropped it. */
  #accepted(plan: RolloutPlan, object: RawWorkload | undefined): Outcome {
    const { store, apply, observe, timeline } = this.#options;
    const workload = object && store.viewOf(plan.workload, object);
    if (workload !== undefined && !carries(workload, plan)) {
      this.#abandon(plan);
      return { type: 'refused', message: unstampedText(plan) };
    }
    const effects = new Effects();
    const written = plan.referenced === undefined ? workload : workload?.referenced;
    const span = timeline.ofWrite(written?.resourceVersion ?? '', this.#signOf(plan.workload));
    // Another client may have changed what the patch does not test, such as what the workload follows. A Job is another one by now.
    const known = store.workloads.get(keyOf(plan.workload))?.workload;
    if (workload !== undefined && workload.uid === known?.uid) observe(plan.workload, workload, span);
    acceptRollout(store, effects, plan, workload, span);
    apply(effects);
    return { type: 'done', plan };
  }

  /** A 403 is a refusal at once. The first refusal of any other plan may have been planned on an outdated workload. */
  async #rejected(sent: Sent, isForbidden: boolean, message: string): Promise<Outcome> {
    const { plan, tries } = sent;
    const changes = plan.operations.filter(({ op, path }) => op !== 'test' && !path.startsWith('/metadata/'));
    const isRefusedTwice = isTwice(tries, JSON.stringify(changes));
    if (!isForbidden && !isRefusedTwice) return await this.#planAgain(sent);
    this.#abandon(plan);
    return { type: 'refused', message };
  }

  /** The next plan is made on fresh data. */
  async #planAgain({ plan, planned, tries }: Sent): Promise<Outcome> {
    const known = await this.#refresh(plan.workload, plan);
    const workload = this.#options.store.workloads.get(keyOf(plan.workload))?.workload;
    tries.testsTemplate = known === undefined && workload !== undefined && hasSameTemplate(workload, planned);
    return known ?? { type: 'again' };
  }

  /**
   * Reads the workload and observes it; undefined: the patch of `plan` has no effect, and a new attempt may follow. `isUnanswered`: the
   * patch may have had an effect for a while and been overwritten since; false: the API server refused it.
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
      case 'absent':
        this.#abandon(plan, isUnanswered);
        return { type: 'gone' };
      case 'failed':
        // The plan stays in flight: there is no new plan until it is known whether this one has an effect.
        return { type: 'later', message: reading.message, retryAfterMs: reading.retryAfterMs };
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

/** The schema of a custom resource may drop fields of the pod template. */
function unstampedText({ workload, template }: RolloutPlan): string {
  const text = 'the API server accepted the patch without its stamp';
  if (!isCustom(workloadKindOf(workload.kind))) return text;
  const [lost, other] =
    template.spec === undefined && template.metadata !== undefined
      ? ['metadata', 'env-vars']
      : ['variables of containers', 'annotations'];
  return `${text}; if the schema of ${workload.kind} has no ${lost} in its pod template, write ${STRATEGY_ANNOTATION}: ${other}`;
}
