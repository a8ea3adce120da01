/**
 * Windows of workloads that need a rollout only for a temporary certificate: they wait for the certificate of the issuer, which
 * is usually there within minutes, for ten minutes at the most. Any other change opens the usual window in place of it.
 */

import type { ObjectKey } from '../model/object-ref.ts';
import type { WindowLength } from '../queue/quiet-period.ts';
import type { Store } from '../store/store.ts';
import { awaitsCertificates } from '../tracking/edge-policy.ts';

const LONGEST_WAIT_MS = 600_000;

/** See the file's comment. */
export class AwaitedCertificates {
  readonly #store: Store;
  /** The workloads whose window was opened for temporary certificates alone. */
  readonly #workloads = new Set<ObjectKey>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The length of the window that opens now; `usual`: if it is not for temporary certificates alone. */
  windowOf(workload: ObjectKey, { quietMs, maxWaitMs }: WindowLength): WindowLength {
    this.#workloads.delete(workload);
    if (!awaitsCertificates(this.#store, workload)) return { quietMs, maxWaitMs };
    this.#workloads.add(workload);
    return { quietMs: Math.max(quietMs, LONGEST_WAIT_MS), maxWaitMs: Math.max(maxWaitMs, LONGEST_WAIT_MS) };
  }

  /** Whether the window that was opened last is one of these. */
  has(workload: ObjectKey): boolean {
    return this.#workloads.has(workload);
  }

  /** Whether the workload had such a window, and now needs a rollout for something else. */
  isOver(workload: ObjectKey): boolean {
    return this.#workloads.has(workload) && !awaitsCertificates(this.#store, workload);
  }

  /** The workload does not exist or follows nothing any more. */
  forget(workload: ObjectKey): void {
    this.#workloads.delete(workload);
  }
}
