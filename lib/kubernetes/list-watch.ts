/** How one kind is listed and watched: paths, parameters, and the shape of what comes back. */

import type { RawObject } from '../model/raw-objects.ts';
import { ApiError } from './api-error.ts';
import { withQuery } from './api-path.ts';
import { IdleDeadline } from './idle-deadline.ts';
import { callJson, parseObject } from './json-call.ts';
import { LineTooLong, linesOf } from './response-body.ts';
import type { Send } from './transport.ts';

/** One stream of objects of one kind. */
export interface ListWatchSource {
  /** The kind of the objects: the items of a list do not tell it. */
  readonly kind: string;
  /** The collection's path, without a query. */
  readonly path: string;
  readonly fieldSelector?: string;
  /** Objects per page of a list. @default 100 */
  readonly pageSize?: number;
}

/** One page of a list; all pages of a list show the same moment. */
export interface ListPage {
  readonly objects: readonly RawObject[];
  /** The list's, where a watch goes on. */
  readonly resourceVersion: string;
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

const DEFAULT_PAGE_SIZE = 100;
/** Several times the largest object that etcd takes. */
const LONGEST_LINE = 16 * 1024 * 1024;

/**
 * The most recent data, page by page: no resourceVersion is asked for, so no cache answers.
 *
 * @throws ApiError; `expired` means that the list took too long and has to begin anew.
 */
export async function* listPages(
  send: Send,
  source: ListWatchSource,
  signal: AbortSignal,
): AsyncGenerator<ListPage> {
  let next: string | undefined;
  do {
    const path = withQuery(source.path, {
      limit: source.pageSize ?? DEFAULT_PAGE_SIZE,
      fieldSelector: source.fieldSelector,
      continue: next,
    });
    const list = await callJson<RawList>(send, { method: 'GET', path, signal });
    yield pageOf(list);
    next = list.metadata?.continue;
  } while (next !== undefined && next !== '');
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
  const { fieldSelector } = source;
  const parameters = {
    watch: '1',
    allowWatchBookmarks: 'true',
    resourceVersion,
    timeoutSeconds,
    fieldSelector,
  };
  const path = withQuery(source.path, parameters);
  try {
    const response = await deadline.race(send({ method: 'GET', path, signal: deadline.signal }));
    const body = deadline.over(response.body);
    if (response.status !== 200) throw await ApiError.fromResponse({ ...response, body });
    return eventsOf(body, deadline);
  } catch (error) {
    deadline.end();
    throw ApiError.from(error);
  }
}

async function* eventsOf(body: AsyncIterable<string>, deadline: IdleDeadline): AsyncGenerator<WatchEvent> {
  try {
    for await (const line of linesOf(body, LONGEST_LINE)) yield watchEventOf(line);
  } catch (error) {
    throw error instanceof LineTooLong ? new ApiError('malformed', error.message) : ApiError.from(error);
  } finally {
    deadline.end();
  }
}

/** A list on the wire; every field possibly absent. */
interface RawList {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly unknown[] | null;
}

function pageOf({ metadata, items }: RawList): ListPage {
  const objects = items ?? [];
  if (typeof metadata?.resourceVersion !== 'string' || !Array.isArray(objects) || !objects.every(isNamed)) {
    throw new ApiError('malformed', 'the answer is not a list of objects');
  }
  return { objects, resourceVersion: metadata.resourceVersion };
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

function isNamed(value: unknown): value is RawObject {
  return typeof metadataOf(value)?.name === 'string';
}

function metadataOf(value: unknown): Partial<RawObject['metadata']> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as { metadata?: Partial<RawObject['metadata']> }).metadata;
}
