/** The flags of the election: which of several processes acts. */

/** Their names. */
export type LeaderFlagName =
  | 'leader-elect'
  | 'leader-election'
  | 'leader-election-id'
  | 'leader-election-namespace'
  | 'leader-election-lease-duration'
  | 'leader-election-renew-deadline'
  | 'leader-election-retry-period'
  | 'leader-election-release-on-cancel';

/** The flags, as in the table of all flags. */
export const LEADER_FLAGS: readonly {
  readonly name: LeaderFlagName;
  readonly alias?: string;
  readonly value?: string;
  readonly help: string;
  readonly isStakaters?: 'alias';
}[] = [
  {
    name: 'leader-elect',
    alias: '--enable-ha',
    help: 'act only while holding a Lease, so that of several processes one acts (default: true)',
    isStakaters: 'alias',
  },
  { name: 'leader-election', help: 'the same as --leader-elect' },
  {
    name: 'leader-election-id',
    value: 'name',
    help: 'name of the Lease (default: that of the state ConfigMap)',
  },
  {
    name: 'leader-election-namespace',
    value: 'name',
    help: 'its namespace (default: that of the state ConfigMap)',
  },
  {
    name: 'leader-election-lease-duration',
    value: 'duration',
    help: 'how long others wait for a leader that does not renew the Lease (default: 15s)',
  },
  {
    name: 'leader-election-renew-deadline',
    value: 'duration',
    help: 'how long after its last renewal a leader stops to act (default: 10s)',
  },
  {
    name: 'leader-election-retry-period',
    value: 'duration',
    help: 'time between two tries to take or renew the Lease (default: 2s)',
  },
  {
    name: 'leader-election-release-on-cancel',
    help: 'release the Lease at the end, so that others need not wait (default: true)',
  },
];
