/**
 * Decides when the state is written, and keeps the law of compress.ts true over time. A change that a crash would lose is written
 * at once, all else in batches, at most one per second and fewer if they are large. At most one write is under way, over all shards.
 */

import type { Heartbeat } from '../model/health.ts';
import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { WriteResult } from '../model/outcome.ts';
import { FULL_BYTES, SHARD_BYTES } from '../model/shards.ts';
import { configRefOf } from '../model/state-entry.ts';
import { backoffMs, LATER_BACKOFF, monotonicMs } from '../model/time.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import { outdatedObjects, unmarkedObjects } from '../tracking/edge-policy.ts';
import type { WriteGate } from './compress.ts';
import { KnownState, type KnownStateOptions } from './known-state.ts';
import type { Refusal } from './refusal.ts';
import { StatePlan, type StateWrite } from './state-write.ts';

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
/** After a batch: one full shard per second, since each write makes etcd store the whole ConfigMap. */
const BYTES_PER_MS = SHARD_BYTES / 1000;
/** The pause between two rounds, at least: planning reads all edges of each object, so it takes a twentieth of the time. */
const LOOK_MS = 100;
/** Pending entries are looked at so often: a workload that has waited for long is not about to be patched any more. */
const REVIEW_MS = 60_000;
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
  /** The shards; its `begin` is called before all else. */
  readonly known: KnownState;
  /** Objects to look at in the next round: those that changed, and those whose entry is due now. */
  readonly #changed = new Set<ObjectKey>();
  /** Objects whose entry differs and is not due now, or waits for its removal. */
  readonly #pending = new Set<ObjectKey>();
  /** Objects of attempts that wait for their marks, and of halts. */
  readonly #demanded = new Set<ObjectKey>();
  /** Rounds and batches begin at these moments at the earliest; `#batchDueAt`: when a pending entry is due, as far as is known. */
  #nextLookAt = Number.NEGATIVE_INFINITY;
  #nextBatchAt = Number.NEGATIVE_INFINITY;
  #batchDueAt = Number.POSITIVE_INFINITY;
  /** For how many ms the present round has planned. */
  #planMs = 0;
  /** The number of consecutive rounds with a failure, and whether the present round has had one. */
  #failures = 0;
  #hasFailed = false;
  #timer: NodeJS.Timeout | undefined;
  /** When it fires; Infinity: it is not set. */
  #timerAt = Number.POSITIVE_INFINITY;
  /** The round under way; while it is set no other one begins. */
  #running: Promise<void> | undefined;
  #isClosed = false;
  /** After a failure: nothing is sent before this moment. */
  #notBefore = Number.NEGATIVE_INFINITY;
  /** Objects whose first entry has no room. */
  readonly #withoutRoom = new Set<ObjectKey>();
  /** Attempts that wait for the end of the round. */
  #waiters: (() => void)[] = [];
  /** Until this moment new entries go to existing shards. */
  #noGrowthUntil = Number.NEGATIVE_INFINITY;

  constructor(options: StateCommitterOptions) {
    this.#options = options;
    this.known = new KnownState({
      ...options,
      review: (configs = options.store.dependents.keys()) => this.#add(configs),
    });
  }

  /** The entries of these objects may have to be written. */
  request(configs: Iterable<ObjectKey>): void {
    this.#add(configs);
    this.#goOn();
  }

  /** The entries of these objects are written at once, whenever the last round was. */
  demand(configs: Iterable<ObjectKey>): void {
    for (const config of configs) this.#demanded.add(config);
    this.request(this.#demanded);
  }

  /** Whether the state marks all that the workload is outdated on. What has no room is not waited for: a restart forgets it. */
  isMarked(record: WorkloadRecord): boolean {
    const { store } = this.#options;
    const isUncertain = ({ ref }: ConfigRecord): boolean =>
      this.known.mayChange(store.persisted.entryKeyOf(ref));
    return this.#unmarkedOf(record).size === 0 && !outdatedObjects(store, record).some(isUncertain);
  }

  /** Has the marks of the workload written; resolves with whether they are. All that wait share one write. */
  async mark(record: WorkloadRecord): Promise<boolean> {
    for (let rounds = 0; rounds < MOST_ROUNDS && !this.isMarked(record); rounds += 1) {
      if (this.#isOver || monotonicMs() < this.#notBefore) return false;
      this.demand(this.#unmarkedOf(record));
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
    return this.isMarked(record);
  }

  #unmarkedOf(record: WorkloadRecord): ReadonlySet<ObjectKey> {
    const keys = unmarkedObjects(this.#options.store, record).map(({ ref }) => keyOf(ref));
    return new Set(keys.filter((key) => !this.#withoutRoom.has(key)));
  }

  /** Looks at all entries and marks again, as when a stream has listed for which they waited. */
  relist(): void {
    this.#add(this.#unsettled());
    this.request(this.#options.store.dependents.keys());
  }

  /** The objects whose entry differs, or has marks. */
  #unsettled(): ReadonlySet<ObjectKey> {
    const { persisted, settings } = this.#options.store;
    const marked = [...persisted.state.marked.keys()].flatMap(
      (key) => configRefOf(key, settings.homeNamespace) ?? [],
    );
    return new Set([...this.#changed, ...this.#pending, ...marked.map(keyOf)]);
  }

  /**
   * The watch of ConfigMaps shows a shard at this resourceVersion, or deleted (undefined). If this process does not know the
   * version, another client wrote the shard, and it is read again with the next batch.
   */
  notice(shard: number, resourceVersion: string | undefined): void {
    this.known.notice(shard, resourceVersion);
    this.#goOn();
  }

  /**
   * Writes the last commits and ends. A write that fails is retried as long as `again` answers true; `again` waits the given
   * milliseconds first. Concurrent rounds are impossible: it awaits the one under way.
   */
  async close(again: (ms: number) => Promise<boolean>): Promise<void> {
    if (this.#isOver) return;
    this.halt();
    await this.#running;
    do await this.#fencedFlush();
    while (
      !this.known.hasStoodDown &&
      (this.#hasFailed || this.#changed.size > 0) &&
      (await again(Math.max(0, this.#notBefore - monotonicMs())))
    );
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
    return this.#isClosed || this.known.hasStoodDown;
  }

  #add(configs: Iterable<ObjectKey>): void {
    for (const config of configs) this.#changed.add(config);
  }

  #goOn(): void {
    if (this.#isOver || this.#running !== undefined) return;
    this.known.weighNotices();
    const now = monotonicMs();
    const at = Math.max(now, this.#notBefore, this.#dueAt());
    if (at >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#fire(), at - now);
  }

  /** When the next round begins; Infinity: nothing is to be written. */
  #dueAt(): number {
    if (this.known.isBroken || this.#demanded.size > 0) return Number.NEGATIVE_INFINITY;
    const batchAt = this.known.isStale ? this.#nextBatchAt : Math.max(this.#nextBatchAt, this.#batchDueAt);
    return this.#changed.size > 0 ? Math.min(this.#nextLookAt, batchAt) : batchAt;
  }

  #fire(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    this.#running = this.#fencedFlush().finally(() => {
      this.#running = undefined;
      this.#demanded.clear();
      this.#endRound();
      this.#goOn();
    });
  }

  /** One round. An exception, which can only be a defect of this program, counts as a failed write and all is planned again. */
  async #fencedFlush(): Promise<void> {
    this.#hasFailed = false;
    this.#planMs = 0;
    try {
      await this.#flush();
    } catch (error) {
      this.relist();
      this.#failed({ kind: 'unanswered', message: `internal error: ${String(error)}` });
    } finally {
      this.#failures = this.#hasFailed ? this.#failures + 1 : 0;
      this.#options.heartbeat.ended(LOOP);
    }
  }

  /**
   * Writes each shard that is due, at most once. It plans anew before each write: the store may have changed while the previous
   * one was under way.
   */
  async #flush(): Promise<void> {
    const isBatch = this.#isClosed || monotonicMs() >= this.#nextBatchAt;
    const tried = new Set<number>();
    let bytes = 0;
    while (await this.#isSettled()) {
      const next = this.#nextWrite(isBatch, tried);
      if (next === undefined) break;
      // No await between the plan and its write: what happens meanwhile may need a mark that the write removes.
      if (this.known.isReady(next.shard)) {
        tried.add(next.shard);
        bytes += await this.#write(next);
      } else if (!(await this.#prepare(next.shard + 1))) tried.add(next.shard);
    }
    const now = monotonicMs();
    if (!this.#hasFailed) this.#nextLookAt = now + Math.min(BATCH_MS, Math.max(LOOK_MS, 20 * this.#planMs));
    if (isBatch && bytes > 0) this.#nextBatchAt = now + Math.max(BATCH_MS, bytes / BYTES_PER_MS);
  }

  /** The next write that is due: of what changed, or of all that differs. */
  #nextWrite(isBatch: boolean, tried: ReadonlySet<number>): StateWrite | undefined {
    let { writes } = this.#plan([...this.#changed, ...this.#demanded]);
    if (this.#isClosed || (isBatch && monotonicMs() >= this.#batchDueAt)) {
      this.#batchDueAt = Number.POSITIVE_INFINITY;
      ({ writes } = this.#plan(this.#unsettled()));
    }
    const isDue = ({ due, touched }: StateWrite): boolean =>
      due === 'now' ||
      (isBatch && due === 'soon') ||
      [...touched].some((config) => this.#demanded.has(config));
    return writes.find((write) => !tried.has(write.shard) && (this.#isClosed || isDue(write)));
  }

  /** Reads stale shards and makes missing ones; whether a write may follow. A failed read counts as a failed write. */
  async #isSettled(): Promise<boolean> {
    this.#options.heartbeat.sleeps(LOOP, monotonicMs() + LONGEST_STEP_MS);
    let refusal = await this.known.settle();
    // A missing shard comes first: after a crash now, a start could not tell that its entries are lost.
    if (refusal === undefined && !this.known.hasStoodDown && this.known.isBroken) {
      await this.#prepare(this.known.count);
      refusal = await this.known.settle();
    }
    if (refusal !== undefined) this.#failed(refusal);
    return refusal === undefined && !this.known.hasStoodDown;
  }

  /** Makes the first `count` shards ready, unless something failed in this round; whether they are. */
  async #prepare(count: number): Promise<boolean> {
    if (this.#hasFailed) return false;
    const isGrowth = count > this.known.count;
    const refusal = await this.known.prepare(count);
    if (isGrowth && refusal?.kind === 'rejected') {
      this.#noGrowthUntil = monotonicMs() + NO_GROWTH_MS;
      this.#options.onCommit(refusal, NO_GROWTH_MS);
    } else if (refusal !== undefined) this.#failed(refusal);
    return refusal === undefined;
  }

  /** Plans the writes of these objects, and records when they are to be looked at again. */
  #plan(configs: Iterable<ObjectKey>): StatePlan {
    const { store, gate } = this.#options;
    const planned = new Set(configs);
    const began = monotonicMs();
    const plan = new StatePlan(store, {
      configs: planned,
      gate,
      place: this.known.placer(began >= this.#noGrowthUntil),
      room: (shard) => FULL_BYTES - this.known.bytesOf(shard),
    });
    for (const config of planned) {
      const due = plan.pending.get(config);
      setIn(this.#changed, config, due === 'now');
      setIn(this.#pending, config, due === 'soon' || due === 'not');
      setIn(this.#withoutRoom, config, plan.withoutRoom.has(config));
      if (due === 'soon') this.#batchDueAt = Number.NEGATIVE_INFINITY;
      if (due === 'not') this.#batchDueAt = Math.min(this.#batchDueAt, began + REVIEW_MS);
    }
    this.known.noteFull(plan.full);
    this.#planMs += monotonicMs() - began;
    return plan;
  }

  /** Sends one write. The result is the size of the stored shard in bytes, 0 after a failure. */
  async #write(write: StateWrite): Promise<number> {
    const result = await this.known.write(write);
    if (result.kind === 'accepted') this.#options.onCommit(result, undefined);
    else this.#failed(result);
    return result.kind === 'accepted' ? this.known.bytesOf(write.shard) : 0;
  }

  /** Schedules a retry; the first one after a conflict or a lost shard comes without a delay, since it reads first. */
  #failed(refusal: Refusal): void {
    const isFree = (refusal.kind === 'conflict' || refusal.kind === 'gone') && this.#failures === 0;
    const retryAfterMs = 'retryAfterMs' in refusal ? (refusal.retryAfterMs ?? 0) : 0;
    const backoff = isFree ? 0 : backoffMs(this.#failures, LATER_BACKOFF, this.#options.random);
    const ms = Math.max(retryAfterMs, backoff);
    this.#hasFailed = true;
    this.#notBefore = Math.max(this.#notBefore, monotonicMs() + ms);
    this.#options.onCommit(refusal, ms);
  }
}

function setIn(keys: Set<ObjectKey>, key: ObjectKey, isIn: boolean): void {
  if (isIn) keys.add(key);
  else keys.delete(key);
}
