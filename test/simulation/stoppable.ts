/** Processes that are stopped and go on, as by SIGSTOP and SIGCONT: what is due for one meanwhile runs when it goes on. */

import { AsyncLocalStorage } from 'node:async_hooks';

const RUNNING = new AsyncLocalStorage<Stoppable | undefined>();

/** Runs `act` as nobody's. */
export function outside<T>(act: () => T): T {
  return RUNNING.run(undefined, act);
}

/** The process that runs now; undefined: none. */
export function running(): Stoppable | undefined {
  return RUNNING.getStore();
}

/** One process. Its timers belong to it, for the clock asks who sets one. */
export class Stoppable {
  /** By how much its time of day is ahead. */
  aheadMs = 0;
  readonly #due = new Map<unknown, () => void>();
  #stopped: PromiseWithResolvers<void> | undefined;

  /** Resolves when the process goes on; undefined: it runs. */
  get stopped(): Promise<void> | undefined {
    return this.#stopped?.promise;
  }

  /** Runs `act` as this process's. */
  run<T>(act: () => T): T {
    return RUNNING.run(this, act);
  }

  /** Stops it. */
  stop(): void {
    this.#stopped ??= Promise.withResolvers();
  }

  /** It goes on: first what was due, then what it was told. */
  goOn(): void {
    const stopped = this.#stopped;
    this.#stopped = undefined;
    for (const [timer, act] of this.#due) {
      // What an earlier one has cleared is not there any more.
      if (this.#due.delete(timer)) this.run(act);
    }
    stopped?.resolve();
  }

  /** A timer of this process is due. */
  due(timer: unknown, act: () => void): void {
    if (this.#stopped === undefined) this.run(act);
    else this.#due.set(timer, act);
  }

  /** A timer is cleared. */
  forget(timer: unknown): void {
    this.#due.delete(timer);
  }
}
