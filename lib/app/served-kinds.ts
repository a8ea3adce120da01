/**
 * Follows which kinds of workload that a cluster may lack are served. Until the first answer of the API server a kind counts as not
 * yet listed; one that is absent holds up nothing. One whose presence is not known is left out: only what its list may change in
 * the state waits for it.
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
import { backoffMs, LATER_BACKOFF, monotonicMs } from '../model/time.ts';
import { addWorkloadKind, findWorkloadKind, type WorkloadKind } from '../model/workload-kind.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import type { Stream } from '../store/sync-gate.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Listing } from './listing.ts';
import { RBAC_RETRY_MS } from './preflight.ts';

/** Between two looks for a kind that is not served; the wait is up to a tenth longer. */
const LOOK_AGAIN_MS = 600_000;

/** The result of one look for a kind. */
type Look =
  | { readonly is: 'served' }
  | { readonly is: 'absent' }
  | { readonly is: 'rights-missing'; readonly rule: string }
  /** `isLagging`: a right is missing, which a RoleBinding of now may still give. */
  | {
      readonly is: 'unknown';
      readonly problem: string;
      readonly retryMs: number;
      readonly isLagging?: boolean;
    };

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
  /** The listing of the present term. */
  readonly listing: () => Pick<Listing, 'absent' | 'failed' | 'leaveOut'>;
  readonly heartbeat: Heartbeat;
  readonly metrics: Pick<Metrics, 'watchIsUp'> | undefined;
  readonly log: Log;
  readonly random: () => number;
}

interface Followed extends OptionalKind {
  readonly firstLook: PromiseWithResolvers<void>;
  readonly served: PromiseWithResolvers<void>;
  last: Look | undefined;
  /** The consecutive looks without an answer. */
  failures: number;
}

/** See the file's comment. */
export class ServedKinds {
  readonly #options: ServedKindsOptions;
  readonly #followed: ReadonlyMap<string, Followed>;

  constructor(options: ServedKindsOptions) {
    this.#options = options;
    const followed = options.kinds.map((kind): readonly [string, Followed] => [
      kind.row.kind,
      {
        ...kind,
        firstLook: Promise.withResolvers(),
        served: Promise.withResolvers(),
        last: undefined,
        failures: 0,
      },
    ]);
    this.#followed = new Map(followed);
  }

  /** Looks for each kind until it is served. Resolves when `signal` is aborted or all are served; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const startedAt = monotonicMs();
    await Promise.all([...this.#followed.values()].map((each) => this.#follow(each, startedAt, signal)));
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
    return [...this.#followed.values()].map(({ row, last }) => ({ kind: row.kind, ...statusOf(last) }));
  }

  /** What is looked for on behalf of the stream of `kind`: its own kind, or that of which it says what is mounted. */
  #followedOf(kind: string): Followed | undefined {
    return this.#followed.get(mountedKindOf(kind) ?? kind);
  }

  #isServed(kind: string): boolean {
    const followed = this.#followedOf(kind);
    return followed === undefined || followed.last?.is === 'served';
  }

  async #follow(followed: Followed, startedAt: number, signal: AbortSignal): Promise<void> {
    const { heartbeat, random } = this.#options;
    const loop = `the search for ${followed.row.kind}`;
    while (!signal.aborted && followed.last?.is !== 'served') {
      heartbeat.progress(loop, monotonicMs());
      const look = await this.#look(followed, monotonicMs() - startedAt < RBAC_LAG_MS, signal);
      if (signal.aborted) break;
      this.#take(followed, look);
      followed.firstLook.resolve();
      if (look.is === 'served') break;
      const ms = look.is === 'unknown' ? look.retryMs : LOOK_AGAIN_MS * (1 + random() / 10);
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
    if (found.is === 'unknown') return this.#unknown(followed, found.problem, found.retryAfterMs);
    if (found.is === 'absent') return found;
    const lack = permissions && (await this.#lack(followed, permissions, mayLag, signal));
    if (lack !== undefined) return lack;
    const workload = findWorkloadKind(row.kind);
    if (workload !== undefined && found.objectKind !== (row.objectKind ?? row.kind))
      addWorkloadKind({ ...workload, objectKind: found.objectKind });
    return { is: 'served' };
  }

  /** The look that a missing right makes; undefined: none is missing. */
  async #lack(
    followed: Followed,
    permissions: readonly Permission[],
    mayLag: boolean,
    signal: AbortSignal,
  ): Promise<Look | undefined> {
    const { refused, unanswered, retryAfterMs } = await review(
      this.#options.send,
      questionsOf(permissions),
      signal,
    );
    const [missing] = missingOf(refused);
    if (missing !== undefined && mayLag)
      return { is: 'unknown', problem: missing.sentence, retryMs: RBAC_RETRY_MS, isLagging: true };
    if (missing !== undefined) return { is: 'rights-missing', rule: missing.sentence };
    return unanswered.length === 0
      ? undefined
      : this.#unknown(followed, 'the review of its rights was not answered', retryAfterMs);
  }

  #unknown(followed: Followed, problem: string, retryAfterMs = 0): Look {
    const backoff = backoffMs(followed.failures, LATER_BACKOFF, this.#options.random);
    followed.failures += 1;
    return { is: 'unknown', problem, retryMs: Math.max(retryAfterMs, backoff) };
  }

  #take(followed: Followed, look: Look): void {
    const { streams, listing, metrics } = this.#options;
    const { row, last } = followed;
    followed.last = look;
    if (look.is !== 'unknown') followed.failures = 0;
    if (look.is !== last?.is) this.#say(followed, look);
    if (look.is === 'served') metrics?.watchIsUp(row.kind, false);
    for (const stream of streams.filter(({ kind }) => this.#followedOf(kind) === followed)) {
      const isAbsent = look.is === 'absent' || look.is === 'rights-missing';
      if (isAbsent) listing().absent(stream);
      // One that was looked for in vain holds up nothing while it lists for the first time.
      else if (look.is === 'unknown' || last !== undefined) {
        listing().failed(stream);
        listing().leaveOut(stream);
      }
    }
  }

  #say({ row, permissions }: Followed, look: Look): void {
    const { log } = this.#options;
    const what = `${row.kind} (${row.resource} of ${row.group}/${row.version})`;
    const level = permissions === undefined ? 'warn' : 'info';
    if (look.is === 'absent')
      log[level](`${what} is not served by the API server: it is looked for again every 10 minutes`);
    if (look.is === 'rights-missing')
      log.info(`${what} is left alone: ${look.rule}\nIt is looked for again every 10 minutes.`);
    if (look.is === 'unknown' && look.isLagging !== true)
      log.warn(
        `${what} cannot be looked for: it is left out until it can, and all else is rolled; the state is not committed meanwhile`,
        {
          problem: look.problem,
        },
      );
  }
}

function statusOf(look: Look | undefined): Omit<OptionalKindStatus, 'kind'> {
  switch (look?.is) {
    case 'served':
      return { state: 'served' };
    case 'absent':
      return { state: 'not served', next: 'looked for again every 10 minutes' };
    case 'rights-missing':
      return { state: 'rights missing', problem: look.rule, next: 'looked for again every 10 minutes' };
    case 'unknown':
      return { state: 'unavailable', problem: look.problem, next: 'looked for again within a minute' };
    default:
      return { state: 'unavailable', next: 'looked for now' };
  }
}
