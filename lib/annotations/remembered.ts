/** A cache of parsed texts: the same annotations repeat from workload to workload. */

/** How many answers the cache holds; a full one is cleared. */
const MOST_REMEMBERED = 1_000;

/** `answer` with a cache by text; `answer` has to be pure and never returns undefined. */
export function remembered<T extends NonNullable<unknown>>(answer: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size >= MOST_REMEMBERED) known.clear();
    const now = answer(text);
    known.set(text, now);
    return now;
  };
}
