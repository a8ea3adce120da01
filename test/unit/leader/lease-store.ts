/** One Lease in memory, and the ways there. */

import { isDeepStrictEqual } from 'node:util';
import type { LeaseClient, LeaseRecord, LeaseVersion } from '../../../lib/leader/lease.ts';
import type { FailedRead, Reading, WriteResult } from '../../../lib/model/outcome.ts';

/** What happens to one request; times in ms. */
export interface Passage {
  readonly thereMs?: number;
  readonly backMs?: number;
  /** It never arrives, or its answer does not; the one who asks is told nothing. */
  readonly isLost?: 'request' | 'answer';
  /** As an API server that says so at once. */
  readonly answer?: FailedRead | Exclude<WriteResult<never>, { kind: 'accepted' }>;
}

/** One request as it was sent. */
export interface Sent {
  readonly by: string;
  readonly verb: 'read' | 'create' | 'update';
  readonly record?: LeaseRecord;
}

/** Knows the Lease, and all that was asked. */
export class LeaseStore {
  lease: LeaseVersion | undefined;
  readonly sent: Sent[] = [];
  /** The passage of the next request of a client. */
  passage: (sent: Sent) => Passage = () => ({});
  #version = 0;

  /** Writes whatever it is, as a person does. */
  put(record: LeaseRecord | undefined): LeaseVersion {
    // As at the API server: what changes nothing makes no version.
    if (this.lease !== undefined && isDeepStrictEqual(this.lease.record, record)) return this.lease;
    this.#version += 1;
    this.lease = { resourceVersion: String(this.#version), record };
    return this.lease;
  }

  remove(): void {
    this.lease = undefined;
  }

  /** The verbs that were sent by one client, in order. */
  verbsOf(by: string): string[] {
    return this.sent.filter((sent) => sent.by === by).map(({ verb }) => verb);
  }

  client(by: string): LeaseClient {
    const cut: FailedRead = { kind: 'failed', message: 'cut' };
    const none: WriteResult<LeaseVersion> = { kind: 'unanswered', message: 'cut' };
    return {
      read: (signal) =>
        this.#carry<Reading<LeaseVersion>>({ by, verb: 'read' }, signal, cut, () => {
          return this.lease === undefined ? { kind: 'absent' } : { kind: 'found', object: this.lease };
        }),
      create: (record, signal) =>
        this.#carry<WriteResult<LeaseVersion>>({ by, verb: 'create', record }, signal, none, () => {
          return this.lease === undefined
            ? { kind: 'accepted', object: this.put(record) }
            : { kind: 'conflict' };
        }),
      update: (record, version, signal) =>
        this.#carry<WriteResult<LeaseVersion>>({ by, verb: 'update', record }, signal, none, () => {
          if (this.lease === undefined) return { kind: 'gone' };
          if (this.lease.resourceVersion !== version) return { kind: 'conflict' };
          return { kind: 'accepted', object: this.put(record) };
        }),
    };
  }

  /** Carries a request there and its answer back; without an answer it hangs until the signal ends it. */
  async #carry<T>(sent: Sent, signal: AbortSignal, none: T, act: () => T): Promise<T> {
    this.sent.push(sent);
    const { thereMs = 0, backMs = 0, isLost, answer } = this.passage(sent);
    const ended = new Promise<T>((resolve) => signal.addEventListener('abort', () => resolve(none)));
    const arrived = async (): Promise<T> => {
      if (isLost === 'request') return await ended;
      await later(thereMs);
      const result = (answer as T | undefined) ?? act();
      if (isLost === 'answer') return await ended;
      await later(backMs);
      return result;
    };
    // An answer comes however late it is: whether it counts is for the one who asked.
    return await arrived();
  }
}

async function later(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
