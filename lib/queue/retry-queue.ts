/**
 * Keys that are reconciled until nothing is left to do, with the contract of client-go's workqueue:
 *
 * - A key added again before its turn is reconciled once.
 * - A key is reconciled once at a time; added meanwhile, it is reconciled again afterwards.
 * - Keys are reconciled in the order in which they were added, up to `concurrency` at once, and in the turn in which they are
 *   added while a worker is free.
 * - `again` puts the key behind those that wait, `afterMs` delays it, and `done` ends it and resets its backoff.
 * - `add` ends a delay, and `addAfter` replaces an earlier one.
 * - A key that fails backs off, longer each time; `add` does not shorten that, `forget` does.
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
  readonly random: () => number;
  readonly log: Log;
}

/** Why and for how long a key backs off. */
export interface Failure {
  readonly bounds: BackoffBounds;
  readonly message?: string;
  readonly atLeastMs?: number | undefined;
  /** Failures in a row, this one included. @default one more than before */
  readonly times?: number;
}

/** The backoff of a key. */
export interface Backoff {
  /** By monotonicMs; Infinity: until the key is forgotten. */
  readonly until: number;
  readonly message: string;
}

/** See the file's comment. */
export class RetryQueue {
  readonly #options: RetryQueueOptions;
  /** Keys that wait for a worker, in turn; also running keys that were added meanwhile. */
  readonly #waiting = new Set<string>();
  readonly #running = new Set<string>();
  readonly #delays = new Map<string, NodeJS.Timeout>();
  readonly #failures = new Map<string, number>();
  readonly #backoffs = new Map<string, Backoff>();
  readonly #idle: (() => void)[] = [];
  #isClosed = false;

  constructor(options: RetryQueueOptions) {
    this.#options = options;
  }

  /** Adds a key, unless it backs off. */
  add(key: string): void {
    if (this.#isClosed || this.#backoffs.has(key)) return;
    this.#endDelay(key);
    this.#waiting.add(key);
    this.#start();
  }

  /** Adds a key in `ms`, unless it backs off. */
  addAfter(key: string, ms: number): void {
    if (!this.#backoffs.has(key)) this.#delay(key, ms);
  }

  /** The key failed: it waits for its backoff, even if it was added meanwhile. Answers for how long, as a reconcile does. */
  backOff(
    key: string,
    { bounds, message = '', atLeastMs = 0, times }: Failure,
  ): { readonly afterMs: number } {
    const failures = times ?? (this.#failures.get(key) ?? 0) + 1;
    const afterMs = Math.max(atLeastMs, backoffMs(failures - 1, bounds, this.#options.random));
    this.#failures.set(key, failures);
    this.#waiting.delete(key);
    this.#backoffs.set(key, { until: monotonicMs() + afterMs, message });
    this.#delay(key, afterMs);
    return { afterMs };
  }

  /** The backoff of the key; undefined: it does not back off. */
  backoffOf(key: string): Backoff | undefined {
    return this.#backoffs.get(key);
  }

  /** Whether the key waits for a worker or has one. */
  isBusy(key: string): boolean {
    return this.#waiting.has(key) || this.#running.has(key);
  }

  /** Forgets the key with its delay, its backoff and its failures. */
  forget(key: string): void {
    this.#endDelay(key);
    this.#waiting.delete(key);
    this.#backoffs.delete(key);
    this.#failures.delete(key);
  }

  /** See the file's comment. */
  close(): Promise<void> {
    this.#isClosed = true;
    for (const key of [...this.#delays.keys()]) this.#endDelay(key);
    this.#waiting.clear();
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #start(): void {
    for (const key of this.#waiting) {
      if (this.#running.size >= this.#options.concurrency) return;
      if (this.#running.has(key)) continue;
      this.#waiting.delete(key);
      this.#running.add(key);
      void this.#work(key);
    }
  }

  async #work(key: string): Promise<void> {
    const result = await this.#fencedReconcile(key);
    this.#running.delete(key);
    if (result === 'done') this.#failures.delete(key);
    else if (result === 'again') this.add(key);
    else if (!this.#waiting.has(key)) this.addAfter(key, result.afterMs);
    this.#start();
    if (this.#running.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #fencedReconcile(key: string): Promise<Result> {
    try {
      return await this.#options.reconcile(key);
    } catch (error) {
      const message = `internal error: ${String(error)}`;
      this.#options.log.error('internal error, tried again later', { key, error: message });
      return this.backOff(key, { bounds: LATER_BACKOFF, message });
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
