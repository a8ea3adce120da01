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

/** The candidate that differs from `word` in the fewest letters, if these are at most a third. */
export function closestMatch(word: string, candidates: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const limit = Math.min(Math.floor(Math.max(word.length, candidate.length) / 3), least - 1);
    const distance = editDistance(word, candidate, limit);
    if (distance > limit) continue;
    nearest = candidate;
    least = distance;
  }
  return nearest;
}

/**
 * The number of letters to be added, dropped, replaced, or swapped with their neighbour (Damerau–Levenshtein, restricted). Above
 * `limit` the result is any number above it, so that distant words cost little.
 */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before = new Uint16Array(b.length + 1);
  let row = Uint16Array.from({ length: b.length + 1 }, (_, index) => index);
  let next = new Uint16Array(b.length + 1);
  let [least, leastBefore] = [0, 0];
  for (let i = 0; i < a.length; i += 1) {
    leastBefore = least;
    least = fillRow(next, [a, b], i, row, before);
    if (least > limit && leastBefore > limit) return limit + 1;
    [before, row, next] = [row, next, before];
  }
  return row[b.length] ?? 0;
}

/**
 * Fills `next` with the distances of the first `i + 1` letters of the one word to every beginning of the other, from those
 * of one letter fewer (`row`) and of two (`before`); answers the least of them.
 */
function fillRow(
  next: Uint16Array,
  [a, b]: readonly [string, string],
  i: number,
  row: Uint16Array,
  before: Uint16Array,
): number {
  next[0] = i + 1;
  let left = i + 1;
  let least = left;
  for (let j = 0; j < b.length; j += 1) {
    const isSame = a[i] === b[j];
    let distance = isSame ? (row[j] ?? 0) : Math.min(row[j] ?? 0, row[j + 1] ?? 0, left) + 1;
    if (!isSame && i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j])
      distance = Math.min(distance, (before[j - 1] ?? 0) + 1);
    next[j + 1] = distance;
    left = distance;
    if (distance < least) least = distance;
  }
  return least;
}

/** No annotations or labels. Shared by all objects without any that is kept, to save memory. */
export const NOTHING: Readonly<Record<string, string>> = {};

/** The annotations or labels whose keys are wanted; NOTHING if none is. */
export function pick(
  record: Readonly<Record<string, string>>,
  wanted: (key: string) => boolean,
): Readonly<Record<string, string>> {
  const entries = Object.entries(record).filter(([key]) => wanted(key));
  return entries.length === 0 ? NOTHING : Object.fromEntries(entries);
}
