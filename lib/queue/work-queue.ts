/**
 * The work queue: keys that wait for a worker.
 *
 * - Single flight: a key is never worked on twice at once; a key added again before its turn is worked on once.
 * - A key added while it is worked on is worked on again afterwards.
 * - Fair: keys are worked on in the order in which they were added, up to `concurrency` at once.
 * - A worker starts in the same turn in which its key is added, as long as one is free.
 */

/** How keys are worked on. */
export interface WorkQueueOptions {
  /** Works on one key; must not throw. */
  readonly work: (key: string) => Promise<void>;
  /** How many keys are worked on at once, at least 1. */
  readonly concurrency: number;
}

/** See the file's comment. */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  /** Keys that wait for a worker, including keys that were added again while they are worked on. */
  readonly #dirty = new Set<string>();
  /** Keys that are worked on now. */
  readonly #running = new Set<string>();
  readonly #delayed = new Map<string, NodeJS.Timeout>();
  readonly #idle: (() => void)[] = [];
  #isClosed = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Adds a key; a delay that it had is over. */
  add(key: string): void {
    if (this.#isClosed) return;
    this.#cancelDelay(key);
    this.#dirty.add(key);
    this.#start();
  }

  /** Adds a key in `delayMs`; replaces an earlier delay. */
  addAfter(key: string, delayMs: number): void {
    if (this.#isClosed) return;
    this.#cancelDelay(key);
    this.#delayed.set(
      key,
      setTimeout(() => this.add(key), delayMs),
    );
  }

  /** Whether the key waits for a worker or has one. */
  isBusy(key: string): boolean {
    return this.#dirty.has(key) || this.#running.has(key);
  }

  /** Whether the key is to be added later. */
  isDelayed(key: string): boolean {
    return this.#delayed.has(key);
  }

  /** Forgets a key that waits; work under way goes on. */
  forget(key: string): void {
    this.#cancelDelay(key);
    this.#dirty.delete(key);
  }

  /** Starts nothing more; resolves when the work under way is done. */
  close(): Promise<void> {
    this.#isClosed = true;
    for (const key of [...this.#delayed.keys()]) this.#cancelDelay(key);
    this.#dirty.clear();
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #start(): void {
    for (const key of this.#dirty) {
      if (this.#running.size >= this.#options.concurrency) return;
      if (this.#running.has(key)) continue;
      this.#dirty.delete(key);
      this.#running.add(key);
      void this.#work(key);
    }
  }

  async #work(key: string): Promise<void> {
    try {
      await this.#options.work(key);
    } finally {
      this.#running.delete(key);
      this.#start();
      if (this.#running.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  #cancelDelay(key: string): void {
    clearTimeout(this.#delayed.get(key));
    this.#delayed.delete(key);
  }
}
