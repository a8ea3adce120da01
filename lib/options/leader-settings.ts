/** The settings of the leader election. */

import { formatDuration } from '../model/time.ts';
import type { FlagName } from './flags.ts';
import { type LeaderElection, type Options, UsageError } from './options.ts';
import type { Reader } from './reader.ts';

const LEASE = 'leader-election-lease-duration';
const RENEW = 'leader-election-renew-deadline';
const RETRY = 'leader-election-retry-period';
/** With its jitter a retry period is up to a fifth longer. */
const LONGEST_RETRY = 1.2;

/** The election; undefined if it is off, or in a dry run, which writes nothing. @throws UsageError */
export function leaderElectionFrom(
  reader: Reader,
  { stateConfigMap, dryRun }: Pick<Options, 'stateConfigMap' | 'dryRun'>,
): LeaderElection | undefined {
  const election: LeaderElection = {
    id: reader.get('leader-election-id') ?? stateConfigMap,
    namespace: reader.get('leader-election-namespace'),
    leaseDurationMs: reader.get(LEASE),
    renewDeadlineMs: reader.get(RENEW),
    retryPeriodMs: reader.get(RETRY),
    releaseOnCancel: reader.get('leader-election-release-on-cancel'),
  };
  refuseDisorder(reader, election);
  return reader.get('leader-elect') && !dryRun ? election : undefined;
}

/**
 * @throws UsageError unless retry period < renew deadline < lease duration: a leader has to stop before another one takes over.
 */
function refuseDisorder(reader: Reader, election: LeaderElection): void {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = election;
  const got = (flag: FlagName, ms: number): string => `${formatDuration(ms)} of ${reader.placeOf(flag)}`;
  if (renewDeadlineMs >= leaseDurationMs)
    throw new UsageError(
      `${reader.placeOf(RENEW)}: expected less than the ${got(LEASE, leaseDurationMs)}, got ${formatDuration(renewDeadlineMs)}`,
    );
  if (retryPeriodMs * LONGEST_RETRY >= renewDeadlineMs)
    throw new UsageError(
      `${reader.placeOf(RETRY)}: expected less than the ${got(RENEW, renewDeadlineMs)} by a fifth and more, got ${formatDuration(retryPeriodMs)}`,
    );
}
