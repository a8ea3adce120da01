/** What cannot be understood. */

/** One line that says what was expected where; thrown inside this folder only, parseOptions answers it as a value. */
export class UsageError extends Error {}
