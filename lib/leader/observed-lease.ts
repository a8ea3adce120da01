/** What was seen of the Lease here, and when: the only times that count. */

import { monotonicMs } from '../model/time.ts';
import type { LeaseRecord, LeaseVersion } from './lease.ts';

/** A Lease that asks for more is not waited for any longer. */
const LONGEST_LEASE_MS = 600_000;
/** The numbers of a Lease are of 32 bits. */
const TRANSITIONS_LIMIT = 2 ** 31;
const RELEASED_SECONDS = 1;

/** The last version that was seen, by the local clock. */
export class ObservedLease {
  #lease: LeaseVersion | undefined;
  #seenMs = 0;
  #holderSinceMs: number | undefined;
  #records = 0;

  /** @param lease undefined: there is none. */
  see(lease: LeaseVersion | undefined): void {
    if (lease?.resourceVersion !== this.#lease?.resourceVersion) this.#seenMs = monotonicMs();
    const before = this.holder;
    this.#lease = lease;
    if (this.holder !== before) this.#holderSinceMs = this.holder === undefined ? undefined : monotonicMs();
  }

  get resourceVersion(): string | undefined {
    return this.#lease?.resourceVersion;
  }

  /** undefined: the Lease is free, or none was seen. */
  get holder(): string | undefined {
    return this.#lease?.record?.holderIdentity || undefined;
  }

  /** When the holder was first seen as such, by monotonicMs. */
  get holderSinceMs(): number | undefined {
    return this.#holderSinceMs;
  }

  /** How many times the Lease went to another holder; 0 in place of what is no such number. */
  get transitions(): number {
    const transitions = this.#lease?.record?.leaseTransitions ?? 0;
    return Number.isSafeInteger(transitions) && transitions >= 0 ? transitions : 0;
  }

  /** When another's Lease may be taken if it does not change until then: the longer of the own and the recorded duration. */
  expiryMs(ownDurationMs: number): number {
    const recordedMs = (this.#lease?.record?.leaseDurationSeconds ?? 0) * 1000;
    const waitMs = recordedMs > 0 ? Math.min(recordedMs, LONGEST_LEASE_MS) : 0;
    return this.#seenMs + Math.max(ownDurationMs, waitMs);
  }

  /** The record with which `identity` takes or renews it now. */
  recordFor(identity: string, durationMs: number): LeaseRecord {
    this.#records += 1;
    const renewTime = timeOfDay(this.#records);
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

  /** The record of a Lease that the next one may take at once. */
  releasedRecord(): LeaseRecord {
    return { ...this.recordFor('', RELEASED_SECONDS * 1000), leaseTransitions: this.transitions };
  }
}

/**
 * With microseconds, as the API server wants it. These count: a record that is the same as the one before is no change to the
 * API server, and others would not see the renewal; whatever is done to the time of day.
 */
function timeOfDay(count: number): string {
  return new Date().toISOString().replace('Z', `${String(count % 1000).padStart(3, '0')}Z`);
}
