/** The stamp: the value that a patch of ours writes into a pod template. */

import type { Digest } from './digest.ts';

/** `<digest>.<id>`. A bare digest, as other programs write it, has the id 0. */
export interface Stamp {
  readonly digest: Digest;
  /**
   * The rollout that wrote it. Ids grow with time, so the higher one of two is the later one. Any client may write one, so nothing
   * that must not be lost follows from the order: a mark of the state names one id, and only an equal one fulfills it.
   */
  readonly id: number;
}

/** An id as part of an expression. */
export const NUMBER = '\\d{1,16}';

/** Every text of a stamp, and nothing else. */
export const STAMP_GRAMMAR: RegExp = new RegExp(
  `^(?<digest>(?:[a-z0-9]{1,16}:)?[0-9a-f]{40}|-)(?:\\.(?<number>${NUMBER}))?$`,
);

/** Parses a stamp; undefined if `value` is none. */
export function parseStamp(value: string | undefined): Stamp | undefined {
  const groups = STAMP_GRAMMAR.exec(value ?? '')?.groups;
  const id = Number(groups?.['number'] ?? '0');
  return groups?.['digest'] === undefined || !Number.isSafeInteger(id)
    ? undefined
    : { digest: groups['digest'], id };
}

/** The id of a stamp; a value of another program counts as the oldest. */
export function idOfStamp(value: string | undefined): number {
  return parseStamp(value)?.id ?? 0;
}

/** The text of `stamp` in a pod template. */
export function formatStamp({ digest, id }: Stamp): string {
  return `${digest}.${id}`;
}

/** Of several stamps for one object, the latest; of two with one id, the first. */
export function latestStamp(stamps: readonly Stamp[]): Stamp | undefined {
  return stamps.toSorted((a, b) => b.id - a.id)[0];
}

const IDS_PER_MS = 1000;

/**
 * Makes the ids of one term, each once: the time in ms, then three digits of the term, so that a leader that begins within the
 * same millisecond makes others.
 */
export function stampIds(term: number, now: () => number): () => number {
  let last = 0;
  return () => {
    last = Math.max(last + IDS_PER_MS, now() * IDS_PER_MS + (term % IDS_PER_MS));
    return last;
  };
}
