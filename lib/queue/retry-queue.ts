/**
 * Keys that are reconciled until nothing is left to do, with the contract of client-go's workqueue:
 *
 * - A key added again before its turn is reconciled once.
 * - A key is reconciled once at a time; added meanwhile, it is reconciled again afterwards, behind those that wait.
 * - Namespaces take turns; within a namespace, keys are reconciled in the order in which they were added. Up to `concurrency`
 *   keys are reconciled at once. While a worker is idle, a key starts in the turn in which it is added.
 * - If namespaces share the workers, a namespace gets a further one only while it holds fewer than are idle. So slow keys of one
 *   namespace take at most half of the workers, and the keys of another one start at once.
 * - `again` puts the key behind those that wait, `afterMs` delays it, and `done` ends it and resets its backoff.
 * - `add` ends a delay, and `addAfter` replaces an earlier one.
 * - A key that fails backs off, longer each time; `add` does not shorten that, `forget` does. A block delays a key alike, and is
 *   no failure: after it, the next failure backs off as long as without it.
 * - A forgotten key is neither reconciled nor backed off; work under way goes on.
 * - A reconcile that throws is logged, and the key backs off.
 * - `close` begins nothing more, and resolves when the work under way is answered.
 */

import type { Log } from '../model/log.ts';
import { type BackoffBounds, backoffMs, LATER_BACKOFF, monotonicMs } from '../model/time.ts';

/** What follows for the key: nothing, another turn, or another turn in so many ms. */
export type Result = 'done' | 'again' | { readonly afterMs: number };

/** How keys are reconciled. */
export interface RetryQueueOptions {
  readonly reconcile: (key: string) => Promise<Result>;
  /** How many keys are reconciled at once, at least 1. */
  readonly concurrency: number;
  /** Whether several namespaces share the workers; false: a namespace may take all of them. */
  readonly isShared: boolean;
  /** Answers a number in [0, 1), for the jitter of backoffs. */
  readonly random: () => number;
  readonly log: Log;
}

/** Why and for how long a key backs off. */
export interface Failure {
  readonly bounds: BackoffBounds;
  readonly atLeastMs?: number | undefined;
  /** Failures in a row, this one included. @default one more than before */
  readonly times?: number | undefined;
}

/** The keys of one namespace that wait for a worker. */
class Lane {
  readonly keys = new Set<string>();
  /** The order in which they were added. A new iterator would step over all keys that were removed before. */
  readonly order = this.keys.values();
}

/** See the file's comment. */
export class RetryQueue {
  readonly #options: RetryQueueOptions;
  /** The namespaces with keys that wait for a worker, the next one in turn first. */
  readonly #lanes = new Map<string, Lane>();
  /** The keys that have a worker; true: added meanwhile. */
  readonly #running = new Map<string, boolean>();
  /** How many workers each namespace holds. */
  readonly #held = new Map<string, number>();
  readonly #delays = new Map<string, NodeJS.Timeout>();
  readonly #failures = new Map<string, number>();
  /** Until when each key backs off or is blocked, by monotonicMs. */
  readonly #backoffs = new Map<string, number>();
  readonly #idle: (() => void)[] = [];
  #isClosed = false;

  constructor(options: RetryQueueOptions) {
    this.#options = options;
  }

  /** Adds a key, unless it backs off. */
  add(key: string): void {
    if (this.#isClosed || this.#backoffs.has(key)) return;
    this.#endDelay(key);
    if (this.#running.has(key)) this.#running.set(key, true);
    else this.#enqueue(key);
  }

  /** Adds a key in `ms`, unless it backs off. */
  addAfter(key: string, ms: number): void {
    if (!this.#backoffs.has(key)) this.#delay(key, ms);
  }

  /** The key failed: it waits for its backoff, even if it was added meanwhile. Answers for how long, as a reconcile does. */
  backOff(key: string, { bounds, atLeastMs = 0, times }: Failure): { readonly afterMs: number } {
    const failures = times ?? (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    return this.block(key, Math.max(atLeastMs, backoffMs(failures - 1, bounds, this.#options.random)));
  }

  /** The key waits as after a failure, for so long; Infinity: until it is forgotten or unblocked. */
  block(key: string, afterMs: number): { readonly afterMs: number } {
    this.#dequeue(key);
    this.#backoffs.set(key, monotonicMs() + afterMs);
    this.#delay(key, afterMs);
    return { afterMs };
  }

  /** Until when the key backs off or is blocked, by monotonicMs; undefined: it is neither. */
  backoffOf(key: string): number | undefined {
    return this.#backoffs.get(key);
  }

  /** Whether the key waits for a worker or has one. */
  isBusy(key: string): boolean {
    return this.#running.has(key) || this.#lanes.get(namespaceOf(key))?.keys.has(key) === true;
  }

  /** Ends the delay, the block or the backoff of the key. Its failures count on. */
  unblock(key: string): void {
    this.#endDelay(key);
    this.#dequeue(key);
    this.#backoffs.delete(key);
  }

  /** The same, and forgets its failures. */
  forget(key: string): void {
    this.unblock(key);
    this.#failures.delete(key);
  }

  /** See the file's comment. */
  close(): Promise<void> {
    this.#isClosed = true;
    for (const key of [...this.#delays.keys()]) this.#endDelay(key);
    this.#lanes.clear();
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #enqueue(key: string): void {
    const namespace = namespaceOf(key);
    const lane = this.#lanes.get(namespace) ?? new Lane();
    lane.keys.add(key);
    this.#lanes.set(namespace, lane);
    this.#start();
  }

  #dequeue(key: string): void {
    if (this.#running.has(key)) this.#running.set(key, false);
    const namespace = namespaceOf(key);
    const lane = this.#lanes.get(namespace);
    if (lane?.keys.delete(key) && lane.keys.size === 0) this.#lanes.delete(namespace);
  }

  /** After its turn a namespace goes to the end of the lanes, where the loop reaches it again. */
  #start(): void {
    const { concurrency, isShared } = this.#options;
    for (const [namespace, lane] of this.#lanes) {
      const idle = concurrency - this.#running.size;
      const held = this.#held.get(namespace) ?? 0;
      if (idle <= 0) return;
      if (isShared && held >= idle) continue;
      const { value: key } = lane.order.next();
      if (key === undefined) continue;
      lane.keys.delete(key);
      this.#lanes.delete(namespace);
      if (lane.keys.size > 0) this.#lanes.set(namespace, lane);
      this.#held.set(namespace, held + 1);
      this.#running.set(key, false);
      void this.#work(key, namespace);
    }
  }

  async #work(key: string, namespace: string): Promise<void> {
    const result = await this.#fencedReconcile(key);
    const wasAdded = this.#running.get(key);
    this.#running.delete(key);
    this.#release(namespace);
    if (result === 'done') this.#failures.delete(key);
    if (wasAdded || result === 'again') this.add(key);
    else if (result !== 'done') this.addAfter(key, result.afterMs);
    this.#start();
    if (this.#running.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #release(namespace: string): void {
    const held = (this.#held.get(namespace) ?? 0) - 1;
    if (held > 0) this.#held.set(namespace, held);
    else this.#held.delete(namespace);
  }

  async #fencedReconcile(key: string): Promise<Result> {
    try {
      return await this.#options.reconcile(key);
    } catch (error) {
      this.#options.log.error('internal error, retrying later', { key, error: String(error) });
      return this.backOff(key, { bounds: LATER_BACKOFF });
    }
  }

  #delay(key: string, ms: number): void {
    this.#endDelay(key);
    if (this.#isClosed || !Number.isFinite(ms)) return;
    const due = (): void => {
      this.#backoffs.delete(key);
      this.add(key);
    };
    this.#delays.set(key, setTimeout(due, ms));
  }

  #endDelay(key: string): void {
    clearTimeout(this.#delays.get(key));
    this.#delays.delete(key);
  }
}

/** A key begins with its namespace. */
function namespaceOf(key: string): string {
  return key.split('/', 1).join();
}
