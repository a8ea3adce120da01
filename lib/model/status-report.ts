/** The present state as the pages and the metrics show it. Digests in short form only. */

import type { Finding } from './finding.ts';
import type { WatchStatus } from './health.ts';
import type { Reason, Verdict } from './reasons.ts';

/** Why the pods of a workload are taken to be out of date with an object. */
export type OutdatedBecause = 'content' | 'changed-while-rolling' | 'unknown';

/** One object that a workload follows. */
export interface FollowedStatus {
  readonly object: string;
  /** The first digits of what is in force; undefined while the object does not exist. */
  readonly observed: string | undefined;
  readonly committed: string | undefined;
  /** What the pods are believed to run; `?` if that is unknown. */
  readonly runningDigest: string | undefined;
  readonly isOutdated: boolean;
  readonly why: OutdatedBecause | undefined;
  /** Whether its changes are rolled out to the workload, and why. */
  readonly policy: Verdict;
}

/** One workload that follows something, or against which something stands. */
export interface WorkloadStatus {
  readonly namespace: string;
  readonly workload: string;
  readonly follows: readonly FollowedStatus[];
  readonly isOutdated: boolean;
  /** For how long, in seconds. */
  readonly outdatedForSeconds?: number;
  /** What it waits for. */
  readonly waitsFor?:
    | 'quiet'
    | 'queued'
    | 'backoff'
    | 'external-rollout'
    | 'dependency'
    | 'selection'
    | 'change';
  readonly waitsForSeconds?: number;
  /** Why the last try failed. */
  readonly problem?: string;
  /** Why something that was expected does not happen; mostly empty. */
  readonly findings: readonly Finding[];
}

/** One decision, as it is shown. */
export interface Decision {
  /** RFC 3339. */
  readonly time: string;
  /** How it is logged: `warn` calls for a person's attention. */
  readonly level: 'debug' | 'info' | 'warn';
  readonly reason: Reason;
  readonly message: string;
  readonly namespace?: string;
}

/** The process that leads. */
export interface LeaderReport {
  /** Whether it is the one that is asked. */
  readonly isThis: boolean;
  /** Its name; undefined: none is known. */
  readonly identity: string | undefined;
  /** For how long, as far as it was seen here. */
  readonly sinceSeconds?: number;
}

/** The whole report. */
export interface StatusReport {
  /** Undefined: there is no election. */
  readonly leader?: LeaderReport;
  readonly isReady: boolean;
  /** What has to happen before decisions are made; empty when ready. */
  readonly waitingFor: readonly string[];
  readonly workloads: readonly WorkloadStatus[];
  /** The newest first. */
  readonly decisions: readonly Decision[];
  /** One for each kind, or for each kind and namespace. */
  readonly watches: readonly WatchStatus[];
}

/** What is true at the moment of a scrape. Kinds that are missing count as 0. */
export interface Snapshot {
  readonly configObjects: Readonly<Record<string, number>>;
  readonly workloads: Readonly<Record<string, number>>;
  /** Undefined: a standby, which does not know what is owed. */
  readonly work: WorkSnapshot | undefined;
}

/** What a leader knows besides. */
export interface WorkSnapshot {
  readonly edges: number;
  readonly outdatedEdges: number;
  /** 0 if nothing is owed. */
  readonly oldestOutdatedAgeSeconds: number;
  /** Workloads that are rolled so often that they wait longer. */
  readonly slowedWorkloads: number;
  readonly stateEntries: number;
  readonly stateOverrides: number;
  readonly stateBytes: number;
  /** How many ConfigMaps the state lies in. */
  readonly stateShards: number;
}
