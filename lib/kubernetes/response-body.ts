/** Reading the body of an answer, always with a bound. */

/** The first `limit` characters of a body; the rest is not read. */
export async function readStart(body: AsyncIterable<string>, limit: number): Promise<string> {
  let text = '';
  for await (const piece of body) {
    text += piece;
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
export async function* linesOf(body: AsyncIterable<string>, longest: number): AsyncGenerator<string> {
  let started = '';
  for await (const piece of body) {
    const parts = piece.split('\n');
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
