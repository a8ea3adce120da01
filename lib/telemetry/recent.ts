/** Answers that many clients share instead of computing one for each. */

/** How long an answer is shared, in ms. */
const FRESH_MS = 1000;

/**
 * Returns the last result of `make` for FRESH_MS, and releases it then: the next call makes another. An error is not kept.
 */
export function recent<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  const release = (): void => {
    made = undefined;
  };
  return () => {
    if (made === undefined) {
      made = { value: make() };
      setTimeout(release, FRESH_MS).unref();
    }
    return made.value;
  };
}

/** A text, and the time of the snapshot that it shows. */
export interface Shown {
  readonly body: Buffer;
  readonly asOf: Date;
}
