/** Suggestions for words that were mistyped. */

/** The candidate that differs from `word` in the fewest letters, if that is no more than a third of them. */
export function nearestTo(word: string, candidates: Iterable<string>): string | undefined {
  let nearest: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const limit = Math.floor(Math.max(word.length, candidate.length) / 3);
    if (Math.abs(word.length - candidate.length) > limit) continue;
    const distance = editDistance(word, candidate);
    if (distance <= limit && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY))
      nearest = { candidate, distance };
  }
  return nearest?.candidate;
}

/** Levenshtein distance: how many letters must be added, dropped or replaced. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
