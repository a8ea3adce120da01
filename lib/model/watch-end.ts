/** The ways in which a watch ends: what the reflector does next, and a label of a metric. */

/** Why a watch came to its end. */
export const WATCH_ENDS = [
  /** The server ended it in good order; it is resumed from the last version. */
  'ended',
  /** The last version is too old (410); a list follows. */
  'expired',
  /** No byte for too long; it is resumed from the last version. */
  'silence',
  /** What was received cannot be read; a list follows. */
  'malformed',
  /** Cut, refused or answered with an error; it is resumed from the last version. */
  'error',
] as const;

/** One of WATCH_ENDS. */
export type WatchEnd = (typeof WATCH_ENDS)[number];
