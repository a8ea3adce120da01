/** The data of the pages. Digests have their short form. */

import type { Finding } from './finding.ts';
import type { WatchStatus } from './health.ts';
import type { Blocked } from './outcome.ts';
import type { Reason, Verdict } from './reasons.ts';

/** Why the pods of a workload are taken to be out of date with an object. */
export type OutdatedBecause = 'content' | 'unknown';

/** One object that a workload follows. */
export interface FollowedStatus {
  readonly object: string;
  /** The first digits of the current digest; undefined while the object does not exist. */
  readonly observed: string | undefined;
  readonly committed: string | undefined;
  /** The running digest; `?` if it is unknown. */
  readonly runningDigest: string | undefined;
  readonly isOutdated: boolean;
  readonly why: OutdatedBecause | undefined;
  /** Whether its changes roll the workload, and why. */
  readonly policy: Verdict;
}

/** The states of a workload, the worst first. */
export const STATES = ['refused', 'halted', 'failing', 'waiting', 'unknown', 'rolling', 'healthy'] as const;

/** One of STATES. */
export type State = (typeof STATES)[number];

/** One workload that follows an object, or has a finding. */
export interface WorkloadStatus {
  readonly namespace: string;
  readonly workload: string;
  readonly state: State;
  readonly follows: readonly FollowedStatus[];
  readonly isOutdated: boolean;
  /** The age of the oldest pending change, in seconds. */
  readonly outdatedForSeconds?: number;
  /** Why it has not been rolled yet; `until`: when it is looked at again, in RFC 3339. */
  readonly waiting?: Pick<Blocked, 'reason' | 'message' | 'token'> & { readonly until?: string };
  /** Why expected rollouts do not happen; mostly empty. */
  readonly findings: readonly Finding[];
}

/** The change of one object that goes to its workloads in stages. */
export interface ChangeStatus {
  readonly namespace: string;
  readonly object: string;
  /** The present stage, from 1, of so many. */
  readonly stage: number;
  readonly stages: number;
  /** How many workloads the stages count, how many of them have begun, and how many have stayed ready. */
  readonly total: number;
  readonly begun: number;
  readonly ready: number;
  /** How many have not begun. */
  readonly waiting: number;
  /** Those that are not ready yet, and why; at most ten. */
  readonly unready: readonly { readonly workload: string; readonly why: string }[];
  /** Why nothing further begins, if a workload did not get ready, and how it goes on. */
  readonly halted?: string;
}

/** One decision, as it is shown. */
export interface Decision {
  /** RFC 3339. */
  readonly time: string;
  /** The level of its log line: `warn` asks for a person's attention. */
  readonly level: 'debug' | 'info' | 'warn';
  readonly reason: Reason;
  readonly message: string;
  readonly namespace?: string;
}

/** The process that leads. */
export interface LeaderReport {
  /** Whether this process is the leader. */
  readonly isThis: boolean;
  /** Its name; undefined if no leader is known. */
  readonly identity: string | undefined;
  /** For how long, as observed by this process. */
  readonly sinceSeconds?: number;
}

/** A kind of workload that a cluster may lack. */
export interface OptionalKindStatus {
  readonly kind: string;
  readonly state: 'served' | 'not served' | 'rights missing' | 'unavailable';
  /** The rule that is missing, or why it is not known whether the kind is served. */
  readonly problem?: string;
}

/** The whole report. */
export interface StatusReport {
  /** Undefined without an election. */
  readonly leader?: LeaderReport;
  readonly isReady: boolean;
  /** The reads and lists to complete before the first decision; empty when ready. */
  readonly waitingFor: readonly string[];
  readonly workloads: readonly WorkloadStatus[];
  /** The changes that go to their workloads in stages. */
  readonly changes: readonly ChangeStatus[];
  /** The newest first. */
  readonly decisions: readonly Decision[];
  /** One for each kind, or for each kind and namespace. */
  readonly watches: readonly WatchStatus[];
  /** The kinds that a cluster may lack. */
  readonly optionalKinds: readonly OptionalKindStatus[];
}
