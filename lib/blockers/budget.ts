/**
 * The budget of rollouts: a workload takes a slot from its patch until it is rolled out, or has made no progress for its progress
 * deadline. Which slots are taken follows from the workloads as they are observed, so that a process that takes over finds the same
 * ones; only the order of turns, and since when a rollout makes no progress, are forgotten. Nothing is polled: a slot that becomes
 * free is given away at once.
 */

import { NOT_LISTED } from '../annotations/stage-news.ts';
import { keyOf, namespaceIn, type ObjectKey } from '../model/object-ref.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Budget } from '../model/settings.ts';
import { count } from '../model/text.ts';
import { inTime, monotonicMs } from '../model/time.ts';
import { TokenBucket } from '../queue/token-bucket.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { needsRollout, outdatedObjects } from '../tracking/edge-policy.ts';
import { type Blocker, type Readers, rolloutIdOf } from './blocker.ts';
import { Turns, type Waiting } from './turns.ts';

/** The collaborators of `Slots`. */
export interface SlotsOptions extends Pick<Readers, 'isObserver'> {
  readonly store: Store;
  readonly budget: Budget;
  /** Whether every workload that can be listed is known: before that nothing begins. */
  readonly isListed: () => boolean;
  /** How many older pods of the workload were evicted; undefined: none are being evicted. */
  readonly evictedOf: (record: WorkloadRecord) => number | undefined;
  /** Called when a workload that waited may begin: an attempt has to follow. */
  readonly begin: (workload: ObjectKey) => void;
  /** Called when a rollout of ours has made no progress for so many ms, so that its slot is free. */
  readonly onOverdue: (workload: ObjectKey, ms: number) => void;
}

/** One workload in a rollout. */
interface Rollout {
  /** Whether it counts fully: rollouts that others began take all slots but one at most. */
  readonly isOurs: boolean;
  readonly id: string;
  readonly progress: number;
  /** When it must have made progress, by monotonicMs. */
  readonly until: number;
  readonly isOverdue: boolean;
}

/** How many rollouts take slots. */
interface Taken {
  ours: number;
  others: number;
}

const LEAST_TIMER_MS = 1;

/** See the file's comment. */
export class Slots implements Blocker {
  readonly name = 'budget';
  readonly wakes = true;
  readonly isProblem = true;
  readonly #options: SlotsOptions;
  readonly #bucket: TokenBucket;
  readonly #turns = new Turns();
  readonly #waiting = new Set<ObjectKey>();
  /** Workloads that were let begin, until their attempt ends: then it shows whether they are in a rollout. */
  readonly #begun = new Set<ObjectKey>();
  readonly #rollouts = new Map<ObjectKey, Rollout>();
  /** The rollout that was last seen complete: pods that are not ready later are no rollout. */
  readonly #completed = new Map<ObjectKey, string>();
  /** How many go before each waiting workload; made on request. */
  #positions: ReadonlyMap<ObjectKey, number> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastBeginAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: SlotsOptions) {
    this.#options = options;
    this.#bucket = new TokenBucket(options.budget.rate, options.budget.burst);
  }

  /** How many slots are taken. */
  get used(): number {
    return countedOf(this.#taken(), this.#options.budget.slots);
  }

  /** Since when a workload waits in vain that is out of date since `since`: each rollout that begins is progress. */
  stuckSince(workload: ObjectKey, since: number): number {
    return this.#waiting.has(workload) ? Math.max(since, this.#lastBeginAt) : since;
  }

  /** See Blocker: whether there is room, unless the workload has its slot already. */
  check(record: WorkloadRecord): ReturnType<Blocker['check']> {
    if (this.#options.isObserver === true) return record.workload.rolling === 'held' ? undefined : 'unknown';
    const key = keyOf(record.workload.ref);
    if (this.#hasSlot(key, record) || this.#hasRoom(key, record, this.#taken())) return undefined;
    const textOf = (): string => this.#textOf(key);
    return {
      reason: this.name,
      until: Number.POSITIVE_INFINITY,
      event: 'WaitingForSlot',
      isShared: [...this.#waiting].some((other) => other !== key && namespaceIn(other) === namespaceIn(key)),
      // The place of one that waits changes with those before it.
      get message(): string {
        return textOf();
      },
    };
  }

  /** See Blocker: the workload has its slot. */
  begin(record: WorkloadRecord): void {
    const key = keyOf(record.workload.ref);
    if (!this.#hasSlot(key, record)) this.#grant(waitingOf(this.#options.store, key));
  }

  #hasSlot(key: ObjectKey, record: WorkloadRecord): boolean {
    return this.#begun.has(key) || this.#options.evictedOf(record) !== undefined;
  }

  /** See Blocker: whether it began a rollout shows now; one that is blocked here waits for its turn. */
  end(workload: ObjectKey, outcome: Outcome): void {
    if (outcome.type === 'retry' && outcome.reason === 'conflict') return;
    if (outcome.type === 'blocked' && outcome.blocked.reason === this.name) {
      this.#wait(workload);
      return;
    }
    this.#waiting.delete(workload);
    const isBegun = this.#begun.delete(workload);
    if (isBegun && outcome.type === 'blocked') this.#bucket.take(-1);
    const isFree = isBegun || this.#isTaking(workload);
    this.#positions = undefined;
    this.#look(workload);
    if (isFree) this.proceed();
    else this.#arm();
  }

  #wait(workload: ObjectKey): void {
    // It was given a slot while its attempt ended.
    if (this.#begun.has(workload)) {
      this.#options.begin(workload);
      return;
    }
    this.#waiting.add(workload);
    this.#positions = undefined;
    if (this.#isOver(workload, this.#taken())) this.proceed();
    else this.#arm();
  }

  /** The workload was observed. */
  observed(workload: ObjectKey): void {
    const wasTaking = this.#isTaking(workload);
    this.#look(workload);
    // Unless a slot became free, the others wait as before: to order thousands for each event would take too long.
    const isFree = wasTaking && !this.#isTaking(workload);
    const isWaiting = this.#waiting.has(workload);
    if (isWaiting) this.#positions = undefined;
    if (isFree || (isWaiting && this.#isOver(workload, this.#taken()))) this.proceed();
    else this.#arm();
  }

  /** Lets begin, in their turn, all that have room. */
  proceed(): void {
    const { store, begin } = this.#options;
    this.#positions = undefined;
    let taken = this.#taken();
    for (const one of this.#order()) {
      if (!this.#isOver(one.key, taken)) continue;
      this.#waiting.delete(one.key);
      if (needsRollout(store, one.key)) this.#grant(one);
      begin(one.key);
      taken = this.#taken();
    }
    this.#arm();
  }

  /** Why the workload waits; once it does, also when, and how many go before it. */
  #textOf(workload: ObjectKey): string {
    const { slots } = this.#options.budget;
    if (!this.#options.isListed()) return NOT_LISTED;
    const isFull = !hasRoom(this.#taken(), slots);
    const limit = isFull
      ? `of ${count(slots, 'slot')} none is free (--max-concurrent-rollouts)`
      : 'the rate of rollouts is reached (--rollout-rate)';
    if (!this.#waiting.has(workload)) return limit;
    this.#positions ??= new Map(this.#order().map(({ key }, index) => [key, index]));
    const before = this.#positions.get(workload) ?? 0;
    const place = before === 0 ? 'it is the next' : `${count(before, 'workload')} before it`;
    return `${isFull ? limit : `the next rollout begins ${inTime(this.#bucket.waitMs)} (--rollout-rate)`}; ${place}`;
  }

  /** Lets begin nothing more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #order(): Waiting[] {
    if (this.#waiting.size === 0) return [];
    return this.#turns.order([...this.#waiting].map((key) => waitingOf(this.#options.store, key)));
  }

  /** Whether the wait is over: there is room, or nothing to roll any more. */
  #isOver(key: ObjectKey, taken: Taken): boolean {
    const { store } = this.#options;
    const record = store.workloads.get(key);
    return record === undefined || !needsRollout(store, key) || this.#hasRoom(key, record, taken);
  }

  #grant(waiting: Waiting): void {
    this.#begun.add(waiting.key);
    this.#bucket.take();
    this.#turns.taken(waiting);
    this.#lastBeginAt = monotonicMs();
  }

  /** What replaces no pods takes no slot, and a workload in a rollout of ours that was never complete has one. */
  #hasRoom(key: ObjectKey, { workload }: WorkloadRecord, taken: Taken): boolean {
    const { budget, isListed } = this.#options;
    if (this.#isClosed || !isListed() || this.#bucket.waitMs > 0) return false;
    const own = this.#rollouts.get(key);
    const isNew = own?.id !== this.#completed.get(key);
    if (workload.rolling === 'held' || (own?.isOurs && isNew && !own.isOverdue)) return true;
    return hasRoom(taken, budget.slots);
  }

  #isTaking(workload: ObjectKey): boolean {
    return this.#rollouts.get(workload)?.isOverdue === false;
  }

  #taken(): Taken {
    const taken = { ours: 0, others: 0 };
    for (const key of this.#begun)
      if (this.#options.store.workloads.get(key)?.workload.rolling !== 'held') taken.ours += 1;
    for (const [key, { isOurs, isOverdue }] of this.#rollouts)
      if (!isOverdue && !this.#begun.has(key)) taken[isOurs ? 'ours' : 'others'] += 1;
    return taken;
  }

  /** Takes in the workload as it is observed now. */
  #look(key: ObjectKey): void {
    const record = this.#options.store.workloads.get(key);
    if (record?.workload.rolling === undefined && record !== undefined)
      this.#completed.set(key, rolloutIdOf(record.workload));
    const known = this.#rollouts.get(key);
    const seen = record && this.#seenOf(key, record);
    if (record === undefined) this.#completed.delete(key);
    if (record === undefined || seen === undefined) {
      this.#rollouts.delete(key);
      return;
    }
    if (known?.id === seen.id && (known.isOverdue || seen.progress <= known.progress))
      this.#rollouts.set(key, { ...known, isOurs: seen.isOurs });
    else {
      const until = monotonicMs() + record.workload.progressDeadlineMs;
      this.#rollouts.set(key, { ...seen, until, isOverdue: false });
    }
  }

  /** The rollout that the workload is in; undefined: none that takes a slot. */
  #seenOf(key: ObjectKey, record: WorkloadRecord): Pick<Rollout, 'isOurs' | 'id' | 'progress'> | undefined {
    const { rolling, progress } = record.workload;
    const id = rolloutIdOf(record.workload);
    const evicted = this.#options.evictedOf(record);
    if (evicted !== undefined) return { isOurs: true, id, progress: evicted };
    if (rolling === 'held') return undefined;
    const isSent = record.inFlight !== undefined;
    const isOurs = isSent || isStamped(record);
    const isOver =
      rolling === undefined || (rolling === 'starting' && (!isOurs || this.#completed.get(key) === id));
    return isOver && !isSent ? undefined : { isOurs, id, progress };
  }

  /** Sets the timer to the next moment at which a slot becomes free without an observation. */
  #arm(): void {
    clearTimeout(this.#timer);
    const isIdle = this.#waiting.size + this.#begun.size + this.#rollouts.size === 0;
    if (isIdle) this.#turns.clear();
    if (isIdle || this.#isClosed) return;
    const ends = [...this.#rollouts.values()].filter(({ isOverdue }) => !isOverdue).map(({ until }) => until);
    const tokenMs = this.#waiting.size > 0 ? this.#bucket.waitMs : 0;
    const next = Math.min(...ends, tokenMs > 0 ? monotonicMs() + tokenMs : Number.POSITIVE_INFINITY);
    if (next === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#due(), Math.max(LEAST_TIMER_MS, next - monotonicMs()));
  }

  /** A rollout without progress ends, or a token is there. */
  #due(): void {
    const { store, onOverdue } = this.#options;
    for (const [key, rollout] of this.#rollouts) {
      if (rollout.isOverdue || rollout.until - monotonicMs() >= LEAST_TIMER_MS) continue;
      this.#rollouts.set(key, { ...rollout, isOverdue: true });
      const ms = store.workloads.get(key)?.workload.progressDeadlineMs ?? 0;
      if (rollout.isOurs) onOverdue(key, ms);
    }
    this.proceed();
  }
}

/** Whether there is room for one more; rollouts that others began leave one slot. */
function hasRoom(taken: Taken, slots: number): boolean {
  return slots === 0 || countedOf(taken, slots) < slots;
}

function countedOf({ ours, others }: Taken, slots: number): number {
  return ours + (slots === 0 ? others : Math.min(others, slots - 1));
}

/** Whether the template carries a stamp of ours, and no other writer has changed it since, as far as that is known. */
function isStamped({ edges, externalRollout }: WorkloadRecord): boolean {
  return externalRollout === undefined && [...edges.values()].some(({ stamp }) => stamp !== undefined);
}

/** What decides about the turn of a workload, from the present objects. */
function waitingOf(store: Store, key: ObjectKey): Waiting {
  const record = store.workloads.get(key);
  const outdated = record === undefined ? [] : outdatedObjects(store, record);
  const changedAt = Math.min(...outdated.map(({ lastWrite = 0 }) => lastWrite));
  return { key, namespace: namespaceIn(key), changedAt };
}
