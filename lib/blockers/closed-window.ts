/** The reload window of the workload is closed. An urgent change does not wait for it, nor do evictions that have begun. */

import type { ReloadWindow } from '../model/reload-window.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { isUrgentFor } from '../tracking/edge-policy.ts';
import { type Blocker, levelsOf, type Readers, timeText } from './blocker.ts';

/** See the file's comment. */
export function reloadWindow({ store, isEvicting }: Readers): Blocker {
  return {
    name: 'window',
    check: (record, now) => {
      const until = reloadWindowOf(store, record)?.closedUntil(now);
      if (until === undefined || isUrgentFor(store, record) || isEvicting?.(record)) return undefined;
      const message = `its reload window is closed, at least until ${timeText(until)}`;
      return { reason: 'window', until, message, event: 'RolloutHeld' };
    },
  };
}

/** The reload window of the workload; undefined: it may be rolled at any time. */
export function reloadWindowOf(store: Store, record: WorkloadRecord): ReloadWindow | undefined {
  return store.settings.vocabularies.reloadWindowOf(levelsOf(store, record));
}
