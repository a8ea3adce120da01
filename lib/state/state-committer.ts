/**
 * Decides when the state is written, and keeps the law of state-write.ts true over time. A change that a crash would lose is
 * written at once; a baseline at once while the write budget lasts; all else in batches, at most one per second and fewer if
 * they are large. At most one write is under way, over all shards.
 */

import type { Heartbeat } from '../model/health.ts';
import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { WriteResult } from '../model/outcome.ts';
import { backoffMs, LATER_BACKOFF, monotonicMs } from '../model/time.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { AllShards } from '../store/state-client.ts';
import { outdatedObjects, unmarkedObjects } from '../tracking/edge-policy.ts';
import type { Effects } from '../tracking/effects.ts';
import { KnownState, type KnownStateOptions } from './known-state.ts';
import type { Refusal } from './refusal.ts';
import type { WriteGate } from './state-marks.ts';
import { isBaseline, planStateWrites, type StatePlan, type StateWrite } from './state-write.ts';
import { msFor, WriteBudget } from './write-budget.ts';

/** The collaborators of the committer. */
export interface StateCommitterOptions extends Omit<KnownStateOptions, 'review'> {
  readonly gate: WriteGate;
  readonly heartbeat: Heartbeat;
  /** Called with each result of a write or creation; `nextTryMs`: in how many ms it is retried, undefined after success. */
  readonly onCommit: (result: WriteResult<unknown>, nextTryMs: number | undefined) => void;
  readonly random: () => number;
}

const LOOP = 'the state';
/** For the heartbeat: one step is several calls, each with a time-out of half a minute. */
const LONGEST_STEP_MS = 120_000;
const BATCH_MS = 1000;
/**
 * The pause after a batch that wrote nothing: planning reads all edges of each candidate, so it must not run for every event.
 */
const LOOK_MS = 100;
/** For how long no further shard is created after the API server refused one. */
const NO_GROWTH_MS = 30_000;
/** An attempt waits for so many rounds at most: the first one may have begun before its request. */
const MOST_ROUNDS = 3;

/**
 * See the file's comment. A level-based loop: callers only name objects that may need a write, and each round (`#flush`) plans
 * the writes anew from the store. All moments are by monotonicMs.
 */
export class StateCommitter {
  readonly #options: StateCommitterOptions;
  readonly #known: KnownState;
  /** Objects whose entry may differ from what they should be; the next round looks at them. */
  readonly #candidates = new Set<ObjectKey>();
  /** Candidates with a change that a crash would lose: written although a workload is about to be rolled. */
  readonly #urgent = new Set<ObjectKey>();
  /** Candidates without an entry: a crash before the write would make the baseline the content at the next start. */
  readonly #fresh = new Set<ObjectKey>();
  readonly #budget = new WriteBudget();
  /** Objects that could not be written in the last round; candidates again after `kick`. */
  readonly #postponed = new Set<ObjectKey>();
  /** Whether the last plan had writes that were not sent or failed, so that another round is needed without candidates. */
  #isUnfinished = false;
  #nextBatchAt = Number.NEGATIVE_INFINITY;
  /** The number of consecutive rounds with a failure, and whether the present round has had one. */
  #failures = 0;
  #hasFailed = false;
  /** False once a shard could not be created in the present round: the round tries no other one. */
  #mayPrepare = true;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  /** The round under way; while it is set no other one begins. */
  #running: Promise<void> | undefined;
  #isClosed = false;
  /** After a failure: nothing is sent before this moment. */
  #notBefore = Number.NEGATIVE_INFINITY;
  /** Objects whose entries or marks have no room. */
  #withoutRoom: ReadonlySet<ObjectKey> = new Set();
  /** Attempts that wait for the end of the round. */
  #waiters: (() => void)[] = [];
  /** Until this moment new entries go to existing shards. */
  #noGrowthUntil = Number.NEGATIVE_INFINITY;

  constructor(options: StateCommitterOptions) {
    this.#options = options;
    const review = (effects: Effects): void => this.#add(effects.toPersist('now'), effects.toPersist('soon'));
    this.#known = new KnownState({ ...options, review });
  }

  /** The bytes of the keys and values of all shards, as last read or written. */
  get bytes(): number {
    return this.#known.bytes;
  }

  /** The number of ConfigMaps that hold the state. */
  get shards(): number {
    return this.#known.count;
  }

  /** Takes over the state as it was read at the start of the term; called before all else. */
  begin(shards: AllShards): void {
    this.#known.begin(shards);
  }

  /** The entries of these objects may have to be written: `now` at once, `soon` with the next batch. */
  request(now: ReadonlySet<ObjectKey>, soon: ReadonlySet<ObjectKey>): void {
    if (now.size === 0 && soon.size === 0) return;
    this.#add(now, soon);
    this.#schedule();
  }

  /** Whether the state marks all that the workload is outdated on. What has no room is not waited for: a restart forgets it. */
  isMarked(record: WorkloadRecord): boolean {
    const { store } = this.#options;
    const isUncertain = ({ ref }: ConfigRecord): boolean =>
      this.#known.mayChange(store.persisted.entryKeyOf(ref));
    return this.#unmarkedOf(record).size === 0 && !outdatedObjects(store, record).some(isUncertain);
  }

  /** Has the marks of the workload written; resolves with whether they are. All that wait share one write. */
  async mark(record: WorkloadRecord): Promise<boolean> {
    for (let rounds = 0; rounds < MOST_ROUNDS && !this.isMarked(record); rounds += 1) {
      if (this.#isOver || monotonicMs() < this.#notBefore) return false;
      this.#add(this.#unmarkedOf(record), []);
      this.#schedule();
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
    return this.isMarked(record);
  }

  #unmarkedOf(record: WorkloadRecord): ReadonlySet<ObjectKey> {
    const keys = unmarkedObjects(this.#options.store, record).map(({ ref }) => keyOf(ref));
    return new Set(keys.filter((key) => !this.#withoutRoom.has(key)));
  }

  /**
   * A stream has listed, or a workload is done: what postponed writes waited for may have happened, so they are planned again.
   */
  kick(): void {
    this.#add([], this.#postponed);
    this.#postponed.clear();
    this.#schedule();
  }

  /**
   * The watch of ConfigMaps shows a shard at this resourceVersion, or deleted (undefined). If this process does not know the
   * version, another client wrote the shard, and it is read again with the next batch.
   */
  notice(shard: number, resourceVersion: string | undefined): void {
    this.#known.notice(shard, resourceVersion);
    if (this.#running === undefined) this.#goOn();
  }

  /**
   * Writes the last commits and ends. A write that fails is retried as long as `again` answers true; `again` waits the given
   * milliseconds first. Concurrent rounds are impossible: it awaits the one under way.
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
    this.#endRound();
  }

  #endRound(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
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
      this.#endRound();
      this.#goOn();
    });
  }

  /** One round. An exception, which can only be a defect of this program, counts as a failed write and all is planned again. */
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
      this.#options.heartbeat.ended(LOOP);
    }
  }

  /**
   * Writes each shard that is due, at most once per round. It plans anew before each write: the store may have changed while
   * the previous one was under way.
   */
  async #flush(): Promise<void> {
    const isBatch = this.#isClosed || monotonicMs() >= this.#nextBatchAt;
    const tried = new Set<number>();
    let bytes = 0;
    if (!(await this.#isSettled())) return;
    // A missing shard comes first: after a crash now, a start could not tell that its entries are lost.
    if (this.#known.isBroken) await this.#prepare(this.#known.count);
    while (await this.#isSettled()) {
      const plan = this.#plan();
      const next = plan.writes.find((write) => !tried.has(write.shard) && (isBatch || this.#isDue(write)));
      if (next !== undefined && !this.#known.isReady(next.shard)) {
        // The plan is dropped: requests that arrive while the shard is created belong to the same write.
        await this.#waitFor(next.shard, tried);
        continue;
      }
      // No await between #plan and #keep: #keep clears the candidates, and with them a request that the plan has not seen.
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

  /** Reads stale shards; whether a write may follow. A failed read counts as a failed write. */
  async #isSettled(): Promise<boolean> {
    this.#options.heartbeat.sleeps(LOOP, monotonicMs() + LONGEST_STEP_MS);
    const refusal = await this.#known.settle();
    if (refusal !== undefined) this.#failed(refusal);
    return refusal === undefined && !this.#known.hasStoodDown;
  }

  /** Creates `shard`; if that fails, this round does without it. */
  async #waitFor(shard: number, tried: Set<number>): Promise<void> {
    await this.#prepare(shard + 1);
    if (!this.#known.isReady(shard)) tried.add(shard);
  }

  /**
   * Creates what is missing of the first `count` shards. If a further shard is refused, existing ones take the entries for a
   * while.
   */
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
    return planStateWrites(store, { candidates, urgent, fresh, gate, place, room, isLast: this.#isClosed });
  }

  /**
   * Takes over a plan of which only `sent` is sent now: the objects of its other writes stay candidates, the postponed ones
   * wait for `kick`.
   */
  #keep({ writes, postponed, full, withoutRoom }: StatePlan, sent: StateWrite | undefined): void {
    this.#known.noteFull(full);
    this.#withoutRoom = withoutRoom;
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

  /** Sends one write. The result is the size of the stored shard in bytes, 0 after a failure. */
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

  /** Schedules a retry; the first one after a conflict or a lost shard comes without a delay, since it reads first. */
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
