/** Lists and watches one kind: the requests with their parameters, and the parsing of events and of lists while they arrive. */

import type { RawObject } from '../model/raw-objects.ts';
import { ApiError } from './api-error.ts';
import { withQuery } from './api-path.ts';
import { accepted, IDLE_MS, IdleDeadline, linesOf, parseObject } from './json-call.ts';
import type { Piece, Send } from './transport.ts';

/** One stream of objects of one kind. */
export interface ListWatchSource {
  /** The kind of the objects, which the items of a list do not contain. */
  readonly kind: string;
  /** The collection's path, without a query. */
  readonly path: string;
  readonly fieldSelector?: string | undefined;
  readonly labelSelector?: string | undefined;
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
  const path = withQuery(source.path, {
    watch: '1',
    allowWatchBookmarks: 'true',
    resourceVersion,
    timeoutSeconds,
    fieldSelector: source.fieldSelector,
    labelSelector: source.labelSelector,
  });
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

/** The metadata of a list. */
export interface ListMetadata {
  readonly resourceVersion: string;
  /** The token for the next page; empty or absent on the last one. */
  readonly continue?: string;
}

/** Several times the largest object that etcd takes. */
const LONGEST_ITEM = 16 * 1024 * 1024;
/** The nesting depth between two items: inside the object of the list and inside its array. */
const BETWEEN = 2;
const ITEMS_BEGIN = /[{,]\s*"items"\s*:\s*\[$/;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * The reader of one page, while it arrives: each item becomes an object as soon as its last byte is here, so that a page of large
 * objects is never in memory as a whole. Incomplete items are kept as bytes; strings would be copied by each garbage collection.
 * The bytes outside the items form the envelope, which is parsed as a list without items. It counts brackets outside strings
 * only; JSON.parse checks the rest.
 */
export class ListReader {
  /** The bytes so far of an item, or of a part of the envelope. */
  #parts: Buffer[] = [];
  #length = 0;
  /** The number of open brackets. */
  #depth = 0;
  #isInString = false;
  /** Whether the next byte of the string is escaped. */
  #isEscaped = false;
  #isInItems = false;
  #envelope = '';
  /** The metadata; known before the items if the server sends it first, as it does for all built-in kinds. */
  metadata: ListMetadata | undefined;

  /**
   * The objects that the next piece of the body completes. Each is parsed when the caller asks for it, so that it can be
   * garbage before the next one exists. The caller has to exhaust the generator before the next call.
   *
   * @throws ApiError `malformed`; its message does not quote the body.
   */
  *add(piece: Piece): Generator<RawObject, void, undefined> {
    if (this.#length > LONGEST_ITEM) throw new ApiError('malformed', 'an object of the list is too long');
    const bytes = bytesOf(piece);
    let from = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      if (this.#isInString) at = this.#passString(bytes, at);
      const end = this.#isInString ? undefined : this.#read(bytes[at]);
      if (end === undefined) continue;
      const text = this.#take(bytes.subarray(from, at + 1));
      from = at + 1;
      if (end === 'item') yield itemOf(text);
      else this.#toEnvelope(text, end);
    }
    this.#parts.push(bytes.subarray(from));
    this.#length += bytes.length - from;
  }

  /**
   * Called at the end of the body; returns the metadata of the list.
   *
   * @throws ApiError `malformed` if the body was not a list, or was cut.
   */
  finish(): ListMetadata {
    const { metadata, items } = listOf(this.#envelope + this.#take());
    const hasNoItems = items === undefined || items === null || (Array.isArray(items) && items.length === 0);
    if (!hasNoItems || typeof metadata?.resourceVersion !== 'string') throw notAList();
    return metadata as ListMetadata;
  }

  /** Passes a string, up to its next quote; the position of the byte after it, or of the quote if it is escaped. */
  #passString(bytes: Buffer, from: number): number {
    const quote = bytes.indexOf(QUOTE, from);
    const end = quote < 0 ? bytes.length : quote;
    let before = end;
    while (before > from && bytes[before - 1] === BACKSLASH) before -= 1;
    const isEven = (end - before) % 2 === 0;
    const isEscaped = isEven === (this.#isEscaped && before === from);
    this.#isEscaped = quote < 0 && isEscaped;
    this.#isInString = quote < 0 || isEscaped;
    return this.#isInString ? end : end + 1;
  }

  /** Reads one byte outside a string; what ends with it, if anything does. */
  #read(byte: number | undefined): 'item' | 'comma' | 'bracket' | undefined {
    switch (byte) {
      case QUOTE:
        this.#isInString = true;
        return undefined;
      case OBJECT:
      case ARRAY:
        this.#depth += 1;
        return byte === ARRAY && this.#depth === BETWEEN ? 'bracket' : undefined;
      case OBJECT_END:
      case ARRAY_END:
        this.#depth -= 1;
        if (this.#depth < BETWEEN) this.#isInItems = false;
        return this.#isBetween() ? 'item' : undefined;
      case COMMA:
        return this.#isBetween() ? 'comma' : undefined;
      default: // part of a number, of true, false or null, or white space
        return undefined;
    }
  }

  #isBetween(): boolean {
    return this.#isInItems && this.#depth === BETWEEN;
  }

  #take(last: Buffer = Buffer.alloc(0)): string {
    const text = String(this.#length === 0 ? last : Buffer.concat([...this.#parts, last]));
    this.#parts = [];
    this.#length = 0;
    return text;
  }

  #toEnvelope(text: string, end: 'comma' | 'bracket'): void {
    this.#envelope += end === 'comma' ? text.slice(0, -1) : text;
    if (end === 'comma' || !ITEMS_BEGIN.test(this.#envelope)) return;
    this.#isInItems = true;
    const { metadata } = listOf(`${this.#envelope}]}`);
    if (typeof metadata?.resourceVersion === 'string') this.metadata = metadata as ListMetadata;
  }
}

function bytesOf(piece: Piece): Buffer {
  return typeof piece === 'string'
    ? Buffer.from(piece)
    : Buffer.from(piece.buffer, piece.byteOffset, piece.length);
}

function itemOf(text: string): RawObject {
  const object = parseObject(text, 'an object of the list');
  if (!isNamed(object)) throw notAList();
  return object;
}

/** A list as the server sends it; every field may be absent. */
interface RawList {
  readonly metadata?: Partial<ListMetadata>;
  readonly items?: readonly unknown[] | null;
}

function listOf(text: string): RawList {
  return parseObject(text, 'the answer');
}

function notAList(): ApiError {
  return new ApiError('malformed', 'the answer is not a list of objects');
}

/** Whether `value` is an object with a name, as every object of the API is. */
function isNamed(value: unknown): value is RawObject {
  return typeof metadataOf(value)?.name === 'string';
}

/** The metadata of `value`, if it has any. */
function metadataOf(value: unknown): Partial<RawObject['metadata']> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as { metadata?: Partial<RawObject['metadata']> }).metadata;
}
