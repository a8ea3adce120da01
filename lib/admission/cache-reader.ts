/** Reads the facts for admission reviews from memory. It sends no request and changes nothing, so a review takes no lock. */

import { type ConfigRef, keyOf, wholeOf } from '../model/object-ref.ts';
import { OPTIONAL_KINDS, WORKLOAD_KINDS } from '../model/workload-kind.ts';
import { type ConfigRecord, scopedRecordOf } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { SyncGate } from '../store/sync-gate.ts';
import { isUnbegun } from '../tracking/edge-policy.ts';
import type { CacheReader } from './mutate.ts';

/** The sequence of an object that has no entry yet: its baseline will have at least this one. */
const FIRST_SEQUENCE = 1;

/** For a missing object that no workload follows, of which there is no record. */
const NO_ANNOTATIONS = {};

/**
 * Reads from `store`; `gate` says which kinds are listed completely. `leads`: whether the whole state is known; a standby knows only
 * the part that its watch has delivered.
 */
export function cacheReaderOf(
  store: Store,
  gate: Pick<SyncGate, 'isSynced'>,
  { leads, ownManager }: { readonly leads: boolean; readonly ownManager: string },
): CacheReader {
  const { vocabularies } = store.settings;
  const served = [...WORKLOAD_KINDS, ...OPTIONAL_KINDS].filter(({ rollout }) => rollout === 'replace-pods');
  return {
    ownManager,
    vocabularies,
    isServed: (kind) => served.some((row) => row.kind === kind),
    isListed: (namespace, kind) => gate.isSynced(namespace, kind, 'refused'),
    follows: (workload) => vocabularies.follows(workload, store.namesIn(workload.ref.namespace)),
    currentStamp: (workload, ref) => {
      const config = recordOf(store, ref);
      if (config?.digest === undefined || config.isUnread === true) return undefined;
      if (isUnbegun(store, ref)) return undefined;
      const { digest, annotations } = config;
      if (!vocabularies.judge(workload, ref, annotations).asks) return undefined;
      const sequence = store.persisted.entryOf(ref)?.sequence ?? (leads ? FIRST_SEQUENCE : undefined);
      if (sequence === undefined) return undefined;
      return { stamp: { digest, sequence }, annotations };
    },
    contentOf: (ref) => {
      const config = recordOf(store, ref);
      if (config?.isUnread === true || isUnbegun(store, ref)) return undefined;
      return config ?? { ref, annotations: NO_ANNOTATIONS, digest: undefined };
    },
  };
}

/** The record of `ref`; for keys that no workload follows yet, derived from the record of the whole object. */
function recordOf({ configs }: Store, ref: ConfigRef): ConfigRecord | undefined {
  const known = configs.get(keyOf(ref));
  if (known !== undefined || ref.keys === undefined) return known;
  const whole = configs.get(keyOf(wholeOf(ref)));
  return whole && scopedRecordOf(whole, ref);
}
