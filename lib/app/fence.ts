/**
 * Handles what happens, one workload or object at a time. An exception, which can only be a defect of this program, costs no other one
 * anything: it is logged and counted, and the same is handled again with growing delays until it succeeds.
 */

import type { Log } from '../model/log.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import { backoffMs, LATER_BACKOFF } from '../model/time.ts';

/** The collaborators of a fence. */
export interface FenceOptions {
  readonly log: Log;
  /** Answers a number in [0, 1). */
  readonly random: () => number;
  /** It failed, with this message; undefined: nothing about the key fails any more. */
  readonly onNews: (key: ObjectKey, message: string | undefined) => void;
}

interface Failed {
  readonly key: ObjectKey;
  readonly times: number;
  readonly timer: NodeJS.Timeout;
}

/** See the file's comment. */
export class Fence {
  readonly #options: FenceOptions;
  /** By what is handled, and about which key. */
  readonly #failed = new Map<string, Failed>();
  #isClosed = false;

  constructor(options: FenceOptions) {
    this.#options = options;
  }

  /** Calls `handle` at once, and again while it throws; a later call for the same `what` and `key` takes its place. */
  run(what: string, key: ObjectKey, handle: () => void): void {
    const failed = this.#failed.size === 0 ? undefined : this.#failed.get(nameOf(what, key));
    clearTimeout(failed?.timer);
    try {
      handle();
    } catch (error) {
      this.#fail(what, key, handle, failed?.times ?? 0, error);
      return;
    }
    if (failed === undefined) return;
    this.#failed.delete(nameOf(what, key));
    const isWell = [...this.#failed.values()].every((other) => other.key !== key);
    if (isWell) this.#options.onNews(key, undefined);
  }

  /** Handles nothing again. */
  close(): Promise<void> {
    this.#isClosed = true;
    for (const { timer } of this.#failed.values()) clearTimeout(timer);
    return Promise.resolve();
  }

  #fail(what: string, key: ObjectKey, handle: () => void, times: number, error: unknown): void {
    const { log, random, onNews } = this.#options;
    const retryInMs = backoffMs(times, LATER_BACKOFF, random);
    log.error('internal error, retrying later', { key, what, error: String(error), retryInMs });
    if (!this.#isClosed) {
      const timer = setTimeout(() => this.run(what, key, handle), retryInMs);
      this.#failed.set(nameOf(what, key), { key, times: times + 1, timer });
    }
    onNews(key, `${what}: ${String(error)}`);
  }
}

function nameOf(what: string, key: ObjectKey): string {
  return `${what} ${key}`;
}
