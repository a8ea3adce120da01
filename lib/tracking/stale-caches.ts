/**
 * What a new leader has to fetch before it acts: the state was read after its caches were told what they hold, so they may be
 * older than what an earlier leader has seen, rolled and recorded.
 */

import { ABSENT } from '../model/digest.ts';
import { isUncommitted } from '../model/edge.ts';
import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import { kindScopeOf } from '../model/persisted-state.ts';
import { workloadRefOf } from '../model/state-entry.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { liveStampOf } from './live-stamps.ts';
import { namedAlgorithms } from './named-algorithms.ts';

/** What may be older than the state. */
export interface StaleCaches {
  /** Objects, or some keys of one, that are followed. */
  readonly configs: ReadonlySet<ObjectKey>;
  /** Workloads; those of the state that the caches do not know are among them, whether or not they are still there. */
  readonly workloads: ReadonlySet<ObjectKey>;
}

/** Compares what is observed with what the state and the stamps that it has not committed say. */
export function staleCaches(store: Store): StaleCaches {
  const configs = new Set<ObjectKey>();
  for (const config of store.dependents.configs()) {
    const record = store.configs.get(config);
    if (record !== undefined && mayBeOlder(store, config, record)) configs.add(config);
  }
  const recorded = [...store.workloads].flatMap(([key, record]) => (isRecorded(store, record) ? [key] : []));
  const workloads = [...store.dependents.dependentsOfAny(configs), ...recorded, ...namedByState(store)];
  return { configs, workloads: new Set(workloads) };
}

function mayBeOlder(store: Store, config: ObjectKey, { ref, digest = ABSENT }: ConfigRecord): boolean {
  const entry = store.persisted.entryOf(ref);
  if (namedAlgorithms(store, ref).length > 0) return true;
  if (entry !== undefined && entry.digest !== digest) return true;
  return store.edgesOf(config).some(([record]) => {
    const { stamp, ambiguous } = liveStampOf(store, record, config);
    return isUncommitted(stamp, entry) && (ambiguous || stamp.digest !== digest);
  });
}

/** Whether the state says of the workload, or of all of its kind, what its pods ran. */
function isRecorded(store: Store, { workload: { ref }, edges: own }: WorkloadRecord): boolean {
  if (store.persisted.state.overrides.has(store.persisted.overridesKeyOf(ref))) return true;
  return [...own.keys()].some((config) => {
    const followed = store.configs.get(config)?.ref;
    return followed !== undefined && store.persisted.isByKind(ref, followed);
  });
}

/** The workloads whose overrides the state has, as far as its keys tell. */
function namedByState({ persisted, settings: { homeNamespace } }: Store): ObjectKey[] {
  return [...persisted.state.overrides.keys()].flatMap((key) => {
    const ref = workloadRefOf(key, homeNamespace);
    return ref === undefined || kindScopeOf(key, homeNamespace) !== undefined ? [] : [keyOf(ref)];
  });
}
