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

const FIRST_BYTES = 128 * 1024;
/** Several times the largest object that etcd takes. */
const LONGEST_ITEM = 16 * 1024 * 1024;
/** The nesting depth between two items: inside the object of the list and inside its array. */
const BETWEEN = 2;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * The reader of one page, while it arrives: each item becomes an object as soon as its last byte is here, so that a page of large
 * objects is never in memory as a whole. Incomplete items are kept as bytes in one reused buffer; strings would be copied by each garbage
 * collection. The bytes outside the items form the envelope, which is parsed as a list without items. It counts brackets
 * outside strings only; JSON.parse checks the rest.
 */
export class ListReader {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  /** The first byte that belongs to no parsed item and is not in the envelope; those before it are done with. */
  #from = 0;
  /** The next byte to read. */
  #at = 0;
  /** The end of the bytes that have arrived. */
  #end = 0;
  /** The number of open brackets. */
  #depth = 0;
  /** The position of the opening quote if `#at` is inside a string. */
  #string: number | undefined;
  /** The last string at the level of the list's own fields: the name of an array that follows it. */
  #field = '';
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
    this.#keep(piece);
    while (this.#at < this.#end) {
      if (this.#string !== undefined) this.#readString(this.#string);
      else if (this.#readByte(this.#bytes[this.#at] ?? 0)) yield this.#item();
    }
  }

  /**
   * Called at the end of the body; returns the metadata of the list.
   *
   * @throws ApiError `malformed` if the body was not a list, or was cut.
   */
  finish(): ListMetadata {
    this.#toEnvelope(this.#end);
    const { metadata, items } = listOf(this.#envelope);
    const hasNoItems = items === undefined || items === null || (Array.isArray(items) && items.length === 0);
    if (!hasNoItems || typeof metadata?.resourceVersion !== 'string') throw notAList();
    return metadata as ListMetadata;
  }

  #keep(piece: Piece): void {
    const bytes = Buffer.byteLength(piece);
    const held = this.#end - this.#from;
    if (held > LONGEST_ITEM) throw new ApiError('malformed', 'an object of the list is too long');
    const before = this.#bytes;
    if (held + bytes > before.length) this.#bytes = Buffer.allocUnsafe(2 * (held + bytes));
    before.copy(this.#bytes, 0, this.#from, this.#end);
    this.#at -= this.#from;
    if (this.#string !== undefined) this.#string -= this.#from;
    this.#from = 0;
    this.#end = held + bytes;
    if (typeof piece === 'string') this.#bytes.write(piece, held);
    else this.#bytes.set(piece, held);
  }

  /** Moves to the end of the string, or to the end of the bytes that have arrived. */
  #readString(from: number): void {
    const quote = this.#bytes.indexOf(QUOTE, this.#at);
    if (quote < 0 || quote >= this.#end) {
      this.#at = this.#end;
      return;
    }
    let before = quote;
    while (this.#bytes[before - 1] === BACKSLASH) before -= 1;
    this.#at = quote + 1;
    if ((quote - before) % 2 === 1) return; // an odd number of backslashes: the quote is escaped
    this.#string = undefined;
    if (this.#depth === 1) this.#field = this.#text(from + 1, quote);
  }

  /** Reads one byte outside a string; whether it was the last one of an item. */
  #readByte(byte: number): boolean {
    let isItem = false;
    switch (byte) {
      case QUOTE:
        this.#string = this.#at;
        break;
      case OBJECT:
      case ARRAY:
        this.#open(byte);
        break;
      case OBJECT_END:
      case ARRAY_END:
        isItem = this.#close();
        break;
      case COMMA:
        this.#passComma();
        break;
      default: // part of a number, of true, false or null, or white space
    }
    this.#at += 1;
    return isItem;
  }

  #open(byte: number): void {
    if (this.#isBetween()) this.#toEnvelope(this.#at);
    this.#depth += 1;
    if (byte !== ARRAY || this.#depth !== BETWEEN || this.#field !== 'items') return;
    this.#isInItems = true;
    this.#toEnvelope(this.#at + 1);
    const { metadata } = listOf(`${this.#envelope}]}`);
    if (typeof metadata?.resourceVersion === 'string') this.metadata = metadata as ListMetadata;
  }

  #close(): boolean {
    if (this.#isBetween()) this.#isInItems = false;
    this.#depth -= 1;
    return this.#isBetween();
  }

  #item(): RawObject {
    const object = parseObject(this.#text(this.#from, this.#at), 'an object of the list');
    if (!isNamed(object)) throw notAList();
    this.#from = this.#at;
    return object;
  }

  #passComma(): void {
    if (!this.#isBetween()) return;
    this.#toEnvelope(this.#at);
    this.#from = this.#at + 1;
  }

  #isBetween(): boolean {
    return this.#isInItems && this.#depth === BETWEEN;
  }

  #toEnvelope(to: number): void {
    this.#envelope += this.#text(this.#from, to);
    this.#from = to;
  }

  #text(from: number, to: number): string {
    return this.#bytes.toString('utf8', from, to);
  }
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
