/** Functions for text that people or tenants wrote. */

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** Parses a boolean as Go does; undefined if `text` is none. */
export function parseBool(text: string): boolean | undefined {
  return TRUE.has(text) ? true : FALSE.has(text) ? false : undefined;
}

/** The JSON object that `text` is; undefined if it is none. */
export function objectIn(text: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined; // each caller decides what another text means
  }
}

/** The maximum size of a line of the log and of a finding, in bytes. */
export const MOST_BYTES = 8_192;

const ENCODER = new TextEncoder();
const CUT_MARK = '…';

/**
 * Characters that control a terminal or a reader instead of being shown: controls, also those of C1, separators of lines and
 * paragraphs, and marks that change the direction of writing.
 */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** `text` with all STEERING characters escaped as in JSON: `\n`, `\u009b`. */
export function plain(text: string): string {
  return text.replace(STEERING, escaped);
}

/** At most the first `most` bytes of `text`, cut between characters; a cut text ends in CUT_MARK. */
export function cutToBytes(text: string, most: number = MOST_BYTES): string {
  // A quick check that suffices for nearly all texts: a UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= most) return text;
  const room = new Uint8Array(most);
  if (ENCODER.encodeInto(text, room).read === text.length) return text;
  const { read } = ENCODER.encodeInto(text, room.subarray(0, most - ENCODER.encode(CUT_MARK).length));
  return text.slice(0, read) + CUT_MARK;
}

/** The first `most` items, and the number of the others. */
export function listedText(items: readonly string[], most = 10): string {
  const shown = items.slice(0, most).join(', ');
  return items.length > most ? `${shown} and ${items.length - most} more` : shown;
}

/** `1 workload`, `2 workloads`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function escaped(character: string): string {
  const inJson = JSON.stringify(character).slice(1, -1);
  if (inJson !== character) return inJson;
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** The candidate that differs from `word` in the fewest letters, if these are at most a third, and `most`. */
export function closestMatch(
  word: string,
  candidates: Iterable<string>,
  most: number = Number.POSITIVE_INFINITY,
): string | undefined {
  let nearest: string | undefined;
  let least = most + 1;
  for (const candidate of candidates) {
    const limit = Math.min(Math.floor(Math.max(word.length, candidate.length) / 3), least - 1);
    if (Math.abs(word.length - candidate.length) > limit) continue;
    const distance = editDistance(word, candidate);
    if (distance > limit) continue;
    nearest = candidate;
    least = distance;
  }
  return nearest;
}

/** The number of letters to be added, dropped, replaced, or swapped with their neighbour (Damerau–Levenshtein, restricted). */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, length) => length)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      const replaced = at(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]);
      row.push(Math.min(swapped, replaced, at(i - 1, j) + 1, at(i, j - 1) + 1));
    }
  }
  return at(a.length, b.length);
}

/** Texts by key, such as annotations, labels and the data of an object. */
export type Texts = Readonly<Record<string, string>>;

/** No annotations or labels. Shared by all objects without any that is kept, to save memory. */
export const NOTHING: Texts = {};

/** The annotations or labels whose keys are wanted; NOTHING if none is. */
export function pick(record: Texts, wanted: (key: string) => boolean): Texts {
  const entries = Object.entries(record).filter(([key]) => wanted(key));
  return entries.length === 0 ? NOTHING : Object.fromEntries(entries);
}
