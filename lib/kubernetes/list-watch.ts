/** How one kind is listed and watched: paths, parameters, and the shape of what comes back. */

import type { RawObject } from '../model/raw-objects.ts';
import { ApiError } from './api-error.ts';
import { withQuery } from './api-path.ts';
import { IdleDeadline } from './idle-deadline.ts';
import { accepted, IDLE_MS, linesOf, parseObject } from './json-call.ts';
import { isNamed, ListReader, metadataOf } from './list-reader.ts';
import type { Piece, Send } from './transport.ts';

/** One stream of objects of one kind. */
export interface ListWatchSource {
  /** The kind of the objects: the items of a list do not tell it. */
  readonly kind: string;
  /** The collection's path, without a query. */
  readonly path: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/** Which part of a list is asked for; all pages of a list show the same moment. */
export interface ListPage {
  /** The token of the page before; undefined: the list begins here. */
  readonly continue: string | undefined;
  /** Asks for all objects in one answer. */
  readonly isWhole: boolean;
}

/** An object of a page, or the page's end. */
export interface ListNews {
  readonly object?: RawObject;
  /** The list's, where a watch goes on. */
  readonly resourceVersion: string;
  /** At the end of a page that is not the last one: the token of the next. */
  readonly continue?: string;
}

/** News of a watch. A BOOKMARK's object has nothing but its resourceVersion. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: RawObject;
  readonly resourceVersion: string;
}

/** From where, how long, and with how much patience to watch. */
export interface WatchOptions {
  readonly resourceVersion: string;
  /** The server ends the watch after this time. */
  readonly timeoutSeconds: number;
  /** Without a byte for this long the watch is cut. */
  readonly silenceMs: number;
  readonly signal: AbortSignal;
}

/** Objects per page of a list: of 100 a start takes longer, and some megabytes less. */
const PAGE_SIZE = 500;
/** Several times the largest object that etcd takes. */
const LONGEST_LINE = 16 * 1024 * 1024;

/**
 * One page of the most recent data, each object as soon as it is here: no resourceVersion is asked for, so no cache answers
 * that lags behind.
 *
 * @throws ApiError; `expired` means that the moment of the list is no longer known, so the token is of no use.
 */
export async function* listPage(
  send: Send,
  source: ListWatchSource,
  { continue: token, isWhole }: ListPage,
  signal: AbortSignal,
): AsyncGenerator<ListNews> {
  const path = withQuery(source.path, {
    limit: isWhole ? undefined : PAGE_SIZE,
    fieldSelector: source.fieldSelector,
    labelSelector: source.labelSelector,
    continue: token,
  });
  const deadline = new IdleDeadline(IDLE_MS, signal);
  try {
    const { body } = await accepted(send, { method: 'GET', path }, deadline);
    yield* newsOf(body);
  } catch (error) {
    throw ApiError.from(error);
  } finally {
    deadline.end();
  }
}

async function* newsOf(body: AsyncIterable<Piece>): AsyncGenerator<ListNews> {
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
 * Starts a watch; resolves when the server has accepted it. The events end when the server ends the watch.
 *
 * @throws ApiError, also while the events are read: `expired`, `malformed`, `silent` and the rest.
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
 * The event that a line tells.
 *
 * @throws ApiError `malformed`, or what an ERROR event says.
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
