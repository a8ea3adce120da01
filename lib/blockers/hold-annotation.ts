/** A person holds the workload, its namespace, or an object that the workload is outdated on. */

import { heldUntil } from '../annotations/gating.ts';
import { describe } from '../model/object-ref.ts';
import type { Blocked } from '../model/outcome.ts';
import type { Annotations } from '../model/workload.ts';
import { outdatedObjects } from '../tracking/edge-policy.ts';
import { type Blocker, type Readers, timeText } from './blocker.ts';

/** See the file's comment. */
export function hold({ store }: Readers): Blocker {
  return {
    name: 'hold',
    check: (record, now) => {
      const { annotations, ref } = record.workload;
      const { namespace } = ref;
      return (
        holdBy(annotations, 'it', now) ??
        holdBy(store.namespaceAnnotations.get(namespace) ?? {}, `namespace ${namespace}`, now) ??
        outdatedObjects(store, record)
          .map((object) => holdBy(object.annotations, describe(object.ref), now))
          .find((held) => held !== undefined)
      );
    },
  };
}

/** The hold that these annotations of `who` ask for. */
export function holdBy(annotations: Annotations, who: string, now: number): Blocked | undefined {
  const until = heldUntil(annotations);
  if (until === undefined || until <= now) return undefined;
  const end = until === Number.POSITIVE_INFINITY ? 'its annotation hold is taken away' : timeText(until);
  return { reason: 'hold', until, message: `${who} is held until ${end}`, event: 'RolloutHeld' };
}
