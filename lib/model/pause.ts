/** A pause of a Deployment that a reloader began: until its end no rollout of it begins, then one brings all. */

/** One pause. */
export interface Pause {
  /** When it began, as the Deployment says it. */
  readonly since: string;
  /** How long it lasts; 0 where the Deployment does not say, or not any more. */
  readonly periodMs: number;
  /** When it is over, in ms since 1970; -Infinity where the beginning cannot be read. */
  readonly endsAt: number;
}

/** What a patch says of a pause; null removes a field, what is absent stays as it is. */
export interface PausePatch {
  readonly paused?: true | null;
  readonly annotations: Readonly<Record<string, string | null>>;
}

/** The pause that began at `since` for so long. */
export function pauseSince(since: string, periodMs: number): Pause {
  const endsAt = Date.parse(since) + periodMs;
  return { since, periodMs, endsAt: isMoment(endsAt) ? endsAt : Number.NEGATIVE_INFINITY };
}

/** The pause that began at `since` and that another writer has ended. */
export function pauseThatWasEnded(since: string): Pause {
  return { since, periodMs: 0, endsAt: Number.NEGATIVE_INFINITY };
}

/**
 * For how many ms more it lasts at the moment `now`; 0: it is over. One that begins more than a period from now cannot be
 * meant, whoever's clock is wrong: it would hold up the Deployment for as long as anybody writes there.
 */
export function remainingMs({ endsAt, periodMs }: Pause, now: number): number {
  const left = endsAt - now;
  return left > 2 * periodMs ? 0 : Math.max(0, left);
}

/** Since when and until when, for people. */
export function pauseWords({ since, periodMs, endsAt }: Pause): string {
  const isKnown = periodMs > 0 && isMoment(endsAt);
  const end = isKnown
    ? `until ${new Date(endsAt).toISOString()}`
    : 'for a time that it does not say any more';
  return `paused since ${since}, ${end}`;
}

/** Whether a Date can say it. */
function isMoment(ms: number): boolean {
  return !Number.isNaN(new Date(ms).getTime());
}
