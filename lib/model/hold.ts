/** What keeps a workload from replacing its pods by itself, and when they will be. */

import type { WorkloadRef } from './object-ref.ts';

/** One hold, as the spec asks for it. */
export type Hold =
  /** A Deployment that is paused. */
  | { readonly type: 'paused' }
  /** updateStrategy OnDelete. */
  | { readonly type: 'on-delete' }
  /** A StatefulSet whose rolling update ends at this ordinal. */
  | { readonly type: 'partition'; readonly partition: number };

/** When the pods of `workload` take what its template has now. */
export function whenTaken(hold: Hold, { kind, name }: WorkloadRef): string {
  switch (hold.type) {
    case 'paused':
      return `it is paused: its pods take it after kubectl rollout resume ${kind.toLowerCase()}/${name}`;
    case 'on-delete':
      return 'its updateStrategy is OnDelete: each pod takes it when it is deleted';
    case 'partition':
      return `its updateStrategy has a partition of ${hold.partition}: pods of a lower ordinal take it when the partition is lowered`;
  }
}
