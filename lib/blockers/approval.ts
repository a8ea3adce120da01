/** The rollout needs an approval, and a person has not given the one for these contents. */

import { needsApproval, tokenOf } from '../annotations/gating.ts';
import { annotateCommand } from '../annotations/stage-news.ts';
import { describeAll, keyOf, type WorkloadRef } from '../model/object-ref.ts';
import { APPROVED_ANNOTATION } from '../model/workload.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { observedBy, outdatedObjects } from '../tracking/edge-policy.ts';
import { type Blocker, levelsOf, type Readers, untilChanged } from './blocker.ts';

/** What a rollout brings, for people, and the token of exactly that. */
interface Pending {
  readonly what: string;
  readonly token: string;
}

/** See the file's comment. */
export function approval({ store }: Readers): Blocker {
  return {
    name: 'approval',
    check: (record) => {
      const needed = approvalOf(store, record);
      const { annotations, ref } = record.workload;
      const given = annotations[APPROVED_ANNOTATION];
      if (needed === undefined || given === needed.token) return undefined;
      const { token, what, target } = needed;
      const why = given === undefined ? 'it needs an approval' : 'its approval is for another content';
      const command = annotateCommand({ ...ref, ...target }, `${APPROVED_ANNOTATION}=${token}`);
      const message = `${why}: ${command} lets ${what} go`;
      // The token of a plan is not that of the content which is applied then.
      const planned = `it needs an approval: reloader approve ${ref.kind.toLowerCase()}/${ref.name} -n ${ref.namespace}`;
      return { ...untilChanged('approval', message, 'ApprovalRequired'), token, planned };
    },
  };
}

/** The approval that the next rollout of the workload needs; undefined: none. `target`: the object whose annotation gives it. */
export function approvalOf(
  store: Store,
  record: WorkloadRecord,
): (Pending & { readonly target: Pick<WorkloadRef, 'kind' | 'name'> }) | undefined {
  const { workload } = record;
  if (!needsApproval(levelsOf(store, record))) return undefined;
  const target = (!store.settings.vocabularies.restarts(workload) && workload.referenced) || workload.ref;
  const pending = pendingOf(store, record);
  return pending && { ...pending, target };
}

/** What the next rollout of the workload brings; undefined: it needs none. */
export function pendingOf(store: Store, record: WorkloadRecord): Pending | undefined {
  const objects = outdatedObjects(store, record);
  if (objects.length === 0) return undefined;
  const digests = objects.map((each) => [keyOf(each.ref), observedBy(store, record, each) ?? ''] as const);
  return { what: describeAll(objects.map(({ ref }) => ref)), token: tokenOf(digests) };
}
