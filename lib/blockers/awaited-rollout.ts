/**
 * A rollout of another client brings the change. The wait is prolonged by each progress of the pods, like the progressDeadlineSeconds
 * of a Deployment, so a stuck rollout cannot delay a change for ever. It does not end while the rollout awaits its promotion: some of
 * its pods run with the change, and a patch would only begin anew.
 */

import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import { monotonicMs } from '../model/time.ts';
import type { WorkloadRecord } from '../store/records.ts';
import { isBroughtByExternalRollout } from '../tracking/external-rollout.ts';
import type { Blocker, Readers } from './blocker.ts';

/** One rollout that a workload waits for. */
interface Awaited {
  readonly startedAfter: number;
  /** How far the rollout had come, see progressOf. */
  readonly progress: number;
  /** When it must have come further, by monotonicMs. */
  readonly until: number;
}

/** See the file's comment. */
export function externalRollout({ store }: Readers): Blocker {
  const awaited = new Map<ObjectKey, Awaited>();
  /** For how many more ms the workload waits; undefined: no rollout of another client brings its changes. */
  const leftMs = (record: WorkloadRecord): number | undefined => {
    const { workload, externalRollout: rollout } = record;
    if (rollout === undefined || !isBroughtByExternalRollout(store, record)) return undefined;
    const { startedAfter, progress } = rollout;
    const known = awaited.get(keyOf(workload.ref));
    const isStuck = known?.startedAfter === startedAfter && progress <= known.progress;
    if (isStuck && workload.hold?.type !== 'awaits-promotion')
      return Math.max(0, known.until - monotonicMs());
    const until = monotonicMs() + workload.progressDeadlineMs;
    awaited.set(keyOf(workload.ref), { startedAfter, progress, until });
    return workload.progressDeadlineMs;
  };
  return {
    name: 'external-rollout',
    isProblem: true,
    check: (record, now) => {
      const ms = leftMs(record);
      if (ms === undefined || ms === 0) return undefined;
      const message = 'the rollout of another client brings the change';
      const planned = 'with the rollout of its own change';
      return { reason: 'external-rollout', message, until: now + ms, by: 'owner', planned };
    },
    /** One that made no progress for its deadline does not count any more. */
    begin: (record) => {
      if (leftMs(record) === 0) record.externalRollout = undefined;
    },
    end: (workload, { type }) => {
      if (type !== 'blocked' && type !== 'retry') awaited.delete(workload);
    },
  };
}
