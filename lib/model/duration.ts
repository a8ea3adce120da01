/** Durations as people write them. */

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The longest duration that a timer can wait: a little under 25 days. */
export const MAX_DURATION_MS: number = 2 ** 31 - 1;

/**
 * Milliseconds in `text`: a plain number is milliseconds, else Go's form: `500ms`, `10s`, `2m`, `1h30m`, `1.5h`.
 * Fractions of a millisecond are rounded. Undefined for what is no duration, is negative or exceeds MAX_DURATION_MS.
 */
export function parseDurationMs(text: string): number | undefined {
  const trimmed = text.trim();
  const ms = /^\d+$/.test(trimmed) ? Number(trimmed) : sumOfParts(trimmed);
  return ms !== undefined && ms <= MAX_DURATION_MS ? ms : undefined;
}

function sumOfParts(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  const ms = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNITS_MS[unit ?? ''] ?? 0), 0);
  return Math.round(ms);
}
