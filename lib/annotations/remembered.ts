/** Answers that are worked out once: the same texts repeat from workload to workload. */

/** How many answers are remembered. */
const MOST_REMEMBERED = 1_000;

/** `answer`, asked once for each text, as long as there are not too many. It never answers undefined. */
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
