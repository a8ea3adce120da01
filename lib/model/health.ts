/** Whether the streams and the loops of this process are alive. */

import { secondsOf } from './time.ts';

/** Why a watch ended. */
export const WATCH_ENDS = [
  /** The server ended it in good order; it is resumed from the last version. */
  'ended',
  /** The last version is too old (410); a list follows. */
  'expired',
  /** No byte for too long; it is resumed from the last version. */
  'silence',
  /** An event could not be parsed; a list follows. */
  'malformed',
  /** Cut, refused or answered with an error; it is resumed from the last version. */
  'error',
] as const;

/** One of WATCH_ENDS. */
export type WatchEnd = (typeof WATCH_ENDS)[number];

/** What has become of a stream. */
export type StreamNews =
  /** A list or watch failed; the next attempt follows in `nextRetryMs`. `code`: an ApiErrorCode. */
  | { readonly type: 'failed'; readonly code: string; readonly problem: string; readonly nextRetryMs: number }
  /** The server has accepted a watch. */
  | { readonly type: 'up' }
  /** A watch, or the attempt to open one, is over. No news at shutdown. */
  | { readonly type: 'down'; readonly reason: WatchEnd }
  /** An object or a page of a list, an event or a bookmark has arrived. */
  | { readonly type: 'sign-of-life' }
  /** Versions have gone back, as after a restore of etcd: the objects delivered before belong to another history. May be repeated. */
  | { readonly type: 'turned-back' };

/** The status of one stream, for the pages. */
export interface WatchStatus {
  /** Its kind, and its namespace where it is limited to one: `Secret in web`. */
  readonly stream: string;
  /** Whether the watch is open. */
  readonly isUp: boolean;
  /** For how long it has been open, or closed. */
  readonly sinceSeconds: number;
  /** How long ago the last page, event or bookmark came; absent: none came yet. */
  readonly lastSignOfLifeSeconds?: number;
  /** How many watches have ended. */
  readonly restarts: number;
  /** Why the last one ended. */
  readonly lastReason?: WatchEnd;
  /** Why the last list or watch failed; absent once a watch is open again. */
  readonly problem?: string;
}

interface Health {
  isUp: boolean;
  since: number;
  lastSignOfLife?: number;
  restarts: number;
  lastReason?: WatchEnd;
  problem?: string | undefined;
}

/** The last reported status of each stream. Times are milliseconds of one monotonic clock. */
export class WatchHealth {
  readonly #streams = new Map<string, Health>();

  /** `stream` begins to list and watch. */
  followedSince(stream: string, now: number): void {
    this.#of(stream, now);
  }

  /** A watch that is opened repeatedly without success has been down since the first failure. */
  observe(stream: string, news: StreamNews, now: number): void {
    const health = this.#of(stream, now);
    const isUp = news.type === 'up' || (health.isUp && news.type !== 'down');
    if (health.isUp !== isUp) health.since = now;
    health.isUp = isUp;
    if (news.type === 'up') health.problem = undefined;
    if (news.type === 'failed') health.problem = news.problem;
    if (news.type === 'up' || news.type === 'sign-of-life') health.lastSignOfLife = now;
    if (news.type !== 'down') return;
    health.restarts += 1;
    health.lastReason = news.reason;
  }

  /** Whether the watch of `stream` is open. */
  isUp(stream: string): boolean {
    return this.#streams.get(stream)?.isUp ?? false;
  }

  /** All streams, in the order in which they began. */
  statuses(now: number): WatchStatus[] {
    return [...this.#streams].map(([stream, { since, lastSignOfLife, problem, ...health }]) => ({
      stream,
      ...health,
      sinceSeconds: secondsOf(now - since),
      ...(lastSignOfLife === undefined ? {} : { lastSignOfLifeSeconds: secondsOf(now - lastSignOfLife) }),
      ...(problem === undefined ? {} : { problem }),
    }));
  }

  #of(stream: string, now: number): Health {
    const health: Health = this.#streams.get(stream) ?? { isUp: false, since: now, restarts: 0 };
    this.#streams.set(stream, health);
    return health;
  }
}

/** How long a loop may be overdue before it counts as stuck. */
export const STUCK_AFTER_MS = 60_000;

/**
 * The last report of each loop. Times are milliseconds of one monotonic clock. A loop that never reported is not judged.
 */
export class Heartbeat {
  /** Loop → the time from which progress is expected. */
  readonly #expectedFrom = new Map<string, number>();

  /** `loop` has made progress, and waits until `until` at the latest: a retry, a deadline, its next round. */
  sleeps(loop: string, until: number): void {
    this.#expectedFrom.set(loop, until);
  }

  /** `loop` has ended as it should, or has nothing to do until it gets work. */
  ended(loop: string): void {
    this.#expectedFrom.delete(loop);
  }

  /** The loops with no progress and no scheduled wake-up for STUCK_AFTER_MS, in the order in which they began. */
  stuck(now: number): string[] {
    return [...this.#expectedFrom].filter(([, from]) => now - from >= STUCK_AFTER_MS).map(([loop]) => loop);
  }
}
