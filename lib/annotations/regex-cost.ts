/** The length of an RE2 expression with its repetitions expanded, which is the size of its compiled program. */

/**
 * A quoted text, a class, a count, or one letter. An unclosed one extends to the end. A count is a single number, since a comma
 * ends the item of a list.
 */
const TOKEN =
  /\\Q.*?(?:\\E|$)|\\[pPx]\{[^}]*\}?|\\.|\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]?|\{(?<times>\d+)\}|./gs;
/** The highest count that RE2 accepts. */
const MOST_TIMES = 1_000;

/**
 * The letters of `pattern` with each `{n}` expanded; a class counts as one letter. The result for an expression that RE2 rejects
 * is arbitrary. The time is linear in the length of the text.
 */
export function regexCost(pattern: string): number {
  const groups: number[] = [];
  let [before, last] = [0, 0];
  for (const { 0: token, groups: counts } of pattern.matchAll(TOKEN)) {
    if (token === '(') {
      groups.push(before + last);
      [before, last] = [0, 1];
    } else if (token === ')') {
      last += before + 1;
      before = groups.pop() ?? 0;
    } else if (counts?.['times'] !== undefined) {
      last *= Math.min(Math.max(Number(counts['times']), 1), MOST_TIMES);
    } else {
      before += last;
      last = token.startsWith('\\Q') ? token.length : 1;
    }
  }
  return groups.reduce((sum, length) => sum + length, before + last);
}
