/** The Lease of the leader, as the elector reads and writes it. */

import type { Reading, WriteResult } from '../model/outcome.ts';

/** The spec of a Lease. */
export interface LeaseRecord {
  /** Empty: the Lease is free. */
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  /** Both times are for people: the election never depends on them, since clocks differ. */
  readonly acquireTime: string;
  readonly renewTime: string;
  readonly leaseTransitions: number;
}

/** A Lease in one version. */
export interface LeaseVersion {
  readonly resourceVersion: string;
  /** undefined: the spec is empty or cannot be read. */
  readonly record: LeaseRecord | undefined;
}

/** Reads and writes one Lease. Never throws; the signal aborts a request. */
export interface LeaseClient {
  /** The present Lease, not from a cache. */
  read(signal: AbortSignal): Promise<Reading<LeaseVersion>>;
  create(record: LeaseRecord, signal: AbortSignal): Promise<WriteResult<LeaseVersion>>;
  /** Replaces the Lease, unless it has another version by then. */
  update(
    record: LeaseRecord,
    resourceVersion: string,
    signal: AbortSignal,
  ): Promise<WriteResult<LeaseVersion>>;
  /** Watches from that version; resolves when the Lease is released, deleted or has another holder, or the watch ends. */
  changed?(resourceVersion: string, signal: AbortSignal): Promise<void>;
}
