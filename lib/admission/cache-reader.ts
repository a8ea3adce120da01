/** What the program knows, as reviews ask for it. Nothing is remembered of the question. */

import { type ConfigRef, keyOf, wholeOf } from '../model/object-ref.ts';
import { WORKLOAD_KINDS } from '../model/workload-kind.ts';
import type { ConfigRecord } from '../store/records.ts';
import { scopedRecordOf } from '../store/scoped-record.ts';
import type { Store } from '../store/store.ts';
import type { SyncGate } from '../store/sync-gate.ts';
import { isUnbegun } from '../tracking/edge-policy.ts';
import type { CacheReader } from './mutate.ts';

/** The number of an object that has no entry yet: its baseline will have at least this one. */
const FIRST_NUMBER = 1;

/** What of it does not follow from what was seen. */
export type CacheReaderOptions = Pick<CacheReader, 'ownManager' | 'checksHashes'> & {
  /** Whether the state is known whole: a standby knows what its stream has shown. @default true */
  readonly leads?: boolean;
};

/** Nothing is kept of an object that nobody follows and that is not there. */
const NO_ANNOTATIONS = {};

/** Reads `edges`, as far as `gate` says that they are complete. */
export function cacheReaderOf(
  store: Store,
  gate: Pick<SyncGate, 'isSynced'>,
  { leads = true, ...options }: CacheReaderOptions,
): CacheReader {
  const { vocabularies } = store.settings;
  const served = new Set(
    WORKLOAD_KINDS.filter(({ rollout }) => rollout === 'replace-pods').map(({ kind }) => kind),
  );
  return {
    ...options,
    vocabularies,
    isServed: (kind) => served.has(kind),
    isListed: (namespace, kind) => gate.isSynced(namespace, kind, 'refused'),
    follows: (workload) => vocabularies.follows(workload, store.namesIn(workload.ref.namespace)),
    currentStamp: (workload, ref) => {
      const config = recordOf(store, ref);
      if (config?.digest === undefined || config.isUnread === true) return undefined;
      if (isUnbegun(store, ref, workload.ref.namespace)) return undefined;
      const { digest, annotations } = config;
      if (!vocabularies.judge(workload, ref, annotations).asks) return undefined;
      const sequence = store.persisted.entryOf(ref)?.sequence ?? (leads ? FIRST_NUMBER : undefined);
      if (sequence === undefined) return undefined;
      return { stamp: { digest, sequence }, annotations };
    },
    contentOf: (workload, ref) => {
      const config = recordOf(store, ref);
      if (config?.isUnread === true || isUnbegun(store, ref, workload.ref.namespace)) return undefined;
      return config ?? { ref, annotations: NO_ANNOTATIONS, digest: undefined };
    },
  };
}

/** What is known of `ref`: of keys that nobody follows yet, what follows from the object. */
function recordOf({ configs }: Store, ref: ConfigRef): ConfigRecord | undefined {
  const known = configs.get(keyOf(ref));
  if (known !== undefined || ref.keys === undefined) return known;
  const whole = configs.get(keyOf(wholeOf(ref)));
  return whole && scopedRecordOf(whole, ref);
}
