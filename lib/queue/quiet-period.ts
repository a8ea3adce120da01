/**
 * The quiet period: a key is released once it has not been touched for a while, and at the latest when the maximum wait
 * since its first touch is over. A touch only moves the end of the window: p-debounce, which keeps a promise for each call
 * of it, is called when the window opens and again for what is left when its time has run out before the end.
 */

import pDebounce from 'p-debounce';
import { monotonicMs } from '../model/time.ts';

/** How long a key waits. */
export interface WindowLength {
  /** How long a key must not be touched, in ms; 0 releases it at once. */
  readonly quietMs: number;
  /** How long a key waits at the most, in ms, however often it is touched; at least `quietMs`. */
  readonly maxWaitMs: number;
}

/** What the windows are like, and what comes of them. */
export interface QuietPeriodOptions {
  /** Asked when the window of `key` opens; a window that is open keeps the length that it has. */
  readonly windowOf: (key: string) => WindowLength;
  /** Called once for each window, when it ends. */
  readonly release: (key: string) => void;
}

interface Window {
  readonly quietMs: number;
  /** When it ends if it is not touched again, by monotonicMs. */
  endsAt: number;
  readonly openedAt: number;
  /** When it ends at the latest. */
  readonly latestAt: number;
  /** Aborted when it ends another way than by its time. */
  readonly end: AbortController;
}

/** No timer waits for less. */
const LEAST_TIMER_MS = 1;

/** The windows of all keys. Not promised: any order among keys whose windows end at the same time. */
export class QuietPeriod {
  readonly #options: QuietPeriodOptions;
  readonly #windows = new Map<string, Window>();
  #isClosed = false;

  constructor(options: QuietPeriodOptions) {
    this.#options = options;
  }

  /** The number of open windows. */
  get size(): number {
    return this.#windows.size;
  }

  /** Opens the window of `key` or restarts its quiet period; answers in how many ms it ends if nothing more comes. */
  touch(key: string): number {
    if (this.#isClosed) return Number.POSITIVE_INFINITY;
    const window = this.#windows.get(key) ?? this.#open(key);
    if (window === undefined) {
      this.#options.release(key);
      return 0;
    }
    const now = monotonicMs();
    window.endsAt = Math.min(now + window.quietMs, window.latestAt);
    return window.endsAt - now;
  }

  /** When the window of `key` was opened, by monotonicMs; undefined if none is open. */
  beginOf(key: string): number | undefined {
    return this.#windows.get(key)?.openedAt;
  }

  /** When the window of `key` ends if it is not touched again, by monotonicMs; undefined if none is open. */
  endOf(key: string): number | undefined {
    return this.#windows.get(key)?.endsAt;
  }

  /** Ends the window of `key` without a release. */
  forget(key: string): void {
    const window = this.#windows.get(key);
    if (window === undefined) return;
    this.#windows.delete(key);
    window.end.abort();
  }

  /** Ends every window without a release; nothing is released any more. */
  close(): void {
    this.#isClosed = true;
    for (const key of [...this.#windows.keys()]) this.forget(key);
  }

  /** Undefined: the key does not wait. */
  #open(key: string): Window | undefined {
    const { quietMs, maxWaitMs } = this.#options.windowOf(key);
    if (quietMs === 0) return undefined;
    const now = monotonicMs();
    const latestAt = now + maxWaitMs;
    const endsAt = Math.min(now + quietMs, latestAt);
    const window: Window = { quietMs, openedAt: now, endsAt, latestAt, end: new AbortController() };
    this.#windows.set(key, window);
    this.#wait(key, window);
    return window;
  }

  /** Releases the key when the window has ended, touched meanwhile or not. */
  #wait(key: string, window: Window): void {
    const leftMs = window.endsAt - monotonicMs();
    const look = (): void => {
      if (window.endsAt - monotonicMs() < LEAST_TIMER_MS) this.#release(key, window);
      else this.#wait(key, window);
    };
    pDebounce(look, leftMs, { signal: window.end.signal })().catch(() => {
      // Only an abort rejects: then the window has ended another way.
    });
  }

  #release(key: string, window: Window): void {
    if (this.#windows.get(key) !== window) return;
    this.forget(key);
    this.#options.release(key);
  }
}
