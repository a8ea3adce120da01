/** The Lease of the leader: its record, as this process observed it, and the name under which a process holds it. */

import type { Reading, WriteResult } from '../model/outcome.ts';
import { monotonicMs } from '../model/time.ts';

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
}

/** The longest duration that a recorded Lease can claim: any client may write it. */
const LONGEST_LEASE_MS = 600_000;
/** Integers in a Lease have 32 bits. */
const TRANSITIONS_LIMIT = 2 ** 31;
const RELEASED_SECONDS = 1;

/** The last observed version, and its local time. */
export class ObservedLease {
  #lease: LeaseVersion | undefined;
  /** When this version was first observed, by monotonicMs. */
  #seenMs = 0;
  /** When the present holder was first observed, by monotonicMs. */
  holderSinceMs: number | undefined;
  /** The number of records made here, which makes each one differ from the last. */
  #records = 0;

  /** Observes the Lease; the same version again does not prolong it. @param lease undefined if the Lease does not exist */
  see(lease: LeaseVersion | undefined): void {
    if (lease?.resourceVersion !== this.#lease?.resourceVersion) this.#seenMs = monotonicMs();
    const before = this.holder;
    this.#lease = lease;
    if (this.holder !== before) this.holderSinceMs = this.holder === undefined ? undefined : monotonicMs();
  }

  get resourceVersion(): string | undefined {
    return this.#lease?.resourceVersion;
  }

  /** Undefined if the Lease is free, or none was observed. */
  get holder(): string | undefined {
    return this.#lease?.record?.holderIdentity || undefined;
  }

  /** How many times the holder has changed; 0 in place of an invalid number. */
  get transitions(): number {
    const transitions = this.#lease?.record?.leaseTransitions ?? 0;
    return Number.isSafeInteger(transitions) && transitions >= 0 ? transitions : 0;
  }

  /** When the Lease of another process expires if it does not change: after the longer of the own and the recorded duration. */
  expiryMs(ownDurationMs: number): number {
    const recordedMs = (this.#lease?.record?.leaseDurationSeconds ?? 0) * 1000;
    const waitMs = recordedMs > 0 ? Math.min(recordedMs, LONGEST_LEASE_MS) : 0;
    return this.#seenMs + Math.max(ownDurationMs, waitMs);
  }

  /** The record by which `identity` takes or renews the Lease now. */
  recordFor(identity: string, durationMs: number): LeaseRecord {
    this.#records += 1;
    // The microseconds count: an equal record, as after the time of day is set back, would be no renewal to other processes.
    const renewTime = new Date()
      .toISOString()
      .replace('Z', `${String(this.#records % 1000).padStart(3, '0')}Z`);
    const isOwn = this.holder === identity;
    const leaseTransitions = isOwn || this.#lease === undefined ? this.transitions : this.transitions + 1;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: durationMs / 1000,
      acquireTime: (isOwn && this.#lease?.record?.acquireTime) || renewTime,
      renewTime,
      leaseTransitions: leaseTransitions % TRANSITIONS_LIMIT,
    };
  }

  /** The record of a released Lease, which the next candidate may take at once. */
  releasedRecord(): LeaseRecord {
    return { ...this.recordFor('', RELEASED_SECONDS * 1000), leaseTransitions: this.transitions };
  }
}

const SEPARATOR = '_';

/**
 * The identity of a process, unique among all that may hold the Lease.
 *
 * @param name of the pod, or of the host.
 * @param token a random text, different in each process.
 */
export function leaderIdentity(name: string, podUid: string | undefined, token: string): string {
  return [name, podUid, token].filter((part) => part !== undefined && part !== '').join(SEPARATOR);
}

/** Whether `holder` is a process in the pod with that uid: a container that was there before this one. */
export function isInPod(holder: string, podUid: string): boolean {
  return holder.split(SEPARATOR).at(-2) === podUid;
}
