/** The mark that a leader leaves on each shard of the state: a number that grows with each leader, and who that is. */

/** Whose the state is. */
export interface TermMark {
  /** From 1; 0: no leader has marked it. */
  readonly term: number;
  /** The identity of the leader. */
  readonly writer: string;
}

/** The annotation of a shard with the term of its last writer. */
export const TERM_ANNOTATION = 'reloader.k8s.collaborne.com/term';

/** The annotation of a shard with the identity of its last writer. */
const WRITER_ANNOTATION = 'reloader.k8s.collaborne.com/writer';

/** Annotations are anybody's to write: a term beyond it is made up. */
export const LAST_TERM: number = 2 ** 40;

/** What the annotations of a shard say; a term that cannot be one counts as 0. */
export function markIn(annotations: Readonly<Record<string, string>>): TermMark {
  const text = annotations[TERM_ANNOTATION] ?? '';
  const term = /^\d{1,13}$/.test(text) ? Number(text) : 0;
  return { term: term <= LAST_TERM ? term : 0, writer: annotations[WRITER_ANNOTATION] ?? '' };
}

/** The annotations that say it. */
export function annotationsOf({ term, writer }: TermMark): Readonly<Record<string, string>> {
  return { [TERM_ANNOTATION]: String(term), [WRITER_ANNOTATION]: writer };
}

/** The term of who comes after all of `marks`. */
export function termAfter(marks: readonly TermMark[]): number {
  const highest = Math.max(0, ...marks.map(({ term }) => term));
  return highest < LAST_TERM ? highest + 1 : 1;
}

/** Whether who wrote `found` may hold the state against the holder of `own`: it is another mark, and none of an earlier term. */
export function contests(found: TermMark, own: TermMark): boolean {
  return found.writer === own.writer ? found.term > own.term : found.term >= own.term;
}
