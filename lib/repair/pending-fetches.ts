/**
 * Objects of which a workload follows some keys, and whose keys were not told apart when they were last read: each is looked at
 * once more. Only where a workload asks for that itself, after its objects were listed.
 */

import type { Log } from '../model/log.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import { backoffMs, LATER_BACKOFF } from '../model/time.ts';

/** What it is made of. */
export interface UnreadOptions {
  /** Looks afresh at an object and takes in what it sees; false: it failed. */
  readonly lookAt: (config: ObjectKey) => Promise<boolean>;
  readonly log: Log;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

/** See the file's comment. */
export class PendingFetches {
  readonly #options: UnreadOptions;
  readonly #end = new AbortController();
  readonly #awaited = new Set<ObjectKey>();
  #round: Promise<void> | undefined;

  constructor(options: UnreadOptions) {
    this.#options = options;
  }

  /** `config` is to be looked at; never blocks. */
  read(config: ObjectKey): void {
    if (this.#end.signal.aborted) return;
    this.#awaited.add(config);
    this.#round ??= this.#run();
  }

  /** Looks at nothing more; resolves when the look under way has ended. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#round;
  }

  async #run(): Promise<void> {
    const { wait, random } = this.#options;
    const { signal } = this.#end;
    let failures = 0;
    for (let [config] = this.#awaited; config !== undefined && !signal.aborted; [config] = this.#awaited) {
      // What is asked for during the look is another question.
      this.#awaited.delete(config);
      if (await this.#fencedLook(config)) {
        failures = 0;
        continue;
      }
      this.#awaited.add(config);
      await wait(backoffMs(failures, LATER_BACKOFF, random), signal);
      failures += 1;
    }
    this.#round = undefined;
  }

  /** A defect of ours must not end the process: the object is looked at again later. */
  async #fencedLook(config: ObjectKey): Promise<boolean> {
    const { lookAt, log } = this.#options;
    try {
      return await lookAt(config);
    } catch (error) {
      log.warn('an object could not be looked at', { error: `internal error: ${String(error)}` });
      return false;
    }
  }
}
