/** A person rolls the workload: the reloader only says that it is outdated. */

import { isNotifyOnly } from '../annotations/gating.ts';
import { pendingOf } from './approval.ts';
import { type Blocker, levelsOf, type Readers, untilChanged } from './blocker.ts';

/** See the file's comment. */
export function notifyOnly({ store }: Readers): Blocker {
  return {
    name: 'notify-only',
    check: (record) => {
      const pending = pendingOf(store, record);
      if (pending === undefined || !isNotifyOnly(levelsOf(store, record))) return undefined;
      const message = `it is notify-only, and out of date with ${pending.what} (${pending.token})`;
      return { ...untilChanged('notify-only', message, 'RolloutNeeded'), by: 'person', token: pending.token };
    },
  };
}
