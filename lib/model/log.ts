/** The interface of the log. */

/** Facts beside a message; never a value of a ConfigMap or Secret. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes one line per call. A message is a constant sentence, or made of names only; all other values are in `fields`. */
export interface Log {
  /** For those who debug the reloader itself. */
  debug(message: string, fields?: LogFields): void;
  /** For users: decisions and their effect. */
  info(message: string, fields?: LogFields): void;
  /** A problem; the reloader continues or retries. */
  warn(message: string, fields?: LogFields): void;
  /** A failure that needs a person. */
  error(message: string, fields?: LogFields): void;
}

/** A log that drops everything. */
export const NO_LOG: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {
  // Drops the entry.
}
