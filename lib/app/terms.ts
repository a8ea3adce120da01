/**
 * Begins and ends the terms of a process. A term begins with a fenced write of its mark to the state, so that a late write of
 * the previous leader is refused. Then its reloader starts like that of a new process: the streams list everything anew, for
 * what a standby has in memory may be older than the state.
 */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { KubernetesLease } from '../kubernetes/lease-client.ts';
import { Elector, type LeadEnd, type Leadership } from '../leader/elector.ts';
import { leaderIdentity } from '../leader/lease.ts';
import type { Log } from '../model/log.ts';
import type { FailedRead } from '../model/outcome.ts';
import type { ElectionTimes } from '../model/settings.ts';
import type { TermMark } from '../model/shards.ts';
import { backoffMs, LATER_BACKOFF } from '../model/time.ts';
import type { LeaderElection } from '../options/options.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import { type BegunTerm, beginTerm, isOfLaterVersion } from '../state/begin-term.ts';
import type { DigestKeys } from '../state/digest-keys.ts';
import { type KeyedStateClient, readShards } from '../store/state-client.ts';
import type { Parts, Place } from './assembly.ts';
import type { Reloader } from './reloader.ts';

/** How a run ended: as requested, or because the process cannot go on, for the reason in the log. */
export type RunEnd = 'stopped' | 'failed';

/** The lead, the state and the mark of one term. */
export interface Term {
  readonly lead: Leadership;
  readonly stateClient: KeyedStateClient;
  /** The mark that each write of the state carries. */
  readonly mark: TermMark;
  /** Called if the state carries the mark of another process: ends the term without further writes. */
  readonly onContested: (other: TermMark) => void;
  /** Called if a later version of this program wrote the state: ends the process. */
  readonly onUnknownVersion: (version: string) => void;
}

/** The collaborators of `Terms`. */
export interface TermsOptions {
  readonly election: Pick<Elector, 'identity' | 'run'>;
  readonly storeFor: (lead: Leadership) => KeyedStateClient;
  readonly newLeader: (term: Term) => Reloader;
  readonly newStandby: () => Reloader;
  readonly keys: Pick<DigestKeys, 'areKnown' | 'read' | 'isReplaced'>;
  readonly log: Log;
  readonly random: () => number;
}

/** See the file's comment. */
export class Terms {
  readonly #options: TermsOptions;
  readonly #failure = new AbortController();
  #current: Reloader;
  #replaced = new AbortController();
  #isBeginning = false;

  constructor(options: TermsOptions) {
    this.#options = options;
    this.#current = options.newStandby();
  }

  /** The reloader that observes the streams now, as a leader or as a standby. */
  get current(): Reloader {
    return this.#current;
  }

  /** Aborted when another reloader takes the place of the current one. */
  get replaced(): AbortSignal {
    return this.#replaced.signal;
  }

  /** Whether the lead is won and the term has not begun yet. */
  get isBeginning(): boolean {
    return this.#isBeginning;
  }

  /**
   * Runs until `signal` is aborted and the work under way is finished. The streams begin once the first term has begun or
   * another process leads: a leader has to know the state before the first object arrives. `runStreams` resolves when all
   * streams have ended.
   */
  async run(signal: AbortSignal, runStreams: (signal: AbortSignal) => Promise<void>): Promise<RunEnd> {
    const failure = this.#failure.signal;
    const both = AbortSignal.any([signal, failure]);
    const { promise: isDecided, resolve } = Promise.withResolvers<void>();
    const leading = this.#options.election.run(both, (lead) => this.#lead(lead, resolve), resolve);
    await Promise.race([isDecided, leading]);
    await this.#readKeys(both);
    if (!both.aborted) await runStreams(both);
    await leading;
    return failure.aborted ? 'failed' : 'stopped';
  }

  /** The resourceVersions of `what` have gone back: the caches describe a history that does not exist any more. */
  turnBack(what: string): void {
    this.#fail(
      `the versions of ${what} have gone back, as after a restore of etcd from a backup: this process ends, and the next one compares everything anew`,
    );
  }

  /** A standby reads the keys before its streams begin: no object can be digested without them. */
  async #readKeys(signal: AbortSignal): Promise<void> {
    const { keys, storeFor } = this.#options;
    const stateClient = storeFor({ signal, isValid: () => true });
    await this.#untilRead(stateClient, signal, async () => {
      if (keys.areKnown) return undefined;
      const reading = await readShards(stateClient, signal);
      return reading.kind === 'failed' ? reading : await keys.read(stateClient.keys, reading.shards, signal);
    });
  }

  /** The result of `read`, which is repeated while it fails; undefined if `signal` is aborted first. */
  async #untilRead(
    { server }: KeyedStateClient,
    signal: AbortSignal,
    read: () => Promise<BegunTerm | FailedRead | undefined>,
  ): Promise<BegunTerm | undefined> {
    const { log, random } = this.#options;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const result = await read();
      if (result?.kind !== 'failed') return result;
      const ms = Math.max(result.retryAfterMs ?? 0, backoffMs(attempt, LATER_BACKOFF, random));
      const fields = { error: result.message, server, retryInMs: ms };
      log.warn('cannot read the state; nothing is rolled until it is read', fields);
      await sleep(ms, signal);
    }
    return undefined;
  }

  /** Ends the run: from now on nothing is sent, except that the elector gives up the Lease. */
  #fail(message: string): void {
    if (!this.#failure.signal.aborted) this.#options.log.error(message);
    this.#failure.abort();
  }

  /**
   * One term, from the begin to the end of `signal`. If the lead is still valid at its end, the leader finishes its work;
   * otherwise it is abandoned at once and a standby takes its place.
   */
  async #lead({ signal, isValid }: Leadership, onBegun: () => void): Promise<LeadEnd> {
    const { newLeader, storeFor, log } = this.#options;
    const { identity } = this.#options.election;
    const contest = new AbortController();
    const over = AbortSignal.any([contest.signal, this.#failure.signal]);
    const ends = AbortSignal.any([signal, over]);
    const lead = { signal: ends, isValid: () => isValid() && !over.aborted };
    const stateClient = storeFor(lead);
    this.#isBeginning = true;
    const begun = await this.#untilRead(stateClient, ends, () => this.#begin(stateClient, ends));
    this.#isBeginning = false;
    if (begun === undefined) return 'ended';
    const { mark } = begun;
    const onContested = (other: TermMark): void => {
      const own = `this one (${identity}, term ${mark.term})`;
      log.warn(
        `another process writes the state (${other.writer}, term ${other.term}): ${own} stops leading, and tries again later`,
      );
      contest.abort();
    };
    const onUnknownVersion = (version: string): void =>
      this.#fail(
        `the state was written by a later version of this program (state version ${version}): run that version, or delete the ConfigMaps of the state to take the present content as the baseline`,
      );
    const leader = newLeader({ lead, stateClient, mark, onContested, onUnknownVersion });
    try {
      leader.begin(begun.shards);
      this.#observeWith(leader);
      onBegun();
      if (!ends.aborted) await once(ends, 'abort');
      if (lead.isValid()) {
        await leader.finish();
        return 'ended';
      }
    } catch (error) {
      this.#leave(leader);
      throw error;
    }
    this.#leave(leader);
    return contest.signal.aborted ? 'contested' : 'ended';
  }

  /** The leader acts no more. */
  #leave(leader: Reloader): void {
    leader.abandon();
    if (this.#current === leader) this.#observeWith(this.#options.newStandby());
  }

  #observeWith(reloader: Reloader): void {
    this.#current = reloader;
    this.#replaced.abort();
    this.#replaced = new AbortController();
  }

  /**
   * Writes the mark of the term, and reads the keys, so that each key that the state names is known. Undefined if the lead has
   * ended.
   */
  async #begin(client: KeyedStateClient, signal: AbortSignal): Promise<BegunTerm | FailedRead | undefined> {
    const { election, keys } = this.#options;
    const { homeNamespace } = this.#current.store.settings;
    const { identity } = election;
    const begun = await beginTerm(client, identity, homeNamespace, signal);
    if (signal.aborted) return undefined;
    // A state of a later version ends the process; its keys are left alone too.
    if (begun.kind === 'failed' || isOfLaterVersion(begun.shards)) return begun;
    const failure = await keys.read(client.keys, begun.shards, signal);
    if (keys.isReplaced) this.#fail('the Secret has another key of the digests: this process ends');
    if (signal.aborted) return undefined;
    return failure ?? begun;
  }
}

const AT_ONCE: ElectionTimes = { leaseDurationMs: 0, renewDeadlineMs: 0, retryPeriodMs: 0 };

/** The elector of this process; `onTurnedBack` is called if the resourceVersion of the Lease has gone back. */
export function electorOf(parts: Parts, onTurnedBack: () => void): Elector {
  const { options, place, send, log, metrics, podName = hostname(), podUid, random } = parts;
  const token = parts.token ?? randomBytes(4).toString('hex');
  const { leaderElection } = options;
  return new Elector({
    ...(leaderElection ?? AT_ONCE),
    podUid,
    lease: leaderElection && new KubernetesLease(send, leasePlaceOf(leaderElection, place)),
    identity: leaderIdentity(podName, podUid, token),
    random,
    log,
    onTurnedBack,
    onChange: ({ isLeader, holder }) => {
      metrics?.leads(isLeader);
      if (!isLeader && holder !== undefined) log.info('standing by', { leader: holder });
    },
  });
}

/** Where the Lease is. */
export function leasePlaceOf(
  { id, namespace }: LeaderElection,
  { stateNamespace }: Place,
): { readonly namespace: string; readonly name: string } {
  return { namespace: namespace ?? stateNamespace, name: id };
}
