/** The Lease that says who leads, as the elector reads and writes it. */

import type { WriteResult } from '../model/outcome.ts';

/** What a Lease says of its holder. */
export interface LeaseRecord {
  /** Empty: the Lease is free. */
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  /** Both times are for people: nothing is decided by them. */
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

/** `absent` only where the API server says that there is none; everything else that is no answer is `failed`. */
export type LeaseReading =
  | { readonly kind: 'found'; readonly lease: LeaseVersion }
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'failed';
      readonly message: string;
      /** The service account may not read it. */
      readonly isForbidden?: boolean;
    };

/** Knows how to read and write one Lease. Never throws; the signal ends a request. */
export interface LeaseClient {
  /** The Lease as it is now, from no cache. */
  read(signal: AbortSignal): Promise<LeaseReading>;
  create(record: LeaseRecord, signal: AbortSignal): Promise<WriteResult<LeaseVersion>>;
  /** Changes it, unless it has another version by then. */
  update(
    record: LeaseRecord,
    resourceVersion: string,
    signal: AbortSignal,
  ): Promise<WriteResult<LeaseVersion>>;
  /** Resolves when the Lease, which had that version, is released, gone or another's, or the watch has ended. */
  changed?(resourceVersion: string, signal: AbortSignal): Promise<void>;
}
