/** The workloads that a hold, a window, a missing approval or a stage kept from being rolled at their last attempt, and when they are looked at again. */

import type { ObjectKey } from '../model/object-ref.ts';
import type { Gate, PendingReason } from '../model/outcome.ts';
import { monotonicMs } from '../model/time.ts';

/** A long hold is looked at in between: the time of day may be set, and waits do not follow it. */
const LONGEST_LOOK_MS = 600_000;

/** See the file's comment. In memory only: what keeps a workload follows from annotations and the time. */
export class Gates {
  readonly #gateOf: (workload: ObjectKey) => Gate | undefined;
  readonly #closed = new Map<ObjectKey, Gate>();

  /** `gateOf`: the hold or window that keeps the workload from being rolled at this moment. */
  constructor(gateOf: (workload: ObjectKey) => Gate | undefined) {
    this.#gateOf = gateOf;
  }

  /** How many workloads are kept. */
  get size(): number {
    return this.#closed.size;
  }

  /** How many of them only a person lets go, or rolls. */
  get awaitingPeople(): number {
    return [...this.#closed.values()].filter(({ type }) => type === 'approval' || type === 'notify-only')
      .length;
  }

  /** The gate of the last attempt. */
  of(workload: ObjectKey): Gate | undefined {
    return this.#closed.get(workload);
  }

  /** The workload is kept. The result: in how many ms it is looked at again. */
  close(workload: ObjectKey, gate: Gate): number {
    this.#closed.set(workload, gate);
    return Math.min(msUntil(gate), LONGEST_LOOK_MS);
  }

  /** Whether the workload was kept, and is not any more, or by something else; a stage tells itself when it is over. */
  hasChanged(workload: ObjectKey): boolean {
    const gate = this.#closed.get(workload);
    if (gate === undefined) return false;
    const now = this.#gateOf(workload);
    return isOfStages(gate) ? now !== undefined : now?.message !== gate.message;
  }

  /** Whether anything but its stage kept the workload. */
  isKeptOtherwise(workload: ObjectKey): boolean {
    const gate = this.#closed.get(workload);
    return gate !== undefined && !isOfStages(gate);
  }

  /** What the workload waits for; undefined if it is not kept. */
  reasonOf(workload: ObjectKey): PendingReason | undefined {
    const gate = this.#closed.get(workload);
    return gate && { ...gate, until: monotonicMs() + msUntil(gate) };
  }

  /** The workload is tried again, up to date or gone. */
  forget(workload: ObjectKey): void {
    this.#closed.delete(workload);
  }
}

/** Whether the stages of a change keep the workload. */
function isOfStages({ type }: Gate): boolean {
  return type === 'stage' || type === 'halt';
}

function msUntil({ until }: Gate): number {
  return Math.max(0, until - Date.now());
}
