/** What a part of the program needs of a logger. */

/** Facts beside a message; never a value of a ConfigMap or Secret. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes one line per call. A message is a constant sentence or one built of names only; what varies stands in `fields`. */
export interface Log {
  /** For those who debug the reloader itself. */
  debug(message: string, fields?: LogFields): void;
  /** What a user follows: decisions and their effect. */
  info(message: string, fields?: LogFields): void;
  /** Something is not as it should be; the reloader goes on or tries again. */
  warn(message: string, fields?: LogFields): void;
  /** Something cannot be done without a person. */
  error(message: string, fields?: LogFields): void;
}

/** A log that nobody reads. */
export const NO_LOG: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {
  // Nothing to do: that is its use.
}
