/**
 * Which objects and workloads a new leader has to read again before it acts. The state was read after its caches were filled,
 * so the caches may be older than the observations and rollouts of the previous leader that the state records.
 */

import { ABSENT, translated } from '../model/digest.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import type { ConfigRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { lacksDigest } from './named-algorithms.ts';

/** The cached versions that may be older than the state. */
export interface StaleCaches {
  /** Followed objects and sets of keys. */
  readonly configs: ReadonlySet<ObjectKey>;
  /** Workloads, including those with marks in the state that the caches do not contain; these may not exist any more. */
  readonly workloads: ReadonlySet<ObjectKey>;
}

/** Compares the observed digests with the entries and the marks. */
export function staleCaches(store: Store): StaleCaches {
  const configs = new Set<ObjectKey>();
  for (const config of store.dependents.configs()) {
    const record = store.configs.get(config);
    if (record !== undefined && mayBeOlder(store, record)) configs.add(config);
  }
  const workloads = [...store.dependents.dependentsOfAny(configs), ...store.persisted.markedWorkloads()];
  return { configs, workloads: new Set(workloads) };
}

function mayBeOlder(store: Store, observed: ConfigRecord): boolean {
  const { ref, digest = ABSENT } = observed;
  const entry = store.persisted.entryOf(ref);
  if (lacksDigest(store, observed)) return true;
  return entry !== undefined && translated(entry.digest, observed) !== digest;
}
