/** Lists and watches one kind: the requests with their parameters, and the parsing of pages and events. */

import type { RawObject } from '../model/raw-objects.ts';
import { ApiError } from './api-error.ts';
import { withQuery } from './api-path.ts';
import { IdleDeadline } from './idle-deadline.ts';
import { accepted, IDLE_MS, linesOf, parseObject } from './json-call.ts';
import { isNamed, ListReader, metadataOf } from './list-reader.ts';
import type { Piece, Send } from './transport.ts';

/** One stream of objects of one kind. */
export interface ListWatchSource {
  /** The kind of the objects, which the items of a list do not contain. */
  readonly kind: string;
  /** The collection's path, without a query. */
  readonly path: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/** The page of a list to ask for; all pages of a list show the same snapshot. */
export interface ListPage {
  /** The token from the page before; undefined for the first page. */
  readonly continue: string | undefined;
  /** Whether to ask for all objects in one answer. */
  readonly isWhole: boolean;
}

/** An object of a page, or (without `object`) the end of the page. */
export interface ListItem {
  readonly object?: RawObject;
  /** The version of the list, from which a watch continues. */
  readonly resourceVersion: string;
  /** At the end of a page that is not the last one: the token for the next page. */
  readonly continue?: string;
}

/** One event of a watch. The object of a BOOKMARK has nothing but its resourceVersion. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: RawObject;
  readonly resourceVersion: string;
}

/** The bounds of a watch. */
export interface WatchOptions {
  /** Events after this version are delivered. */
  readonly resourceVersion: string;
  /** The server ends the watch after this time. */
  readonly timeoutSeconds: number;
  /** The watch is cut when no byte arrived for this long. */
  readonly silenceMs: number;
  readonly signal: AbortSignal;
}

/** Objects per page of a list: with 100 a start takes longer and needs some megabytes less. */
const PAGE_SIZE = 500;
/** Several times the largest object that etcd takes. */
const LONGEST_LINE = 16 * 1024 * 1024;

/**
 * One page, each object as soon as it has arrived. The request has no resourceVersion, so the data is the most recent and not
 * that of a cache of the API server that lags behind.
 *
 * @throws ApiError; `expired` means that etcd has compacted the snapshot of the list, so the token is of no use.
 */
export async function* listPage(
  send: Send,
  source: ListWatchSource,
  { continue: token, isWhole }: ListPage,
  signal: AbortSignal,
): AsyncGenerator<ListItem> {
  const path = withQuery(source.path, {
    limit: isWhole ? undefined : PAGE_SIZE,
    fieldSelector: source.fieldSelector,
    labelSelector: source.labelSelector,
    continue: token,
  });
  const deadline = new IdleDeadline(IDLE_MS, signal);
  try {
    const { body } = await accepted(send, { method: 'GET', path }, deadline);
    yield* itemsOf(body);
  } catch (error) {
    throw ApiError.from(error);
  } finally {
    deadline.end();
  }
}

/** Holds the objects back only if the server sends the metadata after them. */
async function* itemsOf(body: AsyncIterable<Piece>): AsyncGenerator<ListItem> {
  const reader = new ListReader();
  const held: RawObject[] = [];
  for await (const piece of body) {
    for (const object of reader.add(piece)) {
      if (reader.metadata === undefined) held.push(object);
      else yield { object, resourceVersion: reader.metadata.resourceVersion };
    }
  }
  const { resourceVersion, continue: next } = reader.finish();
  for (const object of held) yield { object, resourceVersion };
  yield { resourceVersion, ...(next ? { continue: next } : {}) };
}

/**
 * Opens a watch; resolves when the server has accepted it. The generator ends when the server ends the watch. The caller has to
 * exhaust or return it, which releases the request.
 *
 * @throws ApiError, also from the generator: `expired`, `malformed`, `silent` and others.
 */
export async function openWatch(
  send: Send,
  source: ListWatchSource,
  { resourceVersion, timeoutSeconds, silenceMs, signal }: WatchOptions,
): Promise<AsyncGenerator<WatchEvent>> {
  const deadline = new IdleDeadline(silenceMs, signal);
  const { fieldSelector, labelSelector } = source;
  const parameters = {
    watch: '1',
    allowWatchBookmarks: 'true',
    resourceVersion,
    timeoutSeconds,
    fieldSelector,
    labelSelector,
  };
  const path = withQuery(source.path, parameters);
  try {
    const { body } = await accepted(send, { method: 'GET', path }, deadline);
    return eventsOf(body, deadline);
  } catch (error) {
    deadline.end();
    throw ApiError.from(error);
  }
}

async function* eventsOf(body: AsyncIterable<Piece>, deadline: IdleDeadline): AsyncGenerator<WatchEvent> {
  try {
    for await (const line of linesOf(body, LONGEST_LINE)) yield watchEventOf(line);
  } catch (error) {
    throw ApiError.from(error);
  } finally {
    deadline.end();
  }
}

/**
 * Parses one line of a watch.
 *
 * @throws ApiError `malformed`, or the error of an ERROR event.
 */
export function watchEventOf(line: string): WatchEvent {
  const { type, object } = parseObject(line, 'an event') as { type?: unknown; object?: unknown };
  if (type === 'ERROR') {
    const status = (object ?? {}) as { code?: number };
    throw ApiError.fromStatus(status.code ?? 500, status);
  }
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED' && type !== 'BOOKMARK') {
    throw new ApiError('malformed', 'an event of an unknown type');
  }
  const resourceVersion = metadataOf(object)?.resourceVersion;
  if (typeof resourceVersion !== 'string' || (type !== 'BOOKMARK' && !isNamed(object))) {
    throw new ApiError('malformed', 'an event without an object');
  }
  return { type, object: object as RawObject, resourceVersion };
}
