/**
 * Keeps a target up to date with one stream of objects: lists, then watches, for ever, like client-go's Reflector. It never
 * gives up, never goes back to an older version, and a restarted list never reports an object as deleted by mistake.
 */

import type { StreamNews, WatchEnd } from '../model/health.ts';
import type { Log } from '../model/log.ts';
import type { RawObject } from '../model/raw-objects.ts';
import { backoffMs, LATER_BACKOFF, monotonicMs } from '../model/time.ts';
import { decimalOf, isOlder } from '../model/timeline.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import { ApiError, type ApiErrorCode } from './api-error.ts';
import type { Informer } from './informer.ts';
import { type ListPage, type ListWatchSource, listPage, openWatch } from './list-watch.ts';
import type { Send } from './transport.ts';

/** The collaborators of a reflector. */
export interface ReflectorOptions {
  readonly send: Send;
  readonly source: ListWatchSource;
  /** The receiver of the stream, whose methods must not throw; they are called synchronously and in the order of the stream. */
  readonly target: Pick<Informer<RawObject, unknown>, 'beginList' | 'listed' | 'endList' | 'event'>;
  /**
   * Completes an object that exists before the target is told of it, by what other requests answer. A rejection counts as a failure of
   * the list or watch.
   */
  readonly complete?: ((object: RawObject, signal: AbortSignal) => Promise<RawObject>) | undefined;
  /** Receives the news of the stream. */
  readonly observe: (news: StreamNews) => void;
  readonly log: Log;
  /** Answers a number in [0, 1). */
  readonly random: () => number;
}

/** The next page of a list, and the progress of the list so far. */
interface PageToCome extends ListPage {
  /** The version of the pages before; empty before the first. */
  readonly resourceVersion: string;
  /** How often this page failed. */
  readonly failures: number;
  /** The number of objects on the pages before. */
  readonly objects: number;
}

/**
 * The state of the loop: `listing` for each page, then `watching` again and again; `waiting` before each; a 410 leads to
 * `listing`.
 */
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
/** The failures of a watch that are no errors of another kind. */
const ENDS: Partial<Record<ApiErrorCode, WatchEnd>> = {
  expired: 'expired',
  silent: 'silence',
  malformed: 'malformed',
};
const SIGN_OF_LIFE: StreamNews = { type: 'sign-of-life' };
const FROM_THE_START: State = { name: 'listing', page: FIRST_PAGE };
/** With the backoff a minute or two: longer than an API server takes to restart, shorter than a continue token lives. */
const TRIES_OF_A_PAGE = 10;

/** A watch without a byte for this long is cut: bookmarks arrive once a minute. */
const SILENCE_MS = 160_000;
const SHORTEST_WATCH_SECONDS = 300;
/** After a watch that lasted this long, or delivered an event, the next one follows without a pause. */
const USEFUL_WATCH_MS = 10_000;
/** So many consecutive lists that are older than what was seen are no lagging cache any more: versions have gone back. */
const MOST_STALE_LISTS = 4;
/** After so many attempts to watch from a version that is too new for the server, the reflector lists again. */
const TOO_NEW_BEFORE_RELIST = 10;
/**
 * A server that has not reached the version of a watch stays silent: after so many consecutive silences the reflector lists
 * again.
 */
const SILENT_BEFORE_RELIST = 2;

/** The loop; `run` is called once per instance. Failures are counted since the last success and lengthen the pauses. */
export class Reflector {
  readonly #options: ReflectorOptions;
  /** The number of failed pages since the last complete list. */
  #failedPages = 0;
  /** The number of watches since the last useful one. */
  #uselessWatches = 0;
  /** The number of lists since the last complete one that were older than `#lastVersion`. */
  #staleLists = 0;
  /** The number of watches that ended in silence since the last event or list. */
  #silentWatches = 0;
  /** The newest version seen, kept across lists: a list must not be older. */
  #lastVersion = '';

  constructor(options: ReflectorOptions) {
    this.#options = options;
  }

  /** Resolves when `signal` is aborted and no request is open any more; never rejects and never gives up. */
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

  /**
   * Reads one page. A page that fails is asked for again instead of the whole list: of a long list some request often fails.
   */
  async #list(page: PageToCome, signal: AbortSignal): Promise<State> {
    const { send, source, target, observe, complete } = this.#options;
    let { resourceVersion, objects } = page;
    let next: string | undefined;
    try {
      if (page.continue === undefined) target.beginList();
      for await (const item of listPage(send, source, page, signal)) {
        if (item.resourceVersion !== resourceVersion) this.#checkVersion(item.resourceVersion);
        resourceVersion = item.resourceVersion;
        next = item.continue;
        if (item.object !== undefined) {
          objects += 1;
          target.listed(complete === undefined ? item.object : await complete(item.object, signal));
        }
        observe(SIGN_OF_LIFE);
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
      this.#options.log.info(`list of ${kind} is complete after failures`, fields);
    }
    this.#failedPages = 0;
    this.#staleLists = 0;
    this.#silentWatches = 0;
    this.#lastVersion = resourceVersion;
  }

  /** @throws ApiError if the version of a list is not a number, or older than one that was seen: a lagging server answered. */
  #checkVersion(resourceVersion: string): void {
    if (decimalOf(resourceVersion) === undefined) {
      throw new ApiError('unordered', 'the resourceVersions are no numbers');
    }
    if (!isOlder(resourceVersion, this.#lastVersion)) return;
    this.#staleLists += 1;
    if (this.#staleLists >= MOST_STALE_LISTS) this.#options.observe({ type: 'turned-back' });
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
      // Not with the token that this answer offers: it continues in the present, and changes on earlier pages would be lost.
      const fields = { kind, path, objects: page.objects };
      this.#options.log.info(
        `list of ${kind} outlived its resourceVersion; requesting all objects in one response`,
        fields,
      );
      return { name: 'listing', page: { ...FIRST_PAGE, isWhole: true } };
    }
    if (failures % TRIES_OF_A_PAGE !== 0)
      return afterPause(ms, { name: 'listing', page: { ...page, failures } });
    const fields = { kind, path, code: error.code, error: error.message, objects: page.objects, failures };
    this.#options.log.warn(`restarting the list of ${kind} after ${failures} failed requests`, fields);
    return afterPause(ms, { name: 'listing', page: { ...FIRST_PAGE, failures } });
  }

  /** One watch. The server's time-out is random, so that the watches of many streams do not all end at once. */
  async #watch(from: string, signal: AbortSignal): Promise<State> {
    const { send, source, target, observe, complete } = this.#options;
    const timeoutSeconds = Math.round(SHORTEST_WATCH_SECONDS * (1 + this.#options.random()));
    const openedAt = monotonicMs();
    let failure: ApiError | undefined;
    try {
      const options = { resourceVersion: from, timeoutSeconds, silenceMs: SILENCE_MS, signal };
      const events = await openWatch(send, source, options);
      observe({ type: 'up' });
      for await (const event of events) {
        if (signal.aborted) break;
        // What is gone, and a bookmark, stay as they are.
        const isWhole = complete === undefined || event.type === 'BOOKMARK' || event.type === 'DELETED';
        const object = isWhole ? event.object : await complete(event.object, signal);
        if (event.type !== 'BOOKMARK') this.#uselessWatches = 0;
        this.#silentWatches = 0;
        target.event({ ...event, object });
        this.#lastVersion = event.resourceVersion;
        observe(SIGN_OF_LIFE);
      }
    } catch (thrown) {
      failure = ApiError.from(thrown);
    }
    if (monotonicMs() - openedAt >= USEFUL_WATCH_MS) this.#uselessWatches = 0;
    return signal.aborted ? FROM_THE_START : this.#afterWatch(failure);
  }

  #afterWatch(failure: ApiError | undefined): State {
    const reason = failure === undefined ? 'ended' : (ENDS[failure.code] ?? 'error');
    const atOnce = this.#uselessWatches === 0 && reason !== 'error' && reason !== 'malformed';
    const ms = atOnce ? 0 : this.#pauseMs(this.#uselessWatches, failure);
    this.#uselessWatches += 1;
    this.#options.observe({ type: 'down', reason });
    if (failure !== undefined) this.#report('watch', failure, ms, this.#uselessWatches);
    const tooNew = failure?.code === 'version-too-new' && this.#uselessWatches >= TOO_NEW_BEFORE_RELIST;
    if (reason === 'silence') this.#silentWatches += 1;
    const tooSilent = this.#silentWatches >= SILENT_BEFORE_RELIST;
    const relists = reason === 'expired' || reason === 'malformed' || tooNew || tooSilent;
    if (relists) return afterPause(ms, FROM_THE_START);
    return afterPause(ms, { name: 'watching', resourceVersion: this.#lastVersion });
  }

  /** The backoff, at least the Retry-After of the server. */
  #pauseMs(failures: number, error: ApiError | undefined): number {
    return Math.max(backoffMs(failures, LATER_BACKOFF, this.#options.random), error?.retryAfterMs ?? 0);
  }

  /**
   * Logs the first of consecutive failures as a warning and the others for debugging; a malformed answer is always a warning.
   */
  #report(verb: 'list' | 'watch', error: ApiError, nextRetryMs: number, inARow: number): void {
    const { code, message } = error;
    this.#options.observe({ type: 'failed', code, problem: message, nextRetryMs });
    const routine = code === 'expired' || code === 'silent';
    const level = code === 'malformed' || (inARow === 1 && !routine) ? 'warn' : 'debug';
    const { kind, path } = this.#options.source;
    const fields = { kind, path, code, error: message, nextRetryMs };
    this.#options.log[level](`${verb} of ${kind} failed, retrying`, fields);
  }
}

function afterPause(ms: number, next: State): State {
  return ms > 0 ? { name: 'waiting', ms, next } : next;
}
