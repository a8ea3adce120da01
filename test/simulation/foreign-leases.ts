/** What people put in the place of the Lease. */

import type { LeaseStep } from './history.ts';

/** Who led in the cluster that a Lease and marks are copied from. */
export const COPIED_WRITER = 'replica_of_another_cluster';

/** By the word of the step. */
export const LEASES: Readonly<Record<Exclude<LeaseStep['to'], 'nothing'>, object | null>> = {
  empty: null,
  free: { holderIdentity: '' },
  foreign: { holderIdentity: 'another', leaseDurationSeconds: 15 },
  long: { holderIdentity: 'another', leaseDurationSeconds: 3600 },
  copied: {
    holderIdentity: COPIED_WRITER,
    leaseDurationSeconds: 15,
    renewTime: '2024-12-24T00:00:00.000000Z',
    leaseTransitions: 41,
  },
};
