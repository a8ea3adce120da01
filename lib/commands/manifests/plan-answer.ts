/** What `plan` answers: the rollouts that would follow, by whom and when. */

import {
  describe,
  keyOf,
  namespaceIn,
  type ObjectKey,
  wholeKeyOf,
  workloadRefIn,
} from '../../model/object-ref.ts';
import type { WorkloadRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { outdatedObjects } from '../../tracking/gate.ts';
import type { Unread } from '../observation.ts';
import type { Timing } from './plan-timing.ts';

/** An object whose content would change. */
export interface PlannedObject {
  readonly object: string;
  readonly namespace: string;
  readonly change: 'changed' | 'created' | 'deleted';
  /** The names of the keys that differ. */
  readonly keys: readonly string[];
}

/** A workload that would be rolled. */
export interface PlannedRollout extends Timing {
  readonly workload: string;
  readonly namespace: string;
  /** The objects for which, with the keys that changed. */
  readonly objects: readonly string[];
}

/** The answer. */
export interface Plan {
  readonly reloader: string;
  readonly objects: readonly PlannedObject[];
  readonly rollouts: readonly PlannedRollout[];
  /** Workloads that are out of date already, whatever is applied. */
  readonly pending: readonly string[];
  readonly unread: readonly Unread[];
}

/** By workload, the objects that it is out of date with. */
export type Outdated = ReadonlyMap<ObjectKey, readonly ObjectKey[]>;

/** Which workloads are out of date now. */
export function outdatedIn(store: Store): Outdated {
  const all = [...store.workloads].map(([key, record]) => {
    const objects = outdatedObjects(store, record).map(({ ref }) => keyOf(ref));
    return [key, objects] as const;
  });
  return new Map(all.filter(([, objects]) => objects.length > 0));
}

/** The rollouts that the changes cause: those of workloads that were not out of date for the same objects before. */
export function rolloutsOf(
  store: Store,
  before: Outdated,
  objects: readonly PlannedObject[],
  timingOf: (record: WorkloadRecord) => Timing,
): readonly PlannedRollout[] {
  return [...outdatedIn(store)].flatMap(([key, configs]): readonly PlannedRollout[] => {
    const record = store.workloads.get(key);
    const changed = configs.filter((config) => before.get(key)?.includes(config) !== true);
    if (record === undefined || changed.length === 0) return [];
    return [
      {
        workload: describe(record.workload.ref),
        namespace: namespaceIn(key),
        objects: changed.map((config) => objectText(store, config, objects)),
        ...timingOf(record),
      },
    ];
  });
}

/** The workloads that are out of date already. */
export function pendingOf(before: Outdated): readonly string[] {
  return [...before.keys()].map((key) => `${describe(workloadRefIn(key))} in ${namespaceIn(key)}`);
}

function objectText(store: Store, config: ObjectKey, objects: readonly PlannedObject[]): string {
  const ref = store.configs.get(config)?.ref;
  if (ref === undefined) return config;
  const name = describe(ref);
  const planned = objects.find(
    ({ object, namespace }) => `${namespace}/${object}` === wholeKeyOf(keyOf(ref)),
  );
  return ref.keys !== undefined || planned === undefined || planned.keys.length === 0
    ? name
    : `${name} (${planned.keys.join(', ')})`;
}
