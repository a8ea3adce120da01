/**
 * Which objects and workloads a new leader has to read again before it acts. The state was read after its caches were filled,
 * so the caches may be older than the observations and rollouts of the previous leader that the state records.
 */

import { ABSENT, translated } from '../model/digest.ts';
import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import { workloadRefOf } from '../model/state-entry.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { lacksDigest } from './named-algorithms.ts';

/** The cached versions that may be older than the state. */
export interface StaleCaches {
  /** Followed objects and sets of keys. */
  readonly configs: ReadonlySet<ObjectKey>;
  /** Workloads, including those with overrides in the state that the caches do not contain; these may not exist any more. */
  readonly workloads: ReadonlySet<ObjectKey>;
}

/** Compares the observed digests with the entries and the marks. */
export function staleCaches(store: Store): StaleCaches {
  const configs = new Set<ObjectKey>();
  for (const config of store.dependents.configs()) {
    const record = store.configs.get(config);
    if (record !== undefined && mayBeOlder(store, record)) configs.add(config);
  }
  const recorded = [...store.workloads].flatMap(([key, record]) => (isRecorded(store, record) ? [key] : []));
  const workloads = [...store.dependents.dependentsOfAny(configs), ...recorded, ...namedByState(store)];
  return { configs, workloads: new Set(workloads) };
}

function mayBeOlder(store: Store, observed: ConfigRecord): boolean {
  const { ref, digest = ABSENT } = observed;
  const entry = store.persisted.entryOf(ref);
  if (lacksDigest(store, observed)) return true;
  return entry !== undefined && translated(entry.digest, observed) !== digest;
}

/** Whether the state has an override of the workload. */
function isRecorded({ persisted }: Store, { workload: { ref } }: WorkloadRecord): boolean {
  return persisted.state.overrides.has(persisted.overridesKeyOf(ref));
}

/** The workloads with overrides in the state; without those whose long key ends in a hash instead of the name. */
function namedByState({ persisted, settings: { homeNamespace } }: Store): ObjectKey[] {
  return [...persisted.state.overrides.keys()].flatMap((key) => {
    const ref = workloadRefOf(key, homeNamespace);
    return ref === undefined ? [] : [keyOf(ref)];
  });
}
