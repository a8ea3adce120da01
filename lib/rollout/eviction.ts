/**
 * Rolls workloads whose template cannot be stamped: evicts their pods that are older than the change, the oldest first. Nothing
 * is written on the workload: which pods are older follows from what runs. Promise: the edges are up to date only when no older pod
 * is left, and a start believes so only then.
 */

import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import {
  type Outcome,
  type Pod,
  type PodClient,
  type PodsReading,
  refusal,
  type WriteResult,
} from '../model/outcome.ts';
import { aboutOf, type PlannedVersion, type RolloutPlan } from '../model/rollout-plan.ts';
import { count } from '../model/text.ts';
import { isAfter, latestOf, monotonicMs } from '../model/time.ts';
import { EVER } from '../model/timeline.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { needsRollout } from '../tracking/edge-policy.ts';
import { Effects } from '../tracking/effects.ts';
import { acceptRollout, configsIn, doubtEdges, requestWrites } from '../tracking/rollout-decision.ts';

/** The collaborators of `PodEvictions`. */
export interface EvictionOptions {
  readonly store: Store;
  /** Absent if no pods are evicted: in a dry run, or if a webhook is called instead. */
  readonly pods?: PodClient | undefined;
  /** How many pods of one workload may be not ready after an eviction. @default 1 */
  readonly maxEvictions?: number | undefined;
  readonly apply: (effects: Effects) => void;
}

/** The evictions of one workload, from the first look at its pods until no older one is left. */
interface Session {
  /** Every object that the workload follows, as it was at the first look. */
  readonly versions: ReadonlyMap<ObjectKey, PlannedVersion>;
  /** The objects that the older pods have not read. */
  readonly configs: ReadonlySet<ObjectKey>;
  /** The uids of the older pods that are left. */
  left: ReadonlySet<string>;
  readonly total: number;
  hasEvicted: boolean;
  movedAt: number;
  idle: number;
}

/** What stopped an attempt before all was sent that it may send. */
type Stop = Exclude<WriteResult<unknown>, { readonly kind: 'accepted' | 'gone' | 'conflict' }>;

type Listed = Extract<PodsReading, { readonly kind: 'listed' }>;

/** An attempt in which an admission webhook delays each eviction must not count as stuck: after this the next attempt goes on. */
const LONGEST_EVICTIONS_MS = 30_000;
const RIGHTS = 'evictions need the rights to list pods and to create pods/eviction';

/** See the file's comment. One attempt per workload at a time. */
export class PodEvictions {
  readonly #options: EvictionOptions;
  readonly #sessions = new WeakMap<WorkloadRecord, Session>();
  /** The most pods that a workload had at once, and until when that counts: it may want fewer by then. */
  readonly #most = new WeakMap<WorkloadRecord, { readonly count: number; readonly until: number }>();

  constructor(options: EvictionOptions) {
    this.#options = options;
  }

  /** Whether the pods of the workload are evicted in place of a stamp in its template. */
  isFor({ workload }: WorkloadRecord): boolean {
    const { pods, store } = this.#options;
    return pods !== undefined && store.settings.vocabularies.strategyOf(workload) === 'evict';
  }

  /** How many older pods of the workload were evicted; undefined: none are being evicted. */
  evictedOf(record: WorkloadRecord): number | undefined {
    const session = this.#sessions.get(record);
    return session === undefined || !this.isFor(record) ? undefined : session.total - session.left.size;
  }

  /** Before a plan: an object that has changed since pods were evicted may have been read by their successors. */
  prepare(record: WorkloadRecord): void {
    const { store } = this.#options;
    const session = this.#sessions.get(record);
    if (session?.hasEvicted !== true) return;
    const changed = [...session.versions].flatMap(([key, { changedAt }]) =>
      (store.configs.get(key)?.changedAt ?? Number.POSITIVE_INFINITY) > changedAt ? [key] : [],
    );
    doubtEdges(store, record, changed);
  }

  /** The workload is up to date, or is rolled in another way: its evictions are over. */
  end(record: WorkloadRecord): void {
    this.#sessions.delete(record);
  }

  /** One attempt for `plan`, which was just made. */
  async attempt(record: WorkloadRecord, plan: RolloutPlan, client: PodClient): Promise<Outcome> {
    const reading = await client.podsOf(plan.workload, record.workload.uid);
    if (reading.kind === 'gone') return { type: 'gone' };
    if (reading.kind === 'failed') {
      const { message, isForbidden, isUnreached, retryAfterMs } = reading;
      if (isForbidden || isUnreached) return refused(message, isForbidden);
      return { type: 'retry', reason: 'unavailable', message, retryAfterMs };
    }
    const session = this.#sessionFor(record, plan, reading.pods);
    const hasMoved = look(session, reading.pods);
    if (session.left.size === 0) return this.#finish(record, plan, session);
    const { gone, stop } = await this.#evictSome(record, session, reading, client);
    if (stop?.kind === 'rejected') return refused(stop.message, stop.code === 'forbidden');
    const waits = stop ?? { message: 'the next one is evicted when enough pods are ready' };
    return progress(record, session, plan, hasMoved || gone > 0, waits);
  }

  /** The session that goes on, or a new one if what it was for is not what the plan is for. */
  #sessionFor(record: WorkloadRecord, plan: RolloutPlan, pods: readonly Pod[]): Session {
    const known = this.#sessions.get(record);
    if (known !== undefined && isFor(known, plan)) return known;
    const changedAt = this.#changeOf(configsIn(plan));
    const older = pods.filter(({ createdAt }) => !isAfter(createdAt, changedAt));
    const session: Session = {
      versions: plan.versions,
      configs: new Set(configsIn(plan)),
      left: new Set(older.map(({ uid }) => uid)),
      total: older.length,
      hasEvicted: known?.hasEvicted ?? false,
      movedAt: monotonicMs(),
      idle: 0,
    };
    this.#sessions.set(record, session);
    if (older.length > 0) this.#doubt(record, plan);
    return session;
  }

  /**
   * From now on pods start with the new content beside older ones. If the content changes back, the newer ones have to go: the
   * running digests are unknown, in memory and in the state.
   */
  #doubt(record: WorkloadRecord, plan: RolloutPlan): void {
    const { store, apply } = this.#options;
    const effects = new Effects();
    doubtEdges(store, record, configsIn(plan));
    requestWrites(effects, record);
    apply(effects);
  }

  /** The latest write of these objects, in seconds since 1970; undefined if one may have been written later than it says. */
  #changeOf(configs: readonly ObjectKey[]): number | undefined {
    const records = configs.map((key) => this.#options.store.configs.get(key));
    const isDated = (record: ConfigRecord | undefined): boolean =>
      record?.digest !== undefined && record.isUndated !== true;
    return latestOf(records.map((record) => (isDated(record) ? record?.lastWrite : undefined)));
  }

  /**
   * Evicts older pods as long as enough others are ready. One that is not ready serves nothing, and goes at once. `gone`: how many
   * are gone by it, or have been before.
   */
  async #evictSome(
    record: WorkloadRecord,
    session: Session,
    reading: Listed,
    client: PodClient,
  ): Promise<{ readonly gone: number; readonly stop?: Stop }> {
    let room = this.#roomIn(record, reading);
    let gone = 0;
    const endsAt = monotonicMs() + LONGEST_EVICTIONS_MS;
    const older = reading.pods.filter(({ uid, isLeaving }) => session.left.has(uid) && !isLeaving);
    for (const pod of older.toSorted(oldestFirst)) {
      if (serves(pod) && room <= 0) continue;
      if (!this.#isWanted(record) || monotonicMs() >= endsAt) break;
      session.hasEvicted = true;
      const result = await client.evict(record.workload.ref.namespace, pod);
      if (result.kind !== 'accepted' && result.kind !== 'gone' && result.kind !== 'conflict')
        return { gone, stop: result };
      gone += 1;
      room -= Number(serves(pod));
    }
    return { gone };
  }

  /** How many pods that are ready may be evicted now. */
  #roomIn(record: WorkloadRecord, { pods, desired }: Listed): number {
    const { maxEvictions = 1 } = this.#options;
    const wanted = desired ?? this.#mostOf(record, pods.filter(({ isLeaving }) => !isLeaving).length);
    return maxEvictions - Math.max(wanted, pods.length) + pods.filter(serves).length;
  }

  /** How many pods a workload wants that does not say so: the most that were seen; `count` are there now. */
  #mostOf(record: WorkloadRecord, count: number): number {
    const now = monotonicMs();
    const known = this.#most.get(record);
    if (known !== undefined && count < known.count && now < known.until) return known.count;
    this.#most.set(record, { count, until: now + record.workload.progressDeadlineMs });
    return count;
  }

  /** Whether the workload is still to be rolled in this way: between two evictions anything may have changed. */
  #isWanted(record: WorkloadRecord): boolean {
    const { store } = this.#options;
    const key = keyOf(record.workload.ref);
    const isPresent = store.workloads.get(key) === record && store.isSelected(record.workload.ref.namespace);
    return isPresent && this.isFor(record) && needsRollout(store, key);
  }

  /** No older pod is left: the edges are up to date with what the plan was made on. */
  #finish(record: WorkloadRecord, plan: RolloutPlan, { total }: Session): Outcome {
    const { store, apply } = this.#options;
    this.end(record);
    const effects = new Effects();
    const workload = plan.workload;
    if (total === 0) effects.note({ reason: 'no-older-pod', workload });
    record.inFlight = plan;
    acceptRollout(store, effects, plan, undefined, EVER);
    apply(effects);
    return total === 0 ? { type: 'current' } : { type: 'rolled', plan, evicted: total };
  }
}

/** Takes note of an attempt after which older pods are left; `waits`: what the next eviction waits for. */
function progress(
  { workload }: WorkloadRecord,
  session: Session,
  plan: RolloutPlan,
  hasMoved: boolean,
  waits: { readonly message: string; readonly retryAfterMs?: number },
): Outcome {
  const now = monotonicMs();
  if (hasMoved) session.movedAt = now;
  session.idle = hasMoved ? 0 : session.idle + 1;
  const { total, left, idle, movedAt } = session;
  return {
    type: 'retry',
    reason: 'evicting',
    message: `${total - left.size} of ${count(total, 'older pod')} evicted: ${waits.message}`,
    retryAfterMs: waits.retryAfterMs,
    evictions: {
      idle,
      isStalled: now - movedAt >= workload.progressDeadlineMs,
      about: aboutOf(plan),
    },
  };
}

/** Whether nothing has changed since the first look. An object that only got up to date is no reason for a new look. */
function isFor({ versions, configs }: Session, plan: RolloutPlan): boolean {
  const isSame = ([key, { digest, changedAt }]: [ObjectKey, PlannedVersion]): boolean => {
    const version = versions.get(key);
    return version?.digest === digest && version.changedAt === changedAt;
  };
  return configsIn(plan).every((key) => configs.has(key)) && [...plan.versions].every(isSame);
}

/** Takes note of the pods that are there now; whether it differs from the last look. */
function look(session: Session, pods: readonly Pod[]): boolean {
  const uids = new Set(pods.map(({ uid }) => uid));
  const left = new Set([...session.left].filter((uid) => uids.has(uid)));
  const hasMoved = left.size < session.left.size;
  session.left = left;
  return hasMoved;
}

function refused(message: string, isForbidden: boolean | undefined): Outcome {
  return refusal(isForbidden ? `${message} (${RIGHTS})` : message);
}

function serves({ isReady, isLeaving }: Pod): boolean {
  return isReady && !isLeaving;
}

function oldestFirst(one: Pod, other: Pod): number {
  return (one.createdAt ?? 0) - (other.createdAt ?? 0) || (one.name < other.name ? -1 : 1);
}
