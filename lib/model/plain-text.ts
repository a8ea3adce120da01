/** Texts that others wrote, on their way to people: no character in them steers a terminal, and they end somewhere. */

/** No line of the log, no Event and no notice has more bytes. */
export const MOST_BYTES = 8_192;

const ENCODER = new TextEncoder();
const CUT_MARK = '…';

/**
 * What a terminal or a reader acts upon instead of showing it: controls, also those of C1, separators of lines and
 * paragraphs, and what changes the direction of writing.
 */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** `text` with all such characters escaped as in JSON: `\n`, `\u009b`. */
export function plain(text: string): string {
  return text.replace(STEERING, escaped);
}

/** The first `most` bytes of `text` at most, never a part of a character; a mark at the end says that it was cut. */
export function cutToBytes(text: string, most: number = MOST_BYTES): string {
  // Quick, and true of nearly all.
  if (text.length * 3 <= most) return text;
  const room = new Uint8Array(most);
  if (ENCODER.encodeInto(text, room).read === text.length) return text;
  const { read } = ENCODER.encodeInto(text, room.subarray(0, most - ENCODER.encode(CUT_MARK).length));
  return text.slice(0, read) + CUT_MARK;
}

/** As many items as are worth reading, and how many more there are. */
export function listedText(items: readonly string[], most = 10): string {
  const shown = items.slice(0, most).join(', ');
  return items.length > most ? `${shown} and ${items.length - most} more` : shown;
}

function escaped(character: string): string {
  const inJson = JSON.stringify(character).slice(1, -1);
  if (inJson !== character) return inJson;
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
