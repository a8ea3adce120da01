/** What is remembered of the tries to roll a workload that did not succeed. */

import type { ObjectKey } from '../model/object-ref.ts';

/** Of one workload. */
export interface Retry {
  /** Times in a row that somebody else wrote first. */
  conflicts: number;
  /** Times in a row that the next try was put off. */
  failures: number;
  /** The plan that was refused on fresh data, as text: refused again it is a refusal. */
  refused: string | undefined;
  /** Set while the next try is put off: then the workload blocks no commit. */
  backoff: { readonly until: number; readonly message: string } | undefined;
}

/** By workload, until one is settled. */
export class Retries {
  readonly #retries = new Map<ObjectKey, Retry>();

  /** What is remembered; undefined: nothing went wrong. */
  get(workload: ObjectKey): Retry | undefined {
    return this.#retries.get(workload);
  }

  /** The same, begun if there is nothing yet. */
  of(workload: ObjectKey): Retry {
    let retry = this.#retries.get(workload);
    if (retry === undefined) {
      retry = { conflicts: 0, failures: 0, refused: undefined, backoff: undefined };
      this.#retries.set(workload, retry);
    }
    return retry;
  }

  /** Forgets a workload. */
  delete(workload: ObjectKey): void {
    this.#retries.delete(workload);
  }
}
