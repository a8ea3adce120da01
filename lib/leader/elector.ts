/**
 * Leader election by a Lease, by the contract of client-go's leaderelection. A change of the record is timed by the local
 * monotonic clock, never by the times in the record, so the clocks of different machines need not agree. As there, a Lease
 * alone cannot prevent two leaders for a moment: the fence of the state does.
 */

import type { Log } from '../model/log.ts';
import type { Reading, WriteResult } from '../model/outcome.ts';
import type { ElectionTimes } from '../model/settings.ts';
import { monotonicMs } from '../model/time.ts';
import { isOlder } from '../model/timeline.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import { isInPod, type LeaseClient, type LeaseRecord, type LeaseVersion, ObservedLease } from './lease.ts';
import { Term, within } from './term.ts';

/** The lead as the leading code sees it. */
export interface Leadership {
  /** Aborted when the lead is lost, and when the process is to end; in the latter case the lead is still valid. */
  readonly signal: AbortSignal;
  /** Whether the lead is still valid at this moment: the last successful renewal was sent less than the renew deadline ago. */
  readonly isValid: () => boolean;
}

/** Why the leading code ended: `ended` on request, `contested` because another process acts although this one leads. */
export type LeadEnd = 'ended' | 'contested';

/** The parts and times of an elector. */
export interface ElectorOptions extends ElectionTimes {
  /** Undefined: no other process contends, and this one leads at once. */
  readonly lease: LeaseClient | undefined;
  /** See leaderIdentity. */
  readonly identity: string;
  /** The uid of this process's pod; undefined outside a pod. */
  readonly podUid?: string | undefined;
  /** As Math.random. */
  readonly random: () => number;
  readonly log: Log;
  /** Called when the leader changes. */
  readonly onChange?: (status: LeaderStatus) => void;
  /** Called when the version of the Lease has gone back, as after a restore of etcd: the process should end. */
  readonly onTurnedBack?: () => void;
}

/** The leader, as far as this process knows it. */
export interface LeaderStatus {
  readonly isLeader: boolean;
  readonly holder: string | undefined;
  /** When the present holder was first seen here, by monotonicMs. */
  readonly sinceMs: number | undefined;
}

/** The result of one attempt to take or renew the Lease. */
type Try =
  | { readonly kind: 'held'; readonly sentMs: number }
  /** Another process holds it. */
  | { readonly kind: 'others' }
  | { readonly kind: 'failed'; readonly message: string; readonly isForbidden?: boolean };

/** How long a process without a Lease stays away from a state that another process writes. */
const CONTESTED_MS = 10_000;

/** The share by which a pause is randomly longer, so that candidates do not write at the same time. */
const JITTER = 0.2;
/** The longest pause between two reads: it bounds how long a released Lease stays unnoticed. */
const LONGEST_POLL_MS = 5_000;
/** How long an API server that has just started, or has not yet received a new Role, may refuse a granted right. */
export const RBAC_LAG_MS = 30_000;
const NO_NAMESPACE = 'the namespace of the Lease is not there';
const TURNED_BACK = { kind: 'failed', message: 'its version has gone back' } as const;
const TOO_LATE = { kind: 'failed', message: 'there was no answer in time' } as const;
const WITHOUT_RIGHT =
  'this process leads alone, whatever others do: it may not get, create and update leases of coordination.k8s.io';

/** One candidate for the lead; `run` is called once. It has at most one request under way. */
export class Elector {
  readonly #options: ElectorOptions;
  readonly #observed = new ObservedLease();
  /** The version after the last write, if that was answered: a renewal then needs no read. */
  #written: string | undefined;
  #term: Term | undefined;
  /** Whether the recorded holder may be a former container of this pod, which cannot renew any more. */
  #isFirstLook = true;
  /** The problem that was logged last, until it is over. */
  #problem = '';
  /** Since when each answer has been that a right is missing, by monotonicMs. */
  #forbiddenSinceMs = Number.POSITIVE_INFINITY;
  #reported: LeaderStatus | undefined;

  constructor(options: ElectorOptions) {
    this.#options = options;
  }

  /** See ElectorOptions. */
  get identity(): string {
    return this.#options.identity;
  }

  /** The present leader. */
  get status(): LeaderStatus {
    const isLeader = this.#term?.isValid() ?? false;
    const { holder, holderSinceMs } = this.#observed;
    const { identity } = this;
    if (this.#term?.isAlone === true) return { isLeader, holder: identity, sinceMs: this.#term.beganMs };
    // The process's own record, once it could not renew it, names no leader.
    if (!isLeader && holder === identity) return { isLeader, holder: undefined, sinceMs: undefined };
    return { isLeader, holder, sinceMs: holderSinceMs };
  }

  /**
   * Is a candidate until `signal` is aborted. While it holds the Lease it runs `lead` and awaits its end; during a graceful end
   * of the process it goes on renewing. It calls `onStandby` after each attempt that failed or found another holder. Never
   * rejects.
   */
  async run(
    signal: AbortSignal,
    lead: (leadership: Leadership) => Promise<LeadEnd>,
    onStandby: () => void,
  ): Promise<void> {
    while (!signal.aborted) {
      const term = await this.#awaitLead(signal, onStandby);
      if (term === undefined) return;
      this.#term = term;
      this.#report();
      const end = await this.#hold(term, lead);
      const awayMs = term.isAlone ? CONTESTED_MS : this.#options.leaseDurationMs;
      const pauseMs = end === 'contested' ? awayMs : this.#pauseMs();
      if (!signal.aborted) await sleep(pauseMs, signal);
    }
  }

  /** Waits for a lead and returns its term; undefined if the process ends before. */
  async #awaitLead(signal: AbortSignal, onStandby: () => void): Promise<Term | undefined> {
    const { renewDeadlineMs } = this.#options;
    while (!signal.aborted) {
      const result = await this.#try(monotonicMs() + renewDeadlineMs, signal);
      if (result.kind === 'held') return new Term(result.sentMs + renewDeadlineMs, signal);
      if (this.#lacksRight(result)) {
        this.#logUnhealthy(WITHOUT_RIGHT, 'forbidden');
        return new Term(Number.POSITIVE_INFINITY, signal);
      }
      if (signal.aborted) break;
      this.#report(result);
      onStandby();
      await this.#awaitTurn(signal);
    }
    return undefined;
  }

  /** Whether the right has been missing for longer than RBAC may lag; then the process leads without a Lease. */
  #lacksRight(result: Try): boolean {
    const isForbidden = result.kind === 'failed' && result.isForbidden === true;
    if (!isForbidden) this.#forbiddenSinceMs = Number.POSITIVE_INFINITY;
    else this.#forbiddenSinceMs = Math.min(this.#forbiddenSinceMs, monotonicMs());
    return monotonicMs() - this.#forbiddenSinceMs >= RBAC_LAG_MS;
  }

  /** Waits until the Lease of another process has expired, at most for the retry period. */
  async #awaitTurn(end: AbortSignal): Promise<void> {
    const leftMs = this.#observed.expiryMs(this.#options.leaseDurationMs) - monotonicMs();
    await sleep(Math.min(this.#pauseMs(), LONGEST_POLL_MS, leftMs > 0 ? leftMs : LONGEST_POLL_MS), end);
  }

  /** Renews the Lease while `lead` runs; then releases it, unless it was lost. */
  async #hold(term: Term, lead: (leadership: Leadership) => Promise<LeadEnd>): Promise<LeadEnd> {
    const { log, identity, lease } = this.#options;
    const done = new AbortController();
    if (lease !== undefined) log.info('became the leader', { identity });
    const work = this.#work(term, lead).finally(() => done.abort());
    const isKept = term.isAlone || (await this.#renew(term, done.signal));
    if (!isKept) {
      term.finish();
      this.#report();
      log.warn('lost the lead: the Lease was not renewed in time, or another process holds it');
    }
    const end = await work;
    const { validUntilMs } = term;
    term.finish();
    this.#term = undefined;
    if (isKept && !term.isAlone) await this.#release(validUntilMs);
    this.#report();
    if (lease !== undefined) log.info('stopped leading', { identity });
    return end;
  }

  async #work(term: Term, lead: (leadership: Leadership) => Promise<LeadEnd>): Promise<LeadEnd> {
    if (term.signal.aborted) return 'ended';
    try {
      return await lead(term);
    } catch (error) {
      this.#options.log.error('stopped leading: internal error', { error: String(error) });
      return 'contested';
    }
  }

  /** Resolves with true when `done` is aborted, with false when the lead is lost. */
  async #renew(term: Term, done: AbortSignal): Promise<boolean> {
    const { renewDeadlineMs } = this.#options;
    let nextMs = term.validUntilMs - renewDeadlineMs + this.#pauseMs();
    while (!done.aborted) {
      await sleep(Math.min(nextMs, term.validUntilMs) - monotonicMs(), done);
      if (done.aborted) break;
      // The process may have been stopped for a while: send nothing for a lead that has expired.
      if (!term.isValid()) return false;
      nextMs = monotonicMs() + this.#pauseMs();
      const result = await this.#try(term.validUntilMs);
      if (result.kind === 'others') return false;
      if (result.kind === 'held') term.validUntilMs = result.sentMs + renewDeadlineMs;
      this.#report(result);
    }
    return true;
  }

  /**
   * Takes or renews the Lease if it is free, expired or already held by this process. After `untilMs` it sends and awaits no request;
   * `end` aborts reads.
   */
  async #try(untilMs: number, end?: AbortSignal): Promise<Try> {
    const { lease } = this.#options;
    if (lease === undefined) return { kind: 'held', sentMs: Number.POSITIVE_INFINITY };
    if (this.#written !== undefined) {
      const result = await this.#write(untilMs, this.#written);
      if (result !== 'changed') return result;
    }
    const answer = await within(untilMs - monotonicMs(), end, (signal) => lease.read(signal));
    const reading: Reading<LeaseVersion> = answer ?? TOO_LATE;
    if (reading.kind === 'failed') return reading;
    const { resourceVersion: known = '' } = this.#observed;
    if (reading.kind === 'found' && isOlder(reading.object.resourceVersion, known)) {
      this.#options.onTurnedBack?.();
      return TURNED_BACK;
    }
    this.#observed.see(reading.kind === 'found' ? reading.object : undefined);
    const { holder, resourceVersion } = this.#observed;
    if (!this.#mayTakeFrom(holder)) return { kind: 'others' };
    const result = await this.#write(untilMs, resourceVersion);
    return result === 'changed' ? { kind: 'failed', message: 'another process wrote first' } : result;
  }

  /** Whether the Lease is free, expired, held by this process, or at the first read held by a former container of this pod. */
  #mayTakeFrom(holder: string | undefined): boolean {
    const { identity, podUid, leaseDurationMs } = this.#options;
    const isFirstLook = this.#isFirstLook;
    this.#isFirstLook = false;
    if (holder === undefined || holder === identity) return true;
    if (isFirstLook && podUid !== undefined && isInPod(holder, podUid)) return true;
    return monotonicMs() >= this.#observed.expiryMs(leaseDurationMs);
  }

  /** @param version of the Lease to be replaced; undefined creates it */
  async #write(untilMs: number, version: string | undefined): Promise<Try | 'changed'> {
    const { identity, leaseDurationMs } = this.#options;
    const record = this.#observed.recordFor(identity, leaseDurationMs);
    const sentMs = monotonicMs();
    // Not aborted when the process ends: if it took the Lease without knowing, all others would have to wait for its expiry.
    const result = await this.#send(untilMs, record, version);
    if (result.kind === 'accepted') return { kind: 'held', sentMs };
    if (result.kind === 'gone' && version === undefined) return { kind: 'failed', message: NO_NAMESPACE };
    if (result.kind === 'conflict' || result.kind === 'gone') return 'changed';
    const isForbidden = result.kind === 'rejected' && result.code === 'forbidden';
    return { kind: 'failed', message: result.message, ...(isForbidden ? { isForbidden } : {}) };
  }

  /** The last request of a lead; after a renewal without an answer the Lease expires by itself. */
  async #release(untilMs: number): Promise<void> {
    if (this.#written === undefined) return;
    await this.#send(untilMs, this.#observed.releasedRecord(), this.#written);
    this.#written = undefined;
  }

  async #send(
    untilMs: number,
    record: LeaseRecord,
    version: string | undefined,
  ): Promise<WriteResult<LeaseVersion>> {
    const { lease } = this.#options;
    this.#written = undefined;
    const result = await within(untilMs - monotonicMs(), undefined, async (signal) =>
      version === undefined ? lease?.create(record, signal) : lease?.update(record, version, signal),
    );
    if (result?.kind === 'accepted') {
      this.#observed.see(result.object);
      this.#written = result.object.resourceVersion;
    }
    return result ?? { kind: 'unanswered', message: TOO_LATE.message };
  }

  #pauseMs(): number {
    const { retryPeriodMs, random } = this.#options;
    return retryPeriodMs * (1 + JITTER * random());
  }

  /** Logs once why the Lease cannot be used, and again when the reason changes. */
  #logUnhealthy(message: string, error: string): void {
    const problem = `${message}: ${error}`;
    if (this.#problem !== problem) this.#options.log.warn(message, { error });
    this.#problem = problem;
  }

  /** Reports a change of the leader, and logs a failed attempt. */
  #report(result?: Try): void {
    if (result?.kind === 'failed') this.#logUnhealthy('the Lease cannot be taken or renewed', result.message);
    else if (result !== undefined) this.#problem = '';
    const { status } = this;
    const reported = this.#reported;
    if (reported?.isLeader === status.isLeader && reported.holder === status.holder) return;
    this.#reported = status;
    this.#options.onChange?.(status);
  }
}
