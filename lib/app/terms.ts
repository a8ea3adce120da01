/**
 * The terms of a process. It follows what happens all the time; while it leads, a reloader acts on it. A term begins with a
 * fenced write of its mark to the state, so that a late write of the leader before is refused, and with a look at what the
 * caches may be too old to know of. It ends without a list: the next reloader is told what the last one has seen.
 */

import type { LeadEnd, Leadership } from '../leader/elector.ts';
import type { Log } from '../model/log.ts';
import type { TermMark } from '../model/term.ts';
import { backoffMs, LATER_BACKOFF } from '../model/time.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import { beginTerm } from '../state/begin-term.ts';
import type { AllShards, StateClient } from '../store/state-client.ts';
import type { Reloader } from './reloader.ts';

/** How a run ended: as asked, or because the process cannot go on, which the log says. */
export type RunEnd = 'stopped' | 'failed';

/** What one term works with. */
export interface Term {
  readonly lead: Leadership;
  readonly stateClient: StateClient;
  /** What each write of the state is marked with. */
  readonly mark: TermMark;
  /** Another process has written the state. */
  readonly onContested: (other: TermMark) => void;
  readonly onUnknownVersion: (version: string) => void;
}

/** What it is made of. */
export interface TermsOptions {
  /** Who writes, as the state says it. */
  readonly identity: string;
  /** Runs `lead` for as long as this process leads, until `signal` is aborted; tells if it does not at first. */
  readonly elect: (
    signal: AbortSignal,
    lead: (lead: Leadership) => Promise<LeadEnd>,
    onStandby: () => void,
  ) => Promise<void>;
  readonly storeFor: (lead: Leadership) => StateClient;
  readonly newLeader: (term: Term) => Reloader;
  readonly newStandby: () => Reloader;
  readonly log: Log;
  readonly random: () => number;
}

/** See the file's comment. */
export class Terms {
  readonly #options: TermsOptions;
  readonly #failure = new AbortController();
  #current: Reloader;
  #isBeginning = false;

  constructor(options: TermsOptions) {
    this.#options = options;
    this.#current = options.newStandby();
  }

  /** The reloader that follows what happens now, as a leader or as a standby. */
  get current(): Reloader {
    return this.#current;
  }

  /** Whether it is to lead and does not yet. */
  get isBeginning(): boolean {
    return this.#isBeginning;
  }

  /**
   * Leads as soon as it may, and runs the streams as soon as that is known, until `signal` is aborted and what was under way is
   * finished. `runStreams` resolves when all streams have ended.
   */
  async run(signal: AbortSignal, runStreams: (signal: AbortSignal) => Promise<void>): Promise<RunEnd> {
    const failure = this.#failure.signal;
    const both = AbortSignal.any([signal, failure]);
    const { promise: isDecided, resolve } = Promise.withResolvers<void>();
    const leading = this.#options.elect(both, (lead) => this.#lead(lead, resolve), resolve);
    await Promise.race([isDecided, leading]);
    if (!both.aborted) await runStreams(both);
    await leading;
    return failure.aborted ? 'failed' : 'stopped';
  }

  /** The versions of `what` have gone back: all that is known is of another history. */
  turnBack(what: string): void {
    this.#fail(
      `the versions of ${what} have gone back, as after a restore of etcd from a backup: this process ends, and the next one compares everything anew`,
    );
  }

  /** The process cannot go on: from now on nothing is sent but the release of the Lease, and the run ends. */
  #fail(message: string): void {
    if (!this.#failure.signal.aborted) this.#options.log.error(message);
    this.#failure.abort();
  }

  async #lead({ signal, isValid }: Leadership, onBegun: () => void): Promise<LeadEnd> {
    const { identity, newLeader, newStandby, storeFor } = this.#options;
    const contest = new AbortController();
    const over = AbortSignal.any([contest.signal, this.#failure.signal]);
    const ends = AbortSignal.any([signal, over]);
    const lead = { signal: ends, isValid: () => isValid() && !over.aborted };
    const stateClient = storeFor(lead);
    this.#isBeginning = true;
    const begun = await this.#begin(stateClient, ends);
    this.#isBeginning = false;
    if (begun === undefined) return 'ended';
    const mark = { term: begun.term, writer: identity };
    const onContested = (other: TermMark): void => {
      this.#logUnhealthy(other, mark);
      contest.abort();
    };
    const onUnknownVersion = (version: string): void =>
      this.#fail(
        `the state was written by a later version of this program (state version ${version}): run that version, or delete the ConfigMaps of the state to take the present content as the baseline`,
      );
    const leader = newLeader({ lead, stateClient, mark, onContested, onUnknownVersion });
    leader.begin(begun.shards);
    leader.takeOver(this.#current);
    this.#current = leader;
    onBegun();
    await aborted(ends);
    if (lead.isValid()) {
      await leader.finish();
      return 'ended';
    }
    leader.abandon();
    this.#current = newStandby();
    this.#current.takeOver(leader);
    return contest.signal.aborted ? 'contested' : 'ended';
  }

  #logUnhealthy(other: TermMark, own: TermMark): void {
    this.#options.log.warn(
      `another process writes the state (${other.writer}, term ${other.term}): this one (${own.writer}, term ${own.term}) stops, and stands again later`,
    );
  }

  /** Writes the term's mark and looks at what the caches may not know; undefined if the lead ends before. */
  async #begin(
    stateClient: StateClient,
    signal: AbortSignal,
  ): Promise<{ readonly term: number; readonly shards: AllShards } | undefined> {
    const { identity, log, random } = this.#options;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const begun = await beginTerm({ stateClient, identity, signal });
      if (signal.aborted) return undefined;
      if (begun.kind === 'begun' && (await this.#current.catchUp(begun.shards))) return begun;
      const error = begun.kind === 'failed' ? begun.message : 'an object that has changed cannot be read';
      const retryAfterMs = begun.kind === 'failed' ? (begun.retryAfterMs ?? 0) : 0;
      const ms = Math.max(retryAfterMs, backoffMs(attempt, LATER_BACKOFF, random));
      const fields = { error, server: stateClient.server, retryInMs: ms };
      log.warn('the state cannot be read, nothing is decided before it is', fields);
      await sleep(ms, signal);
    }
    return undefined;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
