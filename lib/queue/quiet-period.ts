/**
 * The quiet period: a key is released once it has not been touched for a while, and at the latest when the maximum wait
 * since its first touch is over. A touch only moves the end of the window. p-debounce keeps a promise for each call, so it is
 * called when the window opens, and again for the remaining time if a touch has moved the end meanwhile.
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

/** The length of each window, and the callback at its end. */
export interface QuietPeriodOptions {
  /** Called when the window of `key` opens; an open window keeps its length. */
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
  /** Aborted when the window is closed before its time. */
  readonly end: AbortController;
}

/** The shortest delay of a timer, in ms: a shorter remaining time counts as over. */
const LEAST_TIMER_MS = 1;

/** The windows of all keys. Keys whose windows end at the same time are released in any order. */
export class QuietPeriod {
  readonly #options: QuietPeriodOptions;
  readonly #windows = new Map<string, Window>();
  #isClosed = false;

  constructor(options: QuietPeriodOptions) {
    this.#options = options;
  }

  /** Opens the window of `key` or restarts its quiet period; returns in how many ms it ends without a further touch. */
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

  /** Undefined for a window of length 0: the key does not wait. */
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
      // Only an abort rejects: then the window was closed before its time.
    });
  }

  #release(key: string, window: Window): void {
    if (this.#windows.get(key) !== window) return;
    this.forget(key);
    this.#options.release(key);
  }
}
