/** The mark of a leader on each shard of the state: a term, which grows with each leader, and the leader's identity. */

/** The leader that last marked a shard. */
export interface TermMark {
  /** At least 1; 0 if no leader has marked it. */
  readonly term: number;
  /** The identity of the leader. */
  readonly writer: string;
}

/** The annotation of a shard with the term of its last writer. */
export const TERM_ANNOTATION = 'reloader.k8s.collaborne.com/term';

/** The annotation of a shard with the identity of its last writer. */
const WRITER_ANNOTATION = 'reloader.k8s.collaborne.com/writer';

/** The highest valid term: any client may write annotations, so a higher one is invented. */
export const LAST_TERM: number = 2 ** 40;

/** Parses the annotations of a shard; an invalid term counts as 0. */
export function markIn(annotations: Readonly<Record<string, string>>): TermMark {
  const text = annotations[TERM_ANNOTATION] ?? '';
  const term = /^\d{1,13}$/.test(text) ? Number(text) : 0;
  return { term: term <= LAST_TERM ? term : 0, writer: annotations[WRITER_ANNOTATION] ?? '' };
}

/** The annotations of a mark. */
export function annotationsOf({ term, writer }: TermMark): Readonly<Record<string, string>> {
  return { [TERM_ANNOTATION]: String(term), [WRITER_ANNOTATION]: writer };
}

/** The term of a new leader, above those of all `marks`. */
export function termAfter(marks: readonly TermMark[]): number {
  const highest = Math.max(0, ...marks.map(({ term }) => term));
  return highest < LAST_TERM ? highest + 1 : 1;
}

/** Whether `found` contests the lead of `own`: it is another process's mark of no earlier term, or a later one of the same process. */
export function contests(found: TermMark, own: TermMark): boolean {
  return found.writer === own.writer ? found.term > own.term : found.term >= own.term;
}
