/** Suggestions for words that were mistyped. Ten thousand candidates take some hundredths of a second. */

/** The candidate that differs from `word` in the fewest letters, if that is no more than a third of them. */
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
 * How many letters must be added, dropped, replaced, or swapped with their neighbour, which is the commonest slip. Beyond
 * `limit` any number above it.
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
