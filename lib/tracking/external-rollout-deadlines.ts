/**
 * How long a workload waits for an external rollout that may absorb its own. The wait is prolonged by each progress of the
 * pods, like the progressDeadlineSeconds of a Deployment, so a stuck rollout cannot delay a change for ever. It does not end
 * while the rollout awaits its promotion: some of its pods run with the change, and a patch would only begin anew.
 */

import type { ObjectKey } from '../model/object-ref.ts';
import { monotonicMs } from '../model/time.ts';
import type { WorkloadRecord } from '../store/records.ts';

interface Turn {
  /** How far the rollout had come, see progressOf. */
  readonly progress: number;
  /** When it must have come further, by monotonicMs. */
  readonly until: number;
}

/** See the file's comment. */
export class ExternalRolloutDeadlines {
  readonly #turns = new Map<ObjectKey, Turn>();

  /** By when the external rollout must make progress; undefined if the workload does not wait. */
  untilOf(workload: ObjectKey): number | undefined {
    return this.#turns.get(workload)?.until;
  }

  /**
   * For how many more ms the workload waits; 0: the external rollout has made no progress for its deadline. After a 0 the
   * caller must not ask again for the same external rollout, since the next call begins a new wait.
   */
  remaining(key: ObjectKey, { workload, externalRollout }: WorkloadRecord): number {
    const { progress = Number.NEGATIVE_INFINITY } = externalRollout ?? {};
    const turn = this.#turns.get(key);
    const isStuck = workload.hold?.type !== 'awaits-promotion';
    if (isStuck && turn !== undefined && progress <= turn.progress) {
      const left = Math.max(0, turn.until - monotonicMs());
      if (left === 0) this.#turns.delete(key);
      return left;
    }
    this.#turns.set(key, { progress, until: monotonicMs() + workload.progressDeadlineMs });
    return workload.progressDeadlineMs;
  }

  /** Forgets a workload; whether it waited. */
  delete(workload: ObjectKey): boolean {
    return this.#turns.delete(workload);
  }
}
