/** Keeps a target up to date with one kind of object: lists, then watches, for ever. */

import type { WatchEnd } from '../model/health.ts';
import { type Log, NO_LOG } from '../model/log.ts';
import type { RawObject } from '../model/raw-objects.ts';
import { backoffMs, LATER_BACKOFF, monotonicMs } from '../model/time.ts';
import { decimalOf, isOlder } from '../model/timeline.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import { ApiError } from './api-error.ts';
import { type ListPage, type ListWatchSource, listPage, openWatch, type WatchEvent } from './list-watch.ts';
import type { Send } from './transport.ts';

/** What a reflector keeps up to date. Its methods must not throw. */
export interface ReflectorTarget {
  /** A list begins, or begins anew: what was not listed since the last `beginList` is not known to be gone. */
  beginList(): void;
  /** An object of the list. */
  listed(object: RawObject): void;
  /** The list is complete: what was not listed is gone. */
  endList(resourceVersion: string): void;
  /** News of a watch, bookmarks included. */
  event(event: WatchEvent): void;
}

/** Who wants to know how a stream fares: metrics, readiness, the heartbeat. */
export interface ReflectorObserver {
  /** A list or watch failed; the next try comes in `nextRetryMs`. */
  onFailure?(error: ApiError, nextRetryMs: number): void;
  /** The server has accepted a watch. */
  onWatchUp?(): void;
  /** A watch, or the attempt to open one, is over. Not told at shutdown. */
  onWatchDown?(reason: WatchEnd): void;
  /** An object or a page of a list, an event or a bookmark has come. */
  onSignOfLife?(): void;
  /** Versions have gone back, as after a restore of etcd: what was told is of another history. May be told again. */
  onTurnedBack?(): void;
}

/** What a reflector is made of. */
export interface ReflectorOptions {
  readonly send: Send;
  readonly source: ListWatchSource;
  readonly target: ReflectorTarget;
  readonly observer?: ReflectorObserver | undefined;
  readonly log?: Log | undefined;
  /** @default Math.random */
  readonly random?: (() => number) | undefined;
}

/** The page of a list that is asked for, and how the list has gone so far. */
interface PageToCome extends ListPage {
  /** That of the pages before; empty before the first. */
  readonly resourceVersion: string;
  /** How often it failed. */
  readonly failures: number;
  /** The objects of the pages before. */
  readonly objects: number;
}

/** Where the loop stands. `listing → listing … → watching …`; `waiting` may stand before each, 410 leads back to `listing`. */
type State =
  | { readonly name: 'listing'; readonly page: PageToCome }
  | { readonly name: 'watching'; readonly resourceVersion: string }
  | { readonly name: 'waiting'; readonly ms: number; readonly next: State };

const FIRST_PAGE: PageToCome = {
  continue: undefined,
  isWhole: false,
  resourceVersion: '',
  failures: 0,
  objects: 0,
};
const FROM_THE_START: State = { name: 'listing', page: FIRST_PAGE };
/** A minute or two: longer than a restart of an API server lasts, shorter than a continue token does. */
const TRIES_OF_A_PAGE = 10;

/** A watch without a byte for this long is cut: bookmarks come once a minute. An observer that knows the loop to be alive adds it. */
const SILENCE_MS = 160_000;
const SHORTEST_WATCH_SECONDS = 300;
/** A watch that lasted this long, or told an event, was of use: the next one need not wait. */
const USEFUL_WATCH_MS = 10_000;
/** After so many lists in a row that are older than what was seen no cache lags behind: versions have gone back. */
const MOST_STALE_LISTS = 4;
/** For the same reason a version that no server has seen for so many tries is given up. */
const TOO_NEW_BEFORE_RELIST = 10;
/** A server answers a watch of a version that it has not reached yet with silence: after so many in a row, see what is there. */
const SILENT_BEFORE_RELIST = 2;

/** The loop. One `run` per instance. */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #log: Log;
  readonly #random: () => number;
  /** Pages that failed since the last complete list. */
  #failedPages = 0;
  /** Watches since the last useful one. */
  #uselessWatches = 0;
  #staleLists = 0;
  /** Watches that ended in silence since the last sign of life. */
  #silentWatches = 0;
  /** The newest version seen, kept across lists. */
  #lastVersion = '';

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#log = options.log ?? NO_LOG;
    this.#random = options.random ?? Math.random;
  }

  /** Resolves when `signal` is aborted and nothing is open any more; never rejects and never gives up. */
  async run(signal: AbortSignal): Promise<void> {
    let state = FROM_THE_START;
    while (!signal.aborted) state = await this.#step(state, signal);
  }

  async #step(state: State, signal: AbortSignal): Promise<State> {
    switch (state.name) {
      case 'listing':
        return await this.#list(state.page, signal);
      case 'watching':
        return await this.#watch(state.resourceVersion, signal);
      case 'waiting':
        await sleep(state.ms, signal);
        return state.next;
    }
  }

  /** One page. A page that fails is asked for again: of a long list some request nearly always fails. */
  async #list(page: PageToCome, signal: AbortSignal): Promise<State> {
    const { send, source, target, observer } = this.#options;
    let { resourceVersion, objects } = page;
    let next: string | undefined;
    try {
      if (page.continue === undefined) target.beginList();
      for await (const news of listPage(send, source, page, signal)) {
        if (news.resourceVersion !== resourceVersion) this.#weigh(news.resourceVersion);
        resourceVersion = news.resourceVersion;
        next = news.continue;
        if (news.object !== undefined) {
          objects += 1;
          target.listed(news.object);
        }
        observer?.onSignOfLife?.();
      }
    } catch (thrown) {
      return this.#pageFailed(ApiError.from(thrown), page, signal);
    }
    if (next !== undefined) {
      return { name: 'listing', page: { ...page, continue: next, resourceVersion, failures: 0, objects } };
    }
    target.endList(resourceVersion);
    this.#listed(resourceVersion, objects);
    return { name: 'watching', resourceVersion };
  }

  #listed(resourceVersion: string, objects: number): void {
    if (this.#failedPages > 0) {
      const { kind, path } = this.#options.source;
      const fields = { kind, path, objects, failedRequests: this.#failedPages };
      this.#log.info(`list of ${kind} is complete after failures`, fields);
    }
    this.#failedPages = 0;
    this.#staleLists = 0;
    this.#silentWatches = 0;
    this.#lastVersion = resourceVersion;
  }

  /** A list that is older than what was seen is refused, and one whose version is no number. */
  #weigh(resourceVersion: string): void {
    if (decimalOf(resourceVersion) === undefined) {
      throw new ApiError('unordered', 'the resourceVersions are no numbers');
    }
    if (!isOlder(resourceVersion, this.#lastVersion)) return;
    this.#staleLists += 1;
    if (this.#staleLists >= MOST_STALE_LISTS) this.#options.observer?.onTurnedBack?.();
    throw new ApiError('unavailable', 'the list is older than what was seen before');
  }

  #pageFailed(error: ApiError, page: PageToCome, signal: AbortSignal): State {
    const { kind, path } = this.#options.source;
    const isOutlived = error.code === 'expired' && page.continue !== undefined && !page.isWhole;
    const failures = page.failures + 1;
    const ms = isOutlived ? 0 : this.#pauseMs(page.failures, error);
    this.#failedPages += 1;
    if (signal.aborted) return FROM_THE_START;
    this.#report('list', error, ms, this.#failedPages);
    if (isOutlived) {
      // The token that the answer offers leads through the present: what changed on the pages before is never told.
      const fields = { kind, path, objects: page.objects };
      this.#log.info(
        `list of ${kind} took longer than its version is kept, listing all in one answer`,
        fields,
      );
      return { name: 'listing', page: { ...FIRST_PAGE, isWhole: true } };
    }
    if (failures % TRIES_OF_A_PAGE !== 0)
      return afterPause(ms, { name: 'listing', page: { ...page, failures } });
    const fields = { kind, path, code: error.code, error: error.message, objects: page.objects, failures };
    this.#log.warn(`list of ${kind} begins anew, one request failed again and again`, fields);
    return afterPause(ms, { name: 'listing', page: { ...FIRST_PAGE, failures } });
  }

  async #watch(from: string, signal: AbortSignal): Promise<State> {
    const { send, source, target, observer } = this.#options;
    const timeoutSeconds = Math.round(SHORTEST_WATCH_SECONDS * (1 + this.#random()));
    const openedAt = monotonicMs();
    let failure: ApiError | undefined;
    try {
      const options = { resourceVersion: from, timeoutSeconds, silenceMs: SILENCE_MS, signal };
      const events = await openWatch(send, source, options);
      observer?.onWatchUp?.();
      for await (const event of events) {
        if (signal.aborted) break;
        if (event.type !== 'BOOKMARK') this.#uselessWatches = 0;
        this.#silentWatches = 0;
        target.event(event);
        this.#lastVersion = event.resourceVersion;
        observer?.onSignOfLife?.();
      }
    } catch (thrown) {
      failure = ApiError.from(thrown);
    }
    if (monotonicMs() - openedAt >= USEFUL_WATCH_MS) this.#uselessWatches = 0;
    return signal.aborted ? FROM_THE_START : this.#afterWatch(failure);
  }

  #afterWatch(failure: ApiError | undefined): State {
    const reason = watchEndOf(failure);
    const atOnce = this.#uselessWatches === 0 && reason !== 'error' && reason !== 'malformed';
    const ms = atOnce ? 0 : this.#pauseMs(this.#uselessWatches, failure);
    this.#uselessWatches += 1;
    this.#options.observer?.onWatchDown?.(reason);
    if (failure !== undefined) this.#report('watch', failure, ms, this.#uselessWatches);
    const tooNew = failure?.code === 'version-too-new' && this.#uselessWatches >= TOO_NEW_BEFORE_RELIST;
    if (reason === 'silence') this.#silentWatches += 1;
    const tooSilent = this.#silentWatches >= SILENT_BEFORE_RELIST;
    const relists = reason === 'expired' || reason === 'malformed' || tooNew || tooSilent;
    return afterPause(
      ms,
      relists ? FROM_THE_START : { name: 'watching', resourceVersion: this.#lastVersion },
    );
  }

  /** The server's own wish is a lower bound. */
  #pauseMs(failures: number, error: ApiError | undefined): number {
    return Math.max(backoffMs(failures, LATER_BACKOFF, this.#random), error?.retryAfterMs ?? 0);
  }

  /** The first failure of a row is for everybody, those that follow are not; what cannot be read always is. */
  #report(verb: 'list' | 'watch', error: ApiError, nextRetryMs: number, inARow: number): void {
    this.#options.observer?.onFailure?.(error, nextRetryMs);
    const routine = error.code === 'expired' || error.code === 'silent';
    const level = error.code === 'malformed' || (inARow === 1 && !routine) ? 'warn' : 'debug';
    const { kind, path } = this.#options.source;
    const fields = { kind, path, code: error.code, error: error.message, nextRetryMs };
    this.#log[level](`${verb} of ${kind} failed, trying again`, fields);
  }
}

function afterPause(ms: number, next: State): State {
  return ms > 0 ? { name: 'waiting', ms, next } : next;
}

function watchEndOf(failure: ApiError | undefined): WatchEnd {
  switch (failure?.code) {
    case undefined:
      return 'ended';
    case 'expired':
      return 'expired';
    case 'silent':
      return 'silence';
    case 'malformed':
      return 'malformed';
    default:
      return 'error';
  }
}
