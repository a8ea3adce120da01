/** How the watches fare: one record per stream, for metrics and for people. */

import { secondsOf } from './duration.ts';
import type { WatchEnd } from './watch-end.ts';

/** One stream, as it is shown. */
export interface WatchStatus {
  /** Its kind, and its namespace where it is limited to one: `Secret in web`. */
  readonly stream: string;
  /** Whether the watch is open. */
  readonly isUp: boolean;
  /** For how long it has been open, or closed. */
  readonly sinceSeconds: number;
  /** How long ago the last page, event or bookmark came; absent: none came yet. */
  readonly lastSignOfLifeSeconds?: number;
  /** How often a watch came to its end. */
  readonly restarts: number;
  /** Why the last one did. */
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

/** What each stream last said of itself. Times are milliseconds on one clock that never jumps. */
export class WatchHealth {
  readonly #streams = new Map<string, Health>();

  /** `stream` begins to list and watch. */
  followedSince(stream: string, now: number): void {
    this.#of(stream, now);
  }

  /** The server has accepted a watch. */
  up(stream: string, now: number): void {
    const health = this.#of(stream, now);
    health.problem = undefined;
    health.lastSignOfLife = now;
    turn(health, true, now);
  }

  /** A watch, or the attempt to open one, is over. */
  down(stream: string, reason: WatchEnd, now: number): void {
    const health = this.#of(stream, now);
    health.restarts += 1;
    health.lastReason = reason;
    turn(health, false, now);
  }

  /** A page, an event or a bookmark has come. */
  signOfLife(stream: string, now: number): void {
    this.#of(stream, now).lastSignOfLife = now;
  }

  /** A list or watch failed. */
  failed(stream: string, problem: string, now: number): void {
    this.#of(stream, now).problem = problem;
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
    let health = this.#streams.get(stream);
    if (health === undefined) {
      health = { isUp: false, since: now, restarts: 0 };
      this.#streams.set(stream, health);
    }
    return health;
  }
}

/** A watch that is opened again and again without success has been down since the first time. */
function turn(health: Health, isUp: boolean, now: number): void {
  if (health.isUp === isUp) return;
  health.isUp = isUp;
  health.since = now;
}
