/**
 * Virtual time: the mock timers of node:test, moved from one timer to the next. Between two timers everything that was
 * started runs until it waits for time again.
 */

import { mock } from 'node:test';
import { stopTimers } from '../mock-time.ts';
import { running } from './stoppable.ts';

/** The moment at which every history begins. */
export const EPOCH_MS: number = Date.UTC(2025, 0, 1);

/** Time that stands still unless it is moved. One at a time per process. */
export interface VirtualClock {
  /** Milliseconds since the beginning. */
  now(): number;
  /** The time of day of the reloaders is set forward, or back: nothing is any nearer. */
  jump(ms: number): void;
  /** Moves time by `ms`, timer by timer; `afterEach` is called whenever everything has come to rest. */
  pass(ms: number, afterEach: () => void): Promise<void>;
  /** Lets everything run that does not wait for time. */
  settle(): Promise<void>;
  /** Gives the real timers back. */
  restore(): void;
}

const APIS = ['setTimeout', 'setInterval', 'AbortSignal.timeout'];

const realSetImmediate = setImmediate;

/** Stops the time of this process. */
export function stopTime(): VirtualClock {
  const aheadMs = (): number => running()?.aheadMs ?? 0;
  const time = stopTimers(mock.timers, { apis: APIS, now: EPOCH_MS, aheadMs });
  const begin = performance.now();
  const due = watchTimers();
  const settle = () => new Promise<void>((resolve) => void realSetImmediate(resolve));
  return {
    now: () => performance.now() - begin,
    jump: time.jump,
    settle,
    async pass(ms, afterEach) {
      const end = performance.now() + ms;
      await settle();
      for (let next = due.next(end); next !== undefined; next = due.next(end)) {
        mock.timers.tick(Math.max(0, next - performance.now()));
        await settle();
        afterEach();
      }
      mock.timers.tick(end - performance.now());
      await settle();
      afterEach();
    },
    restore: time.restore,
  };
}

/** Notes when timers are due; one that was cleared costs a stop for nothing. */
function watchTimers(): { next(until: number): number | undefined } {
  const moments = new Set<number>();
  const note = (ms: number | undefined) => void moments.add(performance.now() + wholeMs(ms));
  const timers = { setTimeout, setInterval, timeout: AbortSignal.timeout };
  globalThis.setTimeout = noting(timers.setTimeout, note);
  globalThis.clearTimeout = clearing(clearTimeout);
  globalThis.setInterval = notingEach(timers.setInterval, note);
  AbortSignal.timeout = (ms) => {
    note(ms);
    return timers.timeout.call(AbortSignal, ms);
  };
  return {
    next(until) {
      let next: number | undefined;
      for (const moment of moments) if (next === undefined || moment < next) next = moment;
      if (next === undefined || next > until) return undefined;
      moments.delete(next);
      return next;
    },
  };
}

/** As a process takes it. */
function wholeMs(ms = 1): number {
  return Math.max(1, Math.trunc(ms));
}

type Timer = (callback: () => void, ms?: number) => NodeJS.Timeout;

function noting(timer: typeof setTimeout, note: (ms?: number) => void): typeof setTimeout {
  const wrapped: Timer = (callback, time) => {
    const ms = wholeMs(time);
    note(ms);
    const owner = running();
    if (owner === undefined) return timer(callback, ms);
    const handle = timer(() => owner.due(handle, callback), ms);
    return handle;
  };
  return wrapped as unknown as typeof setTimeout;
}

/** What a process that is stopped has cleared before does not come when it goes on. */
function clearing(clear: typeof clearTimeout): typeof clearTimeout {
  return (timer) => {
    running()?.forget(timer);
    clear(timer);
  };
}

function notingEach(timer: typeof setInterval, note: (ms?: number) => void): typeof setInterval {
  const wrapped: Timer = (callback, ms) => {
    note(ms);
    return timer(() => {
      note(ms);
      callback();
    }, ms);
  };
  return wrapped as unknown as typeof setInterval;
}
