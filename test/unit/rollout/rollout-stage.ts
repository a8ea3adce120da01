/** A rollout controller over a small world, with a client that keeps the fence and answers as a test wants. */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { StageNews } from '../../../lib/annotations/stage-news.ts';
import type { VocabularyOptions } from '../../../lib/annotations/vocabularies.ts';
import { Heartbeat } from '../../../lib/model/health.ts';
import { NO_LOG } from '../../../lib/model/log.ts';
import { keyOf } from '../../../lib/model/object-ref.ts';
import type {
  Blocked,
  Outcome,
  PendingChanges,
  PodClient,
  RollResult,
  WorkloadClient,
} from '../../../lib/model/outcome.ts';
import type { RolloutPlan } from '../../../lib/model/rollout-plan.ts';
import type { Budget, Staging } from '../../../lib/model/settings.ts';
import { monotonicMs } from '../../../lib/model/time.ts';
import { Timeline } from '../../../lib/model/timeline.ts';
import { RolloutController, type RolloutControllerOptions } from '../../../lib/rollout/rollout-controller.ts';
import type { Effects } from '../../../lib/tracking/effects.ts';
import { observeWorkload } from '../../../lib/tracking/observe-workload.ts';
import { type MockTime, mockTime } from '../../mock-time.ts';
import { settle } from '../state/committer-stage.ts';
import { isTaken, settledWith, type World } from '../tracking/world.ts';

/** Instead of the ordinary answer to a patch; `before` happens first, e.g. somebody else's write. */
export interface Fault {
  readonly before?: () => void;
  /** The same once the patch is applied, before anybody is told. */
  readonly after?: () => void;
  /** The patch does not take effect and this is the answer. */
  readonly result?: Exclude<RollResult<never>, { kind: 'accepted' }>;
  /** The patch is carried out like any other, but its answer is lost. */
  readonly isLost?: boolean;
  /** The server drops our variable from what it is sent. */
  readonly isStripped?: boolean;
  /** Nothing is written, and the client says that all is well. */
  readonly isDry?: boolean;
  readonly until?: Promise<void>;
}

/** One attempt, as its observer was told. */
export interface Attempt {
  readonly workload: string;
  /** Of a retry and of a block the reason. */
  readonly type: string;
  readonly pending: PendingChanges;
  readonly nextTryMs: number | undefined;
  /** Whether a commit still waits for the workload as it ends. */
  readonly isWaiting: boolean;
  /** Whether evictions made no progress for too long. */
  readonly isStalled: boolean;
  readonly atMs: number;
}

interface Settings {
  readonly budget?: Partial<Budget>;
  readonly staging?: Staging;
  readonly quietMs?: number;
  readonly maxWaitMs?: number;
  readonly concurrency?: number;
  readonly random?: () => number;
  readonly pods?: PodClient;
  /** What has the state mark a workload before its patch. */
  readonly marks?: RolloutControllerOptions['marks'];
  readonly maxEvictions?: number;
  /** How the vocabularies differ from the default. */
  readonly flags?: Partial<VocabularyOptions>;
  /** In place of a world of Deployments. */
  readonly world?: World;
  /** The process before, which ends. */
  readonly before?: RolloutStage;
}

const NO_BUDGET: Budget = { slots: 0, rate: 0, burst: 1 };

/** See the file's comment. */
export class RolloutStage {
  readonly world: World;
  readonly controller: RolloutController;
  readonly attempts: Attempt[] = [];
  /** When each patch was sent, and for whom. */
  readonly patches: { readonly workload: string; readonly atMs: number }[] = [];
  readonly faults: Fault[] = [];
  /** Answers to the next reads that fail. */
  readonly readFaults: string[] = [];
  reads = 0;
  /** Patches under way, and the most there were at once. */
  underWay = 0;
  mostUnderWay = 0;
  /** The outcomes whose telling fails, in turn. */
  readonly defects: string[] = [];
  readonly errors: string[] = [];
  /** The workloads whose slots ended without progress. */
  readonly overdue: string[] = [];
  /** The objects whose entries were to be written for a halt. */
  readonly persisted: string[] = [];
  readonly news: StageNews[] = [];
  /** Whether every workload is known. */
  isListed = true;
  readonly #timers: TestContext['mock']['timers'];
  readonly #startedAt: number;
  readonly time: MockTime;

  constructor(t: TestContext, workloads: readonly string[] = ['web'], settings: Settings = {}) {
    this.time = settings.before?.time ?? mockTime(t);
    this.#timers = t.mock.timers;
    this.#startedAt = monotonicMs();
    const {
      flags = {},
      world = settledWith(flags, workloads),
      budget,
      staging = { soakMs: 0 },
      before,
      ...others
    } = settings;
    void before?.controller.close();
    this.world = world;
    const timeline = new Timeline();
    timeline.comparable = true;
    this.controller = new RolloutController({
      store: this.world.store,
      client: this.#client,
      timeline,
      heartbeat: new Heartbeat(),
      apply: (effects) => this.apply(effects),
      observe: (ref, workload, written) => {
        const span = written ?? timeline.ofListed(workload.resourceVersion, undefined);
        const news = { type: 'present', key: keyOf(ref), object: workload, span } as const;
        this.apply(observeWorkload(this.world.store, { ...news, isInInitialList: false, isRelisted: true }));
      },
      onOutcome: (ref, outcome, pending, nextTryMs) => {
        const type = wordOf(outcome);
        const isStalled = outcome.type === 'retry' && outcome.evictions?.isStalled === true;
        const isWaiting = this.controller.isWaiting(keyOf(ref));
        if (this.defects.shift() === type) throw new Error('a defect');
        const told = { workload: ref.name, type, pending, nextTryMs, isWaiting, isStalled };
        this.attempts.push({ ...told, atMs: this.now });
      },
      log: {
        ...NO_LOG,
        error: (message, fields) => void this.errors.push(`${message} ${String(fields?.['error'])}`),
      },
      onPatchAnswered: () => {},
      ...(budget && { budget: { ...NO_BUDGET, ...budget } }),
      staging,
      isListed: () => this.isListed,
      onOverdue: (key) => void this.overdue.push(key.slice(key.lastIndexOf('/') + 1)),
      persist: (config) => void this.persisted.push(config),
      onNews: (news) => void this.news.push(news),
      newToken: () => `${this.news.length}a`,
      quietMs: 1000,
      maxWaitMs: 6000,
      concurrency: 16,
      isShared: false,
      random: () => 0,
      ...others,
    });
  }

  /** Time since the test began. */
  get now(): number {
    return monotonicMs() - this.#startedAt;
  }

  /** The types of all outcomes so far. */
  get outcomes(): string[] {
    return this.attempts.map(({ type }) => type);
  }

  /** The content changes, and what follows is carried out. */
  change(content: string, config = 'cfg'): void {
    this.apply(this.world.config(config, content));
  }

  /** Does with effects what the program does, as far as rollouts are concerned. */
  apply(effects: Effects): void {
    for (const [key] of effects.enqueuedFor('forgotten')) this.controller.forget(key);
    for (const [key] of effects.enqueuedFor('retry-now')) this.controller.retryNow(key);
    for (const [key] of effects.enqueuedFor('changed')) this.controller.touch(key, 1);
    for (const key of this.world.store.workloads.keys()) {
      this.controller.slots?.observed(key);
      this.controller.wake(key);
    }
  }

  /** The pods of these workloads are all new and ready. */
  rollOut(...names: readonly string[]): void {
    for (const name of names) this.apply(this.world.workload(name, { isRolledOut: true }));
  }

  /** Why a workload waits in the budget. */
  why(name: string): string | undefined {
    const wait = this.waitOf(name);
    return wait?.reason === 'budget' ? wait.message : undefined;
  }

  /** Why a workload is not rolled now. */
  waitOf(name: string): Blocked | undefined {
    return this.controller.waitOf(this.world.workloadKey(name));
  }

  /** How many workloads a blocker keeps from being rolled. */
  get blocked(): number {
    const reasons = this.controller.blockers.flatMap((each) => each.reasons ?? [each.name]);
    return [...this.controller.waiting.values()].filter(({ reason }) => reasons.includes(reason)).length;
  }

  isWaiting(workload: string): boolean {
    return this.controller.isWaiting(this.world.workloadKey(workload));
  }

  /** Time passes, and whatever follows from that. */
  async pass(ms: number): Promise<void> {
    this.time.jolt();
    await settle();
    for (let left = ms; left > 0; left -= 50) {
      this.#timers.tick(Math.min(50, left));
      await settle();
    }
  }

  /** Somebody sets the time of day. */
  jump(ms: number): void {
    this.time.jump(ms);
  }

  get #client(): WorkloadClient {
    return {
      roll: (plan) => this.#roll(plan),
      get: async ({ name }) => {
        this.reads += 1;
        const message = this.readFaults.shift();
        if (message !== undefined) return { kind: 'failed', message };
        if (!this.world.live.has(name)) return { kind: 'absent' };
        return { kind: 'found', object: this.world.raw(name) };
      },
    };
  }

  async #roll(plan: RolloutPlan): ReturnType<WorkloadClient['roll']> {
    const { name } = plan.workload;
    this.patches.push({ workload: name, atMs: this.now });
    this.underWay += 1;
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
    const fault = this.faults.shift() ?? {};
    await fault.until;
    this.underWay -= 1;
    fault.before?.();
    if (fault.result !== undefined) return fault.result;
    return this.#carryOut(plan, fault);
  }

  #carryOut(
    plan: RolloutPlan,
    { isLost, isStripped, isDry, after }: Fault,
  ): Awaited<ReturnType<WorkloadClient['roll']>> {
    const { name } = plan.workload;
    const live = this.world.live.get(name);
    assert.equal(
      this.world.record(name).inFlight,
      plan,
      'a plan in flight is known before it is carried out',
    );
    if (live === undefined) return { kind: 'gone' };
    if (!isTaken(plan, this.world.raw(name))) return { kind: 'conflict', message: 'a test failed' };
    if (isDry === true) return { kind: 'accepted', object: undefined };
    if (isStripped === true) this.world.edit(name, {});
    else this.world.land(plan);
    after?.();
    return isLost === true
      ? { kind: 'unanswered', message: 'lost' }
      : { kind: 'accepted', object: this.world.raw(name) };
  }
}

/** The type of an outcome; of a retry and of a block the reason. */
function wordOf(outcome: Outcome): string {
  if (outcome.type === 'retry') return outcome.reason;
  return outcome.type === 'blocked' ? outcome.blocked.reason : outcome.type;
}
