/** The settings of the election. */

import { formatDuration } from '../model/time.ts';
import type { FlagName } from './flags.ts';
import type { LeaderElection, Options } from './options.ts';
import type { Reader } from './reader.ts';
import { UsageError } from './usage-error.ts';
import * as types from './value-types.ts';

/** A retry period takes up to a fifth more, by chance. */
const LONGEST_RETRY = 1.2;

/** How the leader is elected; undefined: not at all, as where nothing is written. @throws UsageError */
export function leaderElectionFrom(
  reader: Reader,
  { stateConfigMap, dryRun }: Pick<Options, 'stateConfigMap' | 'dryRun'>,
): LeaderElection | undefined {
  const election: LeaderElection = {
    id: reader.one('leader-election-id', types.OBJECT_NAME) ?? stateConfigMap,
    namespace: reader.one('leader-election-namespace', types.NAMESPACE),
    leaseDurationMs: reader.one('leader-election-lease-duration', types.WHOLE_SECONDS) ?? 15_000,
    renewDeadlineMs: reader.one('leader-election-renew-deadline', types.DURATION) ?? 10_000,
    retryPeriodMs: reader.one('leader-election-retry-period', types.LASTING) ?? 2_000,
    releaseOnCancel: reader.one('leader-election-release-on-cancel', types.BOOLEAN) ?? true,
  };
  refuseDisorder(reader, election);
  return isWanted(reader) && !dryRun ? election : undefined;
}

/** Both names are read; what the command line says wins. */
function isWanted(reader: Reader): boolean {
  const names = ['leader-elect', 'leader-election'] as const;
  const [first] = names.filter((name) => reader.isOnCommandLine(name));
  const given = first ?? names.find((name) => reader.sourceOf(name) !== undefined);
  return (given && reader.one(given, types.BOOLEAN)) ?? true;
}

/** @throws UsageError unless a leader that cannot renew has stopped before another one takes over. */
function refuseDisorder(
  reader: Reader,
  { leaseDurationMs, renewDeadlineMs, retryPeriodMs }: LeaderElection,
): void {
  const [LEASE, RENEW, RETRY] = [
    'leader-election-lease-duration',
    'leader-election-renew-deadline',
    'leader-election-retry-period',
  ] as const;
  const placeOf = (flag: FlagName): string => reader.sourceOf(flag) ?? `--${flag}`;
  const got = (flag: FlagName, ms: number): string => `${formatDuration(ms)} of ${placeOf(flag)}`;
  if (renewDeadlineMs >= leaseDurationMs)
    throw new UsageError(
      `${placeOf(RENEW)}: expected less than the ${got(LEASE, leaseDurationMs)}, got ${formatDuration(renewDeadlineMs)}`,
    );
  if (retryPeriodMs * LONGEST_RETRY >= renewDeadlineMs)
    throw new UsageError(
      `${placeOf(RETRY)}: expected less than the ${got(RENEW, renewDeadlineMs)} by a fifth and more, got ${formatDuration(retryPeriodMs)}`,
    );
}
