/**
 * Keeps the state true to the law: what must not be forgotten is written at once, a baseline at once as long as little is
 * written, the rest in batches, at most one per second, less often where much is; never two writes at a time, over all
 * shards.
 */

import type { Heartbeat } from '../model/health.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import type { WriteResult } from '../model/outcome.ts';
import { backoffMs, LATER_BACKOFF, monotonicMs } from '../model/time.ts';
import type { AllShards } from '../store/state-client.ts';
import type { Effects } from '../tracking/effects.ts';
import { KnownState, type KnownStateOptions, type Refusal } from './known-state.ts';
import type { WriteGate } from './state-overrides.ts';
import { isBaseline, planStateWrites, type StatePlan, type StateWrite } from './state-write.ts';
import { msFor, WriteBudget } from './write-budget.ts';

/** What the committer is made of. */
export interface StateCommitterOptions extends Omit<KnownStateOptions, 'review'> {
  readonly gate: WriteGate;
  readonly heartbeat: Heartbeat;
  /** Each answer to a write of the state. `nextTryMs` is set where it has to be sent again. */
  readonly onCommit: (result: WriteResult<unknown>, nextTryMs: number | undefined) => void;
  readonly random: () => number;
}

const LOOP = 'the state';
/** From one write to the next there are several calls, each of which may take half a minute to be answered. */
const LONGEST_STEP_MS = 120_000;
const BATCH_MS = 1000;
/** From one look for something to write to the next, where there was nothing: each looks at all that follows an object. */
const LOOK_MS = 100;
/** How long no further shard is asked for after one was refused. */
const NO_GROWTH_MS = 30_000;

/** See the file's comment. */
export class StateCommitter {
  readonly #options: StateCommitterOptions;
  readonly #known: KnownState;
  /** Objects whose entries may differ from what they should be. */
  readonly #candidates = new Set<ObjectKey>();
  /** Those of them that are written although workloads are waiting: what a crash would lose. */
  readonly #urgent = new Set<ObjectKey>();
  /** Those of them of which the state says nothing yet: what a crash makes begin later. */
  readonly #fresh = new Set<ObjectKey>();
  readonly #budget = new WriteBudget();
  /** Candidates that could not be written when last tried; tried again when something changed. */
  readonly #postponed = new Set<ObjectKey>();
  /** Shards that are not yet as they should be, beside what is known of candidates. */
  #isUnfinished = false;
  #nextBatchAt = Number.NEGATIVE_INFINITY;
  /** Rounds in a row in which something failed, and whether something did in the present one. */
  #failures = 0;
  #hasFailed = false;
  /** Whether no shard could not be made ready in the present round. */
  #mayPrepare = true;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #running: Promise<void> | undefined;
  #isClosed = false;
  /** What is not sent until this moment, after a failure. */
  #notBefore = Number.NEGATIVE_INFINITY;
  /** Until this moment new entries go to the shards that there are. */
  #noGrowthUntil = Number.NEGATIVE_INFINITY;

  constructor(options: StateCommitterOptions) {
    this.#options = options;
    const review = (effects: Effects): void => this.#add(effects.toPersist('now'), effects.toPersist('soon'));
    this.#known = new KnownState({ ...options, review });
  }

  /** The size of the state's data in bytes, as last read or answered. */
  get bytes(): number {
    return this.#known.bytes;
  }

  /** How many ConfigMaps the state lies in. */
  get shards(): number {
    return this.#known.count;
  }

  /** Takes the state as it was read at the start. */
  begin(shards: AllShards): void {
    this.#known.begin(shards);
  }

  /** These objects' state may have to be written: `now` at once, `soon` with the next batch. */
  request(now: ReadonlySet<ObjectKey>, soon: ReadonlySet<ObjectKey>): void {
    if (now.size === 0 && soon.size === 0) return;
    this.#add(now, soon);
    this.#schedule();
  }

  /** Something changed that a postponed write may have waited for. */
  kick(): void {
    this.#add([], this.#postponed);
    this.#postponed.clear();
    this.#schedule();
  }

  /**
   * The stream of ConfigMaps shows a shard in this version, or gone (undefined). If that is none that this process knows,
   * others wrote it: it is read again, with the next batch.
   */
  notice(shard: number, resourceVersion: string | undefined): void {
    this.#known.notice(shard, resourceVersion);
    if (this.#running === undefined) this.#goOn();
  }

  /** The stream of ConfigMaps shows a shard with these annotations: another leader's mark ends this lead at once. */
  weigh(shard: number, annotations: Readonly<Record<string, string>>): void {
    this.#known.isContested(shard, { annotations });
  }

  /**
   * Writes what can be written once more, then nothing any more. What fails is tried again as long as `again`, which waits
   * so many ms, says that there is time.
   */
  async close(again: (ms: number) => Promise<boolean>): Promise<void> {
    if (this.#isOver) return;
    this.halt();
    await this.#running;
    this.#add([], this.#postponed);
    do await this.#fencedFlush();
    while (this.#hasWork() && (await again(Math.max(0, this.#notBefore - monotonicMs()))));
  }

  /** Begins no further write. */
  halt(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  get #isOver(): boolean {
    return this.#isClosed || this.#known.hasStoodDown;
  }

  #add(now: Iterable<ObjectKey>, soon: Iterable<ObjectKey>): void {
    for (const config of now) {
      const pressing = isBaseline(this.#options.store, config) ? this.#fresh : this.#urgent;
      pressing.add(config);
      this.#candidates.add(config);
    }
    for (const config of soon) this.#candidates.add(config);
  }

  #goOn(): void {
    this.#known.weighNotices();
    if (this.#hasWork()) this.#schedule();
  }

  #hasWork(): boolean {
    const { hasStoodDown, isStale, isBroken } = this.#known;
    return !hasStoodDown && (this.#candidates.size > 0 || this.#isUnfinished || isStale || isBroken);
  }

  #schedule(): void {
    if (this.#isOver || this.#running !== undefined) return;
    const now = monotonicMs();
    const at = Math.max(now, this.#notBefore, this.#dueAt());
    if (this.#timer !== undefined && this.#timerAt <= at) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#fire(), at - now);
  }

  #dueAt(): number {
    if (this.#known.isBroken || this.#hasAny(this.#urgent)) return Number.NEGATIVE_INFINITY;
    const freeAt = this.#hasAny(this.#fresh) ? this.#budget.freeAt : Number.POSITIVE_INFINITY;
    return Math.min(freeAt, this.#nextBatchAt);
  }

  #hasAny(configs: ReadonlySet<ObjectKey>): boolean {
    for (const config of configs) if (this.#candidates.has(config)) return true;
    return false;
  }

  #fire(): void {
    this.#timer = undefined;
    this.#running = this.#fencedFlush().finally(() => {
      this.#running = undefined;
      this.#goOn();
    });
  }

  /** A defect of ours must not end the process: what is to be written stays so. */
  async #fencedFlush(): Promise<void> {
    this.#hasFailed = false;
    this.#mayPrepare = true;
    try {
      await this.#flush();
    } catch (error) {
      this.#known.reviewAll();
      this.#failed({ kind: 'unanswered', message: `internal error: ${String(error)}` });
    } finally {
      this.#failures = this.#hasFailed ? this.#failures + 1 : 0;
      this.#options.heartbeat.idle(LOOP);
    }
  }

  /** Writes each shard that is due at most once; before each, the rest is planned anew, from what is known then. */
  async #flush(): Promise<void> {
    const isBatch = this.#isClosed || monotonicMs() >= this.#nextBatchAt;
    const tried = new Set<number>();
    let bytes = 0;
    if (!(await this.#isSettled())) return;
    // What a start would not find, or not know to be missing, is made whole before all else.
    if (this.#known.isBroken) await this.#prepare(this.#known.count);
    while (await this.#isSettled()) {
      const plan = this.#plan();
      const next = plan.writes.find((write) => !tried.has(write.shard) && (isBatch || this.#isDue(write)));
      if (next !== undefined && !this.#known.isReady(next.shard)) {
        // What is asked for during the wait belongs to this write: it is planned again.
        await this.#waitFor(next.shard, tried);
        continue;
      }
      // Nothing may be awaited since the plan: what is asked for in between would be taken for planned.
      this.#keep(plan, next);
      if (next === undefined) break;
      tried.add(next.shard);
      bytes += await this.#write(next);
    }
    const pauseMs = bytes > 0 ? Math.max(BATCH_MS, msFor(bytes)) : LOOK_MS;
    if (isBatch) this.#nextBatchAt = monotonicMs() + pauseMs;
  }

  #isDue(write: StateWrite): boolean {
    return write.isUrgent || (write.isFresh && monotonicMs() >= this.#budget.freeAt);
  }

  /** Whether nothing has to be read or looked at any more before a write; what is in the way is as a write that failed. */
  async #isSettled(): Promise<boolean> {
    this.#options.heartbeat.sleeps(LOOP, monotonicMs() + LONGEST_STEP_MS);
    const refusal = await this.#known.settle();
    if (refusal !== undefined) this.#failed(refusal);
    return refusal === undefined && !this.#known.hasStoodDown;
  }

  /** Makes `shard` ready, or leaves it out. */
  async #waitFor(shard: number, tried: Set<number>): Promise<void> {
    await this.#prepare(shard + 1);
    if (!this.#known.isReady(shard)) tried.add(shard);
  }

  /** Makes the first `count` shards ready; a further one that is refused is done without for a while. */
  async #prepare(count: number): Promise<void> {
    if (!this.#mayPrepare) return;
    const isGrowth = count > this.#known.count;
    const refusal = await this.#known.prepare(count);
    if (refusal === undefined) return;
    if (isGrowth && refusal.kind === 'rejected') {
      this.#noGrowthUntil = monotonicMs() + NO_GROWTH_MS;
      this.#options.onCommit(refusal, NO_GROWTH_MS);
      return;
    }
    this.#mayPrepare = false;
    this.#failed(refusal);
  }

  #plan(): StatePlan {
    const { store, gate } = this.#options;
    const place = this.#known.placer(monotonicMs() >= this.#noGrowthUntil);
    const [candidates, urgent, fresh] = [this.#candidates, this.#urgent, this.#fresh];
    const room = (shard: number): number => this.#known.roomIn(shard);
    return planStateWrites(store, { candidates, urgent, fresh, gate, place, room });
  }

  /**
   * After a plan only what belongs to writes that are not sent yet is a candidate; what it postponed waits for something
   * to change.
   */
  #keep({ writes, postponed, full }: StatePlan, sent: StateWrite | undefined): void {
    this.#known.noteFull(full);
    const left = writes.filter((write) => write !== sent);
    this.#isUnfinished = left.length > 0;
    for (const config of this.#candidates) this.#postponed.delete(config);
    this.#candidates.clear();
    for (const { touched } of left) this.#add([], touched);
    for (const pressing of [this.#urgent, this.#fresh]) {
      for (const config of pressing)
        if (!postponed.has(config) && !this.#candidates.has(config)) pressing.delete(config);
    }
    for (const config of postponed) this.#postponed.add(config);
  }

  /** Answers how many bytes were stored. */
  async #write(write: StateWrite): Promise<number> {
    const result = await this.#known.write(write);
    if (result.kind === 'accepted') {
      this.#options.onCommit(result, undefined);
      const bytes = this.#known.bytesOf(write.shard);
      this.#budget.spend(bytes);
      return bytes;
    }
    this.#add(write.touched, []);
    this.#failed(result);
    return 0;
  }

  /** It is sent again later; after a conflict or a loss, the first time at once. */
  #failed(refusal: Refusal): void {
    this.#isUnfinished = true;
    const isFree = (refusal.kind === 'conflict' || refusal.kind === 'gone') && this.#failures === 0;
    const retryAfterMs = 'retryAfterMs' in refusal ? (refusal.retryAfterMs ?? 0) : 0;
    this.#options.onCommit(refusal, this.#putOff(retryAfterMs, isFree));
  }

  #putOff(atLeastMs: number, isFree: boolean): number {
    const ms = isFree
      ? 0
      : Math.max(atLeastMs, backoffMs(this.#failures, LATER_BACKOFF, this.#options.random));
    this.#hasFailed = true;
    this.#notBefore = Math.max(this.#notBefore, monotonicMs() + ms);
    return ms;
  }
}
