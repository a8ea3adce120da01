/** What a WorkloadController keeps of each workload. */

import type { ObjectKey, WorkloadRef } from '../../lib/model/object-ref.ts';
import type { Pod } from './pod.ts';
import type { ResourceRow } from './resource-table.ts';
import { Revisions } from './revisions.ts';

/** A pod. */
export interface LivePod extends Pod {
  readonly ordinal: number;
  phase: Pod['phase'];
  startedAt?: number;
  startedAtVersion?: number;
  reads: Pod['reads'];
  isReady: boolean;
  /** Set while the pod waits for its start, the first one or that after a crash. */
  timer?: NodeJS.Timeout | undefined;
  /** How often it crashed since it was created, or last ran. */
  crashes: number;
  /** The required objects that it waits for. */
  missing: ReadonlySet<ObjectKey>;
}

/** A workload and its pods. */
export interface Followed {
  readonly ref: WorkloadRef;
  readonly row: ResourceRow;
  uid: string;
  pods: LivePod[];
  revisions: Revisions;
  /** It was deleted, and its pods were left for the next one of its name. */
  hasLeftPods: boolean;
  /** StatefulSets: the hash of the template last rolled out completely. */
  current: string | undefined;
  timer: NodeJS.Timeout | undefined;
  createdPods: number;
}

/** One that is seen for the first time. */
export function newlyFollowed(ref: WorkloadRef, row: ResourceRow, uid: string): Followed {
  const revisions = new Revisions();
  return {
    ref,
    row,
    uid,
    pods: [],
    revisions,
    hasLeftPods: false,
    current: undefined,
    timer: undefined,
    createdPods: 0,
  };
}
