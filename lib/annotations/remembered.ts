/** A cache of parsed texts: the same annotations repeat from workload to workload. */

/** How many answers the cache holds, and letters of their texts; a full one is cleared. */
const MOST_REMEMBERED = 1_000;
const MOST_LETTERS = 1_000_000;

/** `answer` with a cache by text; `answer` has to be pure and never returns undefined. */
export function remembered<T extends NonNullable<unknown>>(
  answer: (text: string) => T,
  mostRemembered: number = MOST_REMEMBERED,
  mostLetters: number = MOST_LETTERS,
): (text: string) => T {
  const known = new Map<string, T>();
  let letters = 0;
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size >= mostRemembered || letters + text.length > mostLetters) {
      known.clear();
      letters = 0;
    }
    const now = answer(text);
    known.set(text, now);
    letters += text.length;
    return now;
  };
}
