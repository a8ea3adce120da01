/**
 * The rollout of this content failed or was aborted, and the controller of the workload brought the pods of an earlier version back.
 * The same content would fail again, and a patch would force on what an analysis has refused. A restart forces nothing.
 */

import { whenTaken } from '../model/hold.ts';
import { keyOf } from '../model/object-ref.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { observedBy, outdatedObjects } from '../tracking/edge-policy.ts';
import { liveStampOf } from '../tracking/live-stamps.ts';
import { type Blocker, type Readers, untilChanged } from './blocker.ts';

/** See the file's comment. */
export function failedRollout({ store, evicts }: Readers): Blocker {
  const isStamped = (record: WorkloadRecord, config: ConfigRecord): boolean =>
    liveStampOf(record, keyOf(config.ref))?.digest === observedBy(store, record, config);
  return {
    name: 'failed',
    isProblem: true,
    check: (record) => {
      const { hold, ref } = record.workload;
      if (hold?.type !== 'failed' && hold?.type !== 'aborted') return undefined;
      const outdated = outdatedObjects(store, record);
      if (outdated.length === 0 || evicts?.(record) === true) return undefined;
      const isBlocked =
        hold.type === 'failed'
          ? outdated.every((config) => isStamped(record, config))
          : !isRestarted(store, record);
      if (!isBlocked) return undefined;
      const message =
        hold.type === 'failed'
          ? `stamped, but ${whenTaken(hold, ref)}`
          : `its rollout was aborted; it goes on after kubectl argo rollouts retry rollout ${ref.name}, an undo or a change of its template`;
      return { ...untilChanged('failed', message, 'ReloadGivenUp'), state: 'failing' };
    },
  };
}

function isRestarted({ settings }: Store, { workload }: WorkloadRecord): boolean {
  return settings.onlyTells || settings.vocabularies.restarts(workload);
}
