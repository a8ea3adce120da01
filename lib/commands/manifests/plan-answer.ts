/** What `plan` answers: the rollouts that would follow, by whom and when. */

import { blockOf, newBlockers } from '../../blockers/blockers.ts';
import {
  type ConfigRef,
  keyOf,
  namespaceIn,
  type ObjectKey,
  type WorkloadRef,
  wholeOf,
  workloadRefIn,
} from '../../model/object-ref.ts';
import type { WorkloadRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { outdatedObjects } from '../../tracking/edge-policy.ts';
import type { Explanation } from '../explain/explanation.ts';
import type { Timing } from './plan-timing.ts';

/** An object whose content would change. */
export interface PlannedObject {
  readonly object: ConfigRef;
  readonly change: 'changed' | 'created' | 'deleted';
  /** The names of the keys that differ. */
  readonly keys: readonly string[];
}

/** A workload that would be rolled. */
export interface PlannedRollout extends Timing {
  readonly workload: WorkloadRef;
  /** The objects for which, with the keys that changed. */
  readonly objects: readonly ConfigRef[];
  /** Whether it is out of date already: the changes come with the rollout that is pending. */
  readonly isPending: boolean;
}

/** The condition of each plan. */
export const ASSUMED = 'the API server accepts the manifests';

/** The answer. */
export interface Plan extends Pick<Explanation, 'reloader' | 'causes' | 'unknown'> {
  readonly assumes: typeof ASSUMED;
  readonly objects: readonly PlannedObject[];
  readonly rollouts: readonly PlannedRollout[];
  /** Workloads that are out of date already, and stay so. */
  readonly pending: readonly WorkloadRef[];
  /** Workloads that are out of date, and would no longer be: their pending rollout goes. */
  readonly withdrawn: readonly WorkloadRef[];
}

/** By workload that is out of date, with which objects, and whether anything keeps it. */
export type Outdated = ReadonlyMap<
  ObjectKey,
  { readonly configs: readonly ObjectKey[]; readonly isKept: boolean }
>;

/** Whether the reloader rolls workloads of a namespace. */
export type Serves = (namespace: string) => boolean;

/** Which workloads are out of date; `now` in ms since 1970. */
export function outdatedIn(store: Store, serves: Serves, now: number): Outdated {
  const blockers = newBlockers({ store });
  const served = workloadsOf(store).filter(([key]) => serves(namespaceIn(key)));
  const all = served.map(([key, record]) => {
    const configs = outdatedObjects(store, record).map(({ ref }) => keyOf(ref));
    return [key, { configs, isKept: blockOf(blockers, record, now) !== undefined }] as const;
  });
  return new Map(all.filter(([, { configs }]) => configs.length > 0));
}

/** By their names, and not in the order in which they were listed. */
function workloadsOf({ workloads }: Store): readonly (readonly [ObjectKey, WorkloadRecord])[] {
  return [...workloads].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The rollouts that the changes cause, bring along, or let go. */
export function rolloutsOf(
  store: Store,
  serves: Serves,
  before: Outdated,
  objects: readonly PlannedObject[],
  timingOf: (record: WorkloadRecord) => Timing,
): readonly PlannedRollout[] {
  return workloadsOf(store).flatMap(([key, record]): readonly PlannedRollout[] => {
    const was = before.get(key);
    const outdated = outdatedObjects(store, record).map(({ ref }) => ref);
    if (outdated.length === 0 || !serves(record.workload.ref.namespace)) return [];
    const timing = timingOf(record);
    const isLetGo = was?.isKept === true && timing.keptBy === undefined && timing.by !== 'owner';
    const brought = outdated.flatMap((ref) => {
      const planned = objects.find(({ object }) => keyOf(object) === keyOf(wholeOf(ref)));
      const keys = planned?.keys.filter((key) => ref.keys?.includes(key) ?? true) ?? [];
      if (keys.length > 0) return [{ ...ref, keys }];
      return isLetGo || was?.configs.includes(keyOf(ref)) !== true ? [ref] : [];
    });
    if (brought.length === 0) return [];
    return [{ workload: workloadRefIn(key), objects: brought, isPending: was !== undefined, ...timing }];
  });
}
