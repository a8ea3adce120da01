/**
 * Follows, for one term, which kinds of workload that a cluster may lack are served. Until the first answer of the API server
 * a kind counts as not yet listed; one that is absent holds up nothing. One whose presence is not known is left out: only what
 * its list may change in the state waits for it.
 */

import { missingOf, questionsOf, review } from '../kubernetes/access-reviews.ts';
import type { Permission } from '../kubernetes/permissions.ts';
import type { Send } from '../kubernetes/transport.ts';
import { discover } from '../kubernetes/workloads/discovery.ts';
import { RBAC_LAG_MS } from '../leader/elector.ts';
import type { Heartbeat } from '../model/health.ts';
import type { Log } from '../model/log.ts';
import { type ApiResource, mountedKindOf } from '../model/object-ref.ts';
import type { OptionalKindStatus } from '../model/status-report.ts';
import { monotonicMs } from '../model/time.ts';
import { addWorkloadKind, findWorkloadKind, type WorkloadKind } from '../model/workload-kind.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import type { Stream } from '../store/sync-gate.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Listing } from './listing.ts';
import { RBAC_RETRY_MS } from './preflight.ts';

/** Between two looks for a kind that is not served; the wait is up to a tenth longer. */
const LOOK_AGAIN_MS = 600_000;
/** The same where it is not known whether it is served. */
const UNKNOWN_MS = 10_000;

type Status = Omit<OptionalKindStatus, 'kind'>;

/** The result of one look for a kind. */
interface Look {
  readonly status: Status;
  /** A right is missing, which a RoleBinding of now may still give. */
  readonly isLagging?: boolean;
}

const SERVED: Look = { status: { state: 'served' } };
const ABSENT: Look = { status: { state: 'not served' } };
const NOT_YET: Status = { state: 'unavailable' };

/** The fields of a kind by which it is looked for. */
export type OptionalRow = ApiResource & Pick<WorkloadKind, 'kind' | 'objectKind'>;

/** One kind that a cluster may lack. */
export interface OptionalKind {
  readonly row: OptionalRow;
  /** The rights that it needs; undefined: the preflight asks for them. */
  readonly permissions: readonly Permission[] | undefined;
}

/** The collaborators of a `ServedKinds`. */
export interface ServedKindsOptions {
  readonly kinds: readonly OptionalKind[];
  readonly streams: readonly Stream[];
  readonly send: Send;
  readonly listing: Pick<Listing, 'change' | 'leaveOut'>;
  /** Since when, by monotonicMs, the process looks: a right that is missing then may just lag. */
  readonly since: number;
  readonly heartbeat: Heartbeat;
  readonly metrics: Pick<Metrics, 'set'> | undefined;
  readonly log: Log;
  readonly random: () => number;
}

interface Followed extends OptionalKind {
  readonly firstLook: PromiseWithResolvers<void>;
  readonly served: PromiseWithResolvers<void>;
  last: Look | undefined;
}

/** See the file's comment. */
export class ServedKinds {
  readonly #options: ServedKindsOptions;
  readonly #followed: ReadonlyMap<string, Followed>;

  constructor(options: ServedKindsOptions) {
    this.#options = options;
    const followed = options.kinds.map((kind): readonly [string, Followed] => [
      kind.row.kind,
      { ...kind, firstLook: Promise.withResolvers(), served: Promise.withResolvers(), last: undefined },
    ]);
    this.#followed = new Map(followed);
  }

  /** Looks for each kind until it is served. Resolves when `signal` is aborted or all are served; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#followed.values()].map((each) => this.#follow(each, signal)));
  }

  /** The streams whose kinds are served; resolves once each kind was looked for. */
  async served(): Promise<readonly Stream[]> {
    await Promise.all([...this.#followed.values()].map(({ firstLook }) => firstLook.promise));
    return this.#options.streams.filter(({ kind }) => this.#isServed(kind));
  }

  /** Resolves once the kind is served, or `run` has ended; at once for a kind that each cluster has. */
  async untilServed(kind: string): Promise<void> {
    await this.#followedOf(kind)?.served.promise;
  }

  /** Whether a cluster may lack the kind of a stream. */
  isOptional(kind: string): boolean {
    return this.#followedOf(kind) !== undefined;
  }

  /** One row for each kind. */
  statuses(): readonly OptionalKindStatus[] {
    return [...this.#followed.values()].map(({ row, last }) => ({
      kind: row.kind,
      ...(last?.status ?? NOT_YET),
    }));
  }

  /** What is looked for on behalf of the stream of `kind`: its own kind, or that of which it says what is mounted. */
  #followedOf(kind: string): Followed | undefined {
    return this.#followed.get(mountedKindOf(kind) ?? kind);
  }

  #isServed(kind: string): boolean {
    const followed = this.#followedOf(kind);
    return followed === undefined || isServed(followed);
  }

  async #follow(followed: Followed, signal: AbortSignal): Promise<void> {
    const { heartbeat, random, since } = this.#options;
    const loop = `the search for ${followed.row.kind}`;
    while (!signal.aborted && !isServed(followed)) {
      heartbeat.sleeps(loop, monotonicMs());
      const look = await this.#look(followed, monotonicMs() - since < RBAC_LAG_MS, signal);
      if (signal.aborted) break;
      this.#take(followed, look);
      followed.firstLook.resolve();
      if (look === SERVED) break;
      const soonMs = look.isLagging === true ? RBAC_RETRY_MS : UNKNOWN_MS;
      const ms = look.status.state === 'unavailable' ? soonMs : LOOK_AGAIN_MS * (1 + random() / 10);
      heartbeat.sleeps(loop, monotonicMs() + ms);
      await sleep(ms, signal);
    }
    heartbeat.ended(loop);
    followed.firstLook.resolve();
    followed.served.resolve();
  }

  async #look(followed: Followed, mayLag: boolean, signal: AbortSignal): Promise<Look> {
    const { row, permissions } = followed;
    const found = await discover(this.#options.send, row, signal);
    if (found.is === 'unknown') return unknown(found.problem);
    if (found.is === 'absent') return ABSENT;
    const lack = permissions && (await this.#lack(permissions, mayLag, signal));
    if (lack !== undefined) return lack;
    const workload = findWorkloadKind(row.kind);
    if (workload !== undefined && found.objectKind !== (row.objectKind ?? row.kind))
      addWorkloadKind({ ...workload, objectKind: found.objectKind });
    return SERVED;
  }

  /** The look that a missing right makes; undefined: none is missing. */
  async #lack(
    permissions: readonly Permission[],
    mayLag: boolean,
    signal: AbortSignal,
  ): Promise<Look | undefined> {
    const { send } = this.#options;
    const { refused, unanswered } = await review(send, questionsOf(permissions), signal);
    const [missing] = missingOf(refused);
    const problem = missing?.sentence;
    if (problem !== undefined && mayLag) return { ...unknown(problem), isLagging: true };
    if (problem !== undefined) return { status: { state: 'rights missing', problem } };
    return unanswered.length === 0 ? undefined : unknown('the review of its rights was not answered');
  }

  #take(followed: Followed, look: Look): void {
    const { streams, listing, metrics } = this.#options;
    const { row, last } = followed;
    followed.last = look;
    const { state } = look.status;
    if (state !== last?.status.state) this.#say(followed, look);
    if (state === 'served') metrics?.set('reloader_watch_up', 0, { kind: row.kind });
    for (const stream of streams.filter(({ kind }) => this.#followedOf(kind) === followed)) {
      const isAbsent = state === 'not served' || state === 'rights missing';
      if (isAbsent) listing.change((gate) => gate.markAbsent(stream));
      // One that was looked for in vain holds up nothing while it lists for the first time.
      else if (state === 'unavailable' || last !== undefined) {
        listing.change((gate) => gate.mark(stream, 'failing'));
        listing.leaveOut(stream);
      }
    }
  }

  #say({ row, permissions }: Followed, { status: { state, problem }, isLagging }: Look): void {
    const { log } = this.#options;
    const what = `${row.kind} (${row.resource} of ${row.group}/${row.version})`;
    const level = permissions === undefined ? 'warn' : 'info';
    if (state === 'not served')
      log[level](`${what} is not served by the API server; checking every 10 minutes`);
    if (state === 'rights missing')
      log.info(`${what} is ignored: ${problem}\nThe reloader checks again every 10 minutes.`);
    if (state === 'unavailable' && isLagging !== true)
      log.warn(
        `${what} cannot be discovered; ignored until it can, and the state is not committed meanwhile`,
        { problem },
      );
  }
}

function unknown(problem: string): Look {
  return { status: { state: 'unavailable', problem } };
}

function isServed({ last }: Followed): boolean {
  return last === SERVED;
}
