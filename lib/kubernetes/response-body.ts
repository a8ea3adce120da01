/** Reading the body of an answer, always with a bound. */

import { StringDecoder } from 'node:string_decoder';
import type { Piece } from './transport.ts';

/** The first `limit` characters of a body; the rest is not read. */
export async function readStart(body: AsyncIterable<Piece>, limit: number): Promise<string> {
  const decode = decoderOf();
  let text = '';
  for await (const piece of body) {
    text += decode(piece);
    if (text.length >= limit) return text.slice(0, limit);
  }
  return text;
}

/** A line was longer than allowed. */
export class LineTooLong extends Error {}

/**
 * The lines of a body, without their ends; blank ones are left out. What follows the last line end is not told: it is a line
 * that was cut, or one that is still to come.
 *
 * @throws LineTooLong, and whatever reading the body throws.
 */
export async function* linesOf(body: AsyncIterable<Piece>, longest: number): AsyncGenerator<string> {
  const decode = decoderOf();
  let started = '';
  for await (const piece of body) {
    const parts = decode(piece).split('\n');
    const rest = parts.pop() ?? '';
    for (const part of parts) {
      const line = started + part;
      started = '';
      if (line.length > longest) throw new LineTooLong(`a line is longer than ${longest} characters`);
      if (line.trim() !== '') yield line;
    }
    started += rest;
    if (started.length > longest) throw new LineTooLong(`a line is longer than ${longest} characters`);
  }
}

/** What turns the pieces of one body into text, never cut within a character. */
function decoderOf(): (piece: Piece) => string {
  const decoder = new StringDecoder('utf8');
  return (piece) => (typeof piece === 'string' ? piece : decoder.write(piece));
}
