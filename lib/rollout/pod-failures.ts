/**
 * Looks now and then at the pods of workloads that are not ready, for those that fail: the status of a workload tells it only after its
 * progress deadline, and a person who undoes the rollout before takes the evidence away.
 */

import type { ObjectKey } from '../model/object-ref.ts';
import type { PodClient } from '../model/outcome.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';

const LOOK_MS = 10_000;
/** How many workloads are looked at in a row; the others have their turn at the next look. */
const MOST_LOOKS = 3;
/** The rights may be given later. */
const FORBIDDEN_MS = 600_000;

/** See the file's comment. Without the rights to list pods it finds nothing. */
export class PodFailures {
  readonly #pods: PodClient | undefined;
  readonly #onFound: (workload: ObjectKey) => void;
  readonly #store: Store;
  readonly #suspects = new Set<ObjectKey>();
  readonly #found = new WeakMap<WorkloadRecord, { readonly generation: number; readonly reason: string }>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `onFound` is called when pods of a workload were found to fail. */
  constructor(pods: PodClient | undefined, store: Store, onFound: (workload: ObjectKey) => void) {
    this.#pods = pods;
    this.#store = store;
    this.#onFound = onFound;
  }

  /** Why pods of the workload fail in its present rollout. */
  of(record: WorkloadRecord): string | undefined {
    const found = this.#found.get(record);
    return found?.generation === record.workload.generation ? found.reason : undefined;
  }

  /** The workload is in a rollout and not ready. */
  suspect(workload: ObjectKey): void {
    if (this.#pods === undefined) return;
    this.#suspects.add(workload);
    this.#arm(LOOK_MS);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #arm(ms: number): void {
    if (this.#timer === undefined && !this.#isClosed) this.#timer = setTimeout(() => void this.#look(), ms);
  }

  async #look(): Promise<void> {
    let isForbidden = false;
    for (const key of this.#suspects)
      if (!isStarting(this.#store.workloads.get(key))) this.#suspects.delete(key);
    for (const key of [...this.#suspects].slice(0, MOST_LOOKS)) {
      this.#suspects.delete(key);
      if ((await this.#lookAt(key)) === 'forbidden') isForbidden = true;
    }
    this.#timer = undefined;
    if (this.#suspects.size > 0) this.#arm(isForbidden ? FORBIDDEN_MS : LOOK_MS);
  }

  /** One that is still starting stays suspect. */
  async #lookAt(key: ObjectKey): Promise<'forbidden' | undefined> {
    const record = this.#store.workloads.get(key);
    if (record === undefined) return undefined;
    const { ref, uid, generation } = record.workload;
    const reading = await this.#pods?.podsOf(ref, uid);
    if (reading === undefined || reading.kind === 'gone') return undefined;
    const pods = reading.kind === 'listed' ? reading.pods : [];
    const reason = pods.find(({ failure, isLeaving }) => failure !== undefined && !isLeaving)?.failure;
    if (reason === undefined) this.#suspects.add(key);
    else {
      this.#found.set(record, { generation, reason });
      this.#onFound(key);
    }
    return reading.kind === 'failed' && reading.isForbidden === true ? 'forbidden' : undefined;
  }
}

function isStarting(record: WorkloadRecord | undefined): boolean {
  const { workload, inFlight } = record ?? {};
  return workload?.isRolledOut === false && workload.rolling !== 'held' && inFlight === undefined;
}
