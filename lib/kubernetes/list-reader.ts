/** Reads a list while it arrives: each item becomes an object with its last byte, so that no page is ever held as a whole. */

import type { RawObject } from '../model/raw-objects.ts';
import { ApiError } from './api-error.ts';
import { parseObject } from './json-call.ts';
import type { Piece } from './transport.ts';

/** What a list says of itself. */
export interface ListMetadata {
  readonly resourceVersion: string;
  /** Asks for the next page; empty or absent on the last one. */
  readonly continue?: string;
}

const FIRST_BYTES = 128 * 1024;
/** Several times the largest object that etcd takes. */
const LONGEST_ITEM = 16 * 1024 * 1024;
/** The depth between the items: inside the list and inside its array. */
const BETWEEN = 2;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * One per page. What is not yet understood is kept as bytes, in a buffer that is used again: as texts it would be copied
 * by one garbage collection after the other. All that is not an item is the envelope, which is parsed as a list without
 * items.
 */
export class ListReader {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  /** Where the bytes begin that belong to no item and no envelope yet; all before them is done with. */
  #from = 0;
  /** The next byte to look at. */
  #at = 0;
  #end = 0;
  #depth = 0;
  /** Where the string began that `at` is in. */
  #string: number | undefined;
  /** The last string among the list's own fields: the name of the array that follows it. */
  #field = '';
  #isInItems = false;
  #envelope = '';
  #metadata: ListMetadata | undefined;

  /** Known before the items where the server sends it first, as for all of its own kinds. */
  get metadata(): ListMetadata | undefined {
    return this.#metadata;
  }

  /**
   * The objects that the next piece of the body completes. Each is parsed when it is asked for, and all must be: what is
   * dropped before the next one lives too short to be in anybody's way.
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
   * The body is at its end.
   *
   * @throws ApiError `malformed` if that was no list, or not all of it.
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

  /** To the end of the string, or to that of what is here. */
  #readString(from: number): void {
    const quote = this.#bytes.indexOf(QUOTE, this.#at);
    if (quote < 0 || quote >= this.#end) {
      this.#at = this.#end;
      return;
    }
    let before = quote;
    while (this.#bytes[before - 1] === BACKSLASH) before -= 1;
    this.#at = quote + 1;
    if ((quote - before) % 2 === 1) return; // the quote is part of the string
    this.#string = undefined;
    if (this.#depth === 1) this.#field = this.#text(from + 1, quote);
  }

  /** Whether it was the last byte of an item. */
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
    if (typeof metadata?.resourceVersion === 'string') this.#metadata = metadata as ListMetadata;
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

/** A list on the wire; every field possibly absent. */
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
export function isNamed(value: unknown): value is RawObject {
  return typeof metadataOf(value)?.name === 'string';
}

/** The metadata of `value`, if it has any. */
export function metadataOf(value: unknown): Partial<RawObject['metadata']> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as { metadata?: Partial<RawObject['metadata']> }).metadata;
}
