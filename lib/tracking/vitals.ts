/** Since when workloads are ready, and whether they do not get there, as this process saw it. In memory only. */

import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import { formatDuration, monotonicMs } from '../model/time.ts';
import type { WorkloadRecord } from '../store/records.ts';

/** One workload at the last look. */
interface Seen {
  /** Another one stands for another rollout; other replicas do not. */
  readonly template: string;
  readonly progress: number;
  readonly deadlineMs: number;
  /** When it last made progress, or began to be not ready. */
  readonly movedAt: number;
  /** Undefined: it is not ready. */
  readonly readyAt: number | undefined;
}

/** The condition of a workload. */
export interface Condition {
  /** Why it does not get ready; undefined: it may. */
  readonly failure: string | undefined;
  /** For how long it has been ready; undefined: it is not. */
  readonly readyMs: number | undefined;
}

/** See the file's comment. */
export class Vitals {
  readonly #seen = new Map<ObjectKey, Seen>();

  /** The condition now; `podFailure`: why pods of it fail, if that is known. */
  of(record: WorkloadRecord, podFailure: string | undefined): Condition {
    const { workload, inFlight } = record;
    const now = monotonicMs();
    const isReady = workload.isRolledOut && inFlight === undefined;
    const seen = this.#look(record, isReady, now);
    if (isReady) return { failure: undefined, readyMs: now - (seen.readyAt ?? now) };
    // What is seen is of the template before.
    if (inFlight !== undefined) return { failure: undefined, readyMs: undefined };
    const isOverdue = workload.rolling !== 'held' && now - seen.movedAt >= seen.deadlineMs;
    const overdue = isOverdue ? `it has made no progress for ${formatDuration(seen.deadlineMs)}` : undefined;
    const abort =
      workload.hold?.type === 'aborted' || workload.hold?.type === 'failed'
        ? 'its rollout was undone'
        : undefined;
    return { failure: workload.failure ?? abort ?? podFailure ?? overdue, readyMs: undefined };
  }

  /** In how many ms a condition is another one than at `since` without an observation; Infinity: never. */
  nextMs(soakMs: number, since: number): number {
    const ends = [...this.#seen.values()].map(({ readyAt, movedAt, deadlineMs }) =>
      readyAt === undefined ? movedAt + deadlineMs : readyAt + soakMs,
    );
    const next = Math.min(Number.POSITIVE_INFINITY, ...ends.filter((end) => end > since));
    return Math.max(0, next - monotonicMs());
  }

  /** No change is in progress any more. */
  clear(): void {
    this.#seen.clear();
  }

  #look({ workload }: WorkloadRecord, isReady: boolean, now: number): Seen {
    const { ref, templateDigest, stamps, progress, progressDeadlineMs: deadlineMs } = workload;
    const template = [templateDigest, ...stamps.map(({ value }) => value)].join();
    const known = this.#seen.get(keyOf(ref));
    const before = known?.template === template ? known : undefined;
    const hasMoved =
      before === undefined || progress > before.progress || (before.readyAt !== undefined && !isReady);
    const movedAt = hasMoved ? now : before.movedAt;
    const readyAt = isReady ? (before?.readyAt ?? now) : undefined;
    const seen = { template, progress, deadlineMs, movedAt, readyAt };
    this.#seen.set(keyOf(ref), seen);
    return seen;
  }
}
