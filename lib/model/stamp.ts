/** The stamp: the value that a patch of ours writes into a pod template, and its meaning for the pods of that template. */

import type { Digest } from './digest.ts';

/**
 * `<digest>.<sequence>`. It is uncommitted only while its sequence is above that of the state's entry: then it belongs to a
 * change that is not committed yet. A bare digest has the sequence 0, so it is always committed.
 */
export interface Stamp {
  readonly digest: Digest;
  readonly sequence: number;
}

/** A sequence as part of an expression; see `countedSequence`. */
export const NUMBER = '\\d{1,16}';

/**
 * How far a stamp may be ahead of the entry of its object. Each stamp of ours exceeds the highest sequence by at most 16. Any
 * client may write a template: the limit bounds by how much an invented sequence can raise ours.
 */
export const MOST_AHEAD: number = 2 ** 24;

/** The number of consecutive terms that have disjoint sequences. */
export const TERMS: number = 16;

/** Every text of a stamp, and nothing else. */
export const STAMP_GRAMMAR: RegExp = new RegExp(
  `^(?<digest>(?:[a-z0-9]{1,16}:)?[0-9a-f]{40}|-)(?:\\.(?<number>${NUMBER}))?$`,
);

/** Parses a stamp; undefined if `value` is none. */
export function parseStamp(value: string | undefined): Stamp | undefined {
  const groups = STAMP_GRAMMAR.exec(value ?? '')?.groups;
  const sequence = countedSequence(groups?.['number']);
  if (groups?.['digest'] === undefined || sequence === undefined) return undefined;
  return { digest: groups['digest'], sequence };
}

/** The sequence of a stamp; a value of another program counts as the oldest. */
export function sequenceOf(value: string | undefined): number {
  return parseStamp(value)?.sequence ?? 0;
}

/** Parses a sequence, 0 by default; undefined above the safe integers, which cannot be counted exactly. */
export function countedSequence(text = '0'): number | undefined {
  const sequence = Number(text);
  return Number.isSafeInteger(sequence) ? sequence : undefined;
}

/** The text of `stamp` in a pod template. */
export function formatStamp(stamp: Stamp): string {
  return `${stamp.digest}.${stamp.sequence}`;
}

/**
 * The smallest sequence above `used` that a stamp of this term may have: one with its remainder modulo TERMS. So a process
 * never uses a sequence that a leader of one of the 15 terms before has sent unobserved. Without a term it is the next integer.
 */
export function sequenceAfter(used: number, term?: number): number {
  const next = used + 1;
  return term === undefined ? next : next + ((((term - next) % TERMS) + TERMS) % TERMS);
}

/**
 * Of several live stamps for one object, the one with the highest sequence. Equal sequences with different digests
 * contradict each other, so the running digest is unknown: `ambiguous`.
 */
export function highestStamp(stamps: readonly Stamp[]): { stamp: Stamp | undefined; ambiguous: boolean } {
  let stamp: Stamp | undefined;
  for (const candidate of stamps)
    if (stamp === undefined || candidate.sequence > stamp.sequence) stamp = candidate;
  const ambiguous = stamps.some(
    (candidate) => candidate.sequence === stamp?.sequence && candidate.digest !== stamp.digest,
  );
  return { stamp, ambiguous };
}
