/** The stamp: the value that a patch of ours puts into a pod template, and what it says about the pods of that template. */

import type { Digest } from './digest.ts';

/**
 * `<digest>.<number>`. It *speaks* only while its number is above that of the state entry: then it belongs to a change
 * that is not committed yet. A bare digest counts as number 0 and never speaks.
 */
export interface Stamp {
  readonly digest: Digest;
  readonly sequence: number;
}

/** A number of a stamp or an entry, as part of an expression; see `countedNumber`. */
export const NUMBER = '\\d{1,16}';

/**
 * How far a stamp may be ahead of the entry of its object to be one of ours, which go on by at most 16 from the highest
 * number there is. A template is anybody's to write: a number that is made up lifts ours by no more than this.
 */
export const MOST_AHEAD: number = 2 ** 24;

/** Of so many terms in a row each has numbers of its own. */
export const TERMS: number = 16;

const GRAMMAR = new RegExp(`^(?<digest>[0-9a-f]{40}|-)(?:\\.(?<number>${NUMBER}))?$`);

/** The stamp that `value` spells, or undefined if it is none. */
export function parseStamp(value: string | undefined): Stamp | undefined {
  const groups = GRAMMAR.exec(value ?? '')?.groups;
  const sequence = countedSequence(groups?.['number']);
  if (groups?.['digest'] === undefined || sequence === undefined) return undefined;
  return { digest: groups['digest'], sequence };
}

/** What `text` says, nothing counting as 0; undefined beyond what can be counted exactly. */
export function countedSequence(text = '0'): number | undefined {
  const sequence = Number(text);
  return Number.isSafeInteger(sequence) ? sequence : undefined;
}

/** The text of `stamp`, as it stands in a pod template. */
export function formatStamp(stamp: Stamp): string {
  return `${stamp.digest}.${stamp.sequence}`;
}

/**
 * The smallest number above `used` that a stamp of this term may have: one that leaves its remainder. So no process uses a
 * number that another one has sent, unseen, in one of the 15 terms before. Without a term the next one.
 */
export function sequenceAfter(used: number, term?: number): number {
  const next = used + 1;
  return term === undefined ? next : next + ((((term - next) % TERMS) + TERMS) % TERMS);
}

/**
 * Of several live stamps for one object, the one that counts: the highest number. Equal numbers with different digests
 * contradict each other, so what the pods read is unknown: `ambiguous`.
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
