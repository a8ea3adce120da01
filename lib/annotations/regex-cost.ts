/** How long an expression of RE2 is once what it repeats is written out: so long is the program that it stands for. */

/**
 * A quoted text, a class, a count, or one letter. What is left open goes on to the end. A count is one number, for a comma
 * ends the item of a list.
 */
const TOKEN =
  /\\Q.*?(?:\\E|$)|\\[pPx]\{[^}]*\}?|\\.|\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]?|\{(?<times>\d+)\}|./gs;
/** RE2 takes no more. */
const MOST_TIMES = 1_000;

/**
 * The letters of `pattern` with each `{n}` written out, a class counting as one. What RE2 does not understand has any number.
 * Takes a time that grows no faster than the text.
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
