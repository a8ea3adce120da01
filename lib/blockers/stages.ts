/**
 * The stages of changes that concern several workloads, and their halts. How far a change has come is read from the workloads: those
 * whose live template carries a stamp of the present content have begun. Remembered is only since when they are ready, in memory, and
 * which contents are halted, in the state. Promise: no workload begins before all of the stages before have stayed ready for the soak,
 * and none with a content with which another one did not get ready.
 */

import { rolloutOrderOf, stagesOf } from '../annotations/gating.ts';
import { haltedText, LATER_STAGE, NOT_LISTED, type StageNews } from '../annotations/stage-news.ts';
import { type ConfigRef, describe, keyOf, type ObjectKey, wholeKeyOf } from '../model/object-ref.ts';
import type { Blocked, PodClient } from '../model/outcome.ts';
import type { Staging } from '../model/settings.ts';
import type { Halt } from '../model/state-entry.ts';
import { monotonicMs } from '../model/time.ts';
import { UNHEALTHY_MARK, type Workload } from '../model/workload.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { isUrgentFor, outdatedObjects } from '../tracking/edge-policy.ts';
import { endHalt, haltOf, haltsOf, isForgiven, setHalts } from '../tracking/halts.ts';
import { PodFailures } from '../tracking/pod-failures.ts';
import { Vitals } from '../tracking/vitals.ts';
import { type Blocker, untilChanged } from './blocker.ts';
import { type Follower, type Followers, followersOf, haltAmong, isOpen } from './stage-followers.ts';
import { type Member, planStages, type StagePlan } from './stage-plan.ts';

/** The collaborators of `Stages`. */
export interface StagesOptions {
  readonly store: Store;
  readonly staging: Staging;
  /** Whether every workload that can be listed is known: before that nothing begins. */
  readonly isListed: () => boolean;
  /** Whether nothing but its stage keeps the workload from being rolled: others are passed over. */
  readonly canBegin: (workload: ObjectKey) => boolean;
  /** The workload may begin, or is kept by something else: an attempt has to follow, if its stage keeps it. */
  readonly begin: (workload: ObjectKey) => void;
  /** @default failing pods are not looked for: only the status of a workload tells that it does not get ready */
  readonly pods?: PodClient | undefined;
  /** Writes the entry of the object, and with it its halts. */
  readonly persist: (config: ObjectKey) => void;
  readonly onNews: (news: StageNews) => void;
  /** Answers a random text of hexadecimal digits. */
  readonly newToken: () => string;
}

/** How far the change of one object has come. */
export interface StagedChange {
  readonly object: ConfigRef;
  readonly plan: StagePlan;
  /** The workloads that are not ready yet, and why. */
  readonly unready: ReadonlyMap<ObjectKey, string>;
  /** Why no further workload begins, if none does. */
  readonly halt: Halt | undefined;
  readonly haltedBy: string | undefined;
}

/** Observations that come at once are looked at once. */
const LOOK_MS = 100;
const LONGEST_TIMER_MS = 600_000;

/** See the file's comment. */
export class Stages implements Blocker {
  readonly name = 'stage';
  readonly reasons: readonly string[] = ['stage', 'halt'];
  readonly wakes = true;
  readonly isPerContent = true;
  readonly #options: StagesOptions;
  readonly #vitals = new Vitals();
  readonly #failures: PodFailures;
  /** By object, the changes in progress; undefined: to be computed anew. */
  readonly #changes = new Map<ObjectKey, StagedChange | undefined>();
  /** Those that have ended since the last look. */
  readonly #ended = new Set<ObjectKey>();
  /** By object, the token of the halt at the last look. */
  readonly #told = new Map<ObjectKey, string | undefined>();
  /** By token, why the workload did not get ready, as far as this process saw it. */
  readonly #reasons = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #isClosed = false;

  constructor(options: StagesOptions) {
    this.#options = options;
    this.#failures = new PodFailures(options.pods, options.store, (workload) => this.observed(workload));
  }

  /** The changes in progress. */
  changes(): readonly StagedChange[] {
    return [...this.#changes.keys()].flatMap((object) => this.#changeOf(object) ?? []);
  }

  /** How many contents are halted. */
  get halted(): number {
    return this.changes().filter(({ halt }) => halt !== undefined).length;
  }

  /** See Blocker. */
  check(record: WorkloadRecord): Blocked | undefined {
    const { store, isListed } = this.#options;
    const workload = keyOf(record.workload.ref);
    const objects = this.#stagedObjects(record);
    if (objects.length === 0) return undefined;
    if (!isListed()) {
      for (const object of objects) this.#changes.set(object, undefined);
      return untilChanged(this.name, NOT_LISTED, 'RolloutHeld');
    }
    const changes = objects.flatMap((object) => this.#changeFor(object, workload) ?? []);
    const halted = changes.find(({ halt }) => halt !== undefined);
    if (halted?.halt !== undefined)
      return untilChanged('halt', haltedText(halted.object, halted.halt, halted.haltedBy), 'RolloutHeld');
    if (isUrgentFor(store, record)) return undefined;
    const later = changes.find(({ plan }) => !plan.next.includes(workload));
    return later && untilChanged(this.name, `${LATER_STAGE} ${describe(later.object)}`, 'RolloutHeld');
  }

  /** See Blocker. */
  end(workload: ObjectKey): void {
    this.observed(workload);
  }

  /** Whether the workload is not healthy before its turn in stages: then it is no evidence afterwards. */
  isUnhealthy(workload: ObjectKey): boolean {
    const record = this.#options.store.workloads.get(workload);
    if (record === undefined || this.#isHeld(record.workload)) return false;
    return this.#stagedObjects(record).length > 0 && !this.#isHealthy(record);
  }

  /** The workload, or an object that it follows, was observed; or what keeps it from being rolled has changed. */
  observed(workload: ObjectKey): void {
    if (this.#changes.size === 0) return;
    const record = this.#options.store.workloads.get(workload);
    const objects = record ? [...record.edges.keys()].map(wholeKeyOf) : [...this.#changes.keys()];
    this.#recompute(objects.filter((object) => this.#changes.has(object)));
  }

  /** Everything is looked at again. */
  proceed(): void {
    this.#recompute([...this.#changes.keys()]);
  }

  /** Lets begin nothing more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#failures.close();
  }

  /** The whole objects that the workload is out of date with and that are rolled out in stages. */
  #stagedObjects(record: WorkloadRecord): readonly ObjectKey[] {
    const { store, staging } = this.#options;
    if (store.settings.onlyTells) return [];
    const staged = outdatedObjects(store, record).filter(
      ({ annotations }) => stagesOf(annotations, staging.stages) !== undefined,
    );
    return [...new Set(staged.map(({ ref }) => wholeKeyOf(keyOf(ref))))];
  }

  /** The change as `workload` finds it in its attempt: it is not passed over. */
  #changeFor(object: ObjectKey, workload: ObjectKey): StagedChange | undefined {
    const known = this.#changeOf(object);
    if (known?.plan.waiting.includes(workload) === true) return known;
    return this.#compute(object, workload);
  }

  #changeOf(object: ObjectKey): StagedChange | undefined {
    const known = this.#changes.get(object);
    if (known !== undefined) return known;
    const change = this.#compute(object);
    if (change === undefined) this.#end(object);
    else this.#changes.set(object, change);
    return change;
  }

  /** The change is over, or has no stages any more: at the next look the workloads that it kept are let go. */
  #end(object: ObjectKey): void {
    if (this.#changes.delete(object)) this.#ended.add(object);
    this.#arm(LOOK_MS);
  }

  /** Undefined: nothing is in progress, or it has no stages any more. */
  #compute(object: ObjectKey, asking?: ObjectKey): StagedChange | undefined {
    const { store, staging } = this.#options;
    const config = store.configs.get(object);
    const stages = config && stagesOf(config.annotations, staging.stages);
    if (config === undefined || stages === undefined) return undefined;
    const followers = followersOf(store, object);
    const members = this.#membersOf(followers, asking);
    const isWaitedFor = isOpen(followers);
    if (isWaitedFor) this.#judge(followers, members);
    const unready = this.#unreadyOf(followers, members);
    if (!isWaitedFor && unready.size === 0) return undefined;
    const halt = isWaitedFor ? haltAmong(store, followers) : undefined;
    const haltedBy = halt && this.#reasons.get(halt.token);
    return { object: config.ref, plan: planStages([...members.values()], stages), unready, halt, haltedBy };
  }

  /** Those that are not passed over. */
  #membersOf(followers: Followers, asking: ObjectKey | undefined): ReadonlyMap<ObjectKey, Member> {
    const members = new Map<ObjectKey, Member>();
    for (const [key, follower] of followers) {
      const isPassedOver = follower.outdated.length > 0 && key !== asking && !this.#options.canBegin(key);
      if (!isPassedOver) members.set(key, this.#memberOf(key, follower));
    }
    return members;
  }

  #memberOf(key: ObjectKey, follower: Follower): Member {
    const { workload } = follower.record;
    const { failure, readyMs } = this.#vitalsOf(follower.record);
    const isReady = failure === undefined && (readyMs ?? -1) >= this.#options.staging.soakMs;
    return {
      key,
      order: rolloutOrderOf(workload),
      replicas: workload.replicas ?? 1,
      givesEvidence: this.#givesEvidence(key, follower),
      state: follower.outdated.length > 0 ? 'waiting' : isReady ? 'ready' : 'rolling',
    };
  }

  /** Whether its pods replace older ones by themselves, and were ready before; a halt that it caused is not in force any more. */
  #givesEvidence(key: ObjectKey, { record, outdated, begun }: Follower): boolean {
    const { store } = this.#options;
    const { workload } = record;
    if (store.settings.vocabularies.strategyOf(workload) === 'evict') return false;
    if (outdated.length > 0) return !this.#isHeld(workload) && this.#isHealthy(record);
    const isUndone = this.#vitalsOf(record).failure !== undefined;
    // While a patch is under way the mark is that of the one before.
    const marks = record.inFlight === undefined ? workload.stamps : [];
    const wasUnhealthy = marks.some(({ variable, value }) => variable === UNHEALTHY_MARK && value === 'true');
    if ((this.#isHeld(workload) && !isUndone) || wasUnhealthy) return false;
    return !begun.some((config) => isForgiven(store, config, key));
  }

  /** Whether no patch replaces its pods; a pause of ours ends by itself. */
  #isHeld(workload: Workload): boolean {
    const { pausing } = this.#options.store.settings.vocabularies;
    return workload.rolling === 'held' && pausing.pauseOf(workload) === undefined;
  }

  /** Halts the content with which a workload did not get ready, and ends halts of those that are ready after all. */
  #judge(followers: Followers, members: ReadonlyMap<ObjectKey, Member>): void {
    if (followers.size < 2) return;
    for (const [key, follower] of followers) {
      const member = members.get(key);
      if (member?.givesEvidence === true) this.#judgeBy(follower, key, member.state === 'ready');
    }
  }

  /** What the workload shows about the contents that it runs. */
  #judgeBy({ record, begun }: Follower, key: ObjectKey, isReady: boolean): void {
    const { failure } = this.#vitalsOf(record);
    for (const config of begun) {
      if (isReady) this.#acquit(config, key);
      else if (failure !== undefined) this.#convict(config, record, failure);
    }
  }

  /** The workload is ready with this content. */
  #acquit(config: ConfigRecord, workload: ObjectKey): void {
    const { store, persist, onNews } = this.#options;
    if (!endHalt(store, config, workload)) return;
    persist(keyOf(config.ref));
    onNews({ type: 'ready-after-all', object: config.ref, workload });
  }

  /** The workload does not get ready with this content: it is halted, unless it is already. */
  #convict(config: ConfigRecord, { workload }: WorkloadRecord, reason: string): void {
    const { store, persist, newToken, onNews } = this.#options;
    if (haltOf(store, config) !== undefined) return;
    const halt = { token: newToken(), workload: keyOf(workload.ref) };
    setHalts(store, config, [...haltsOf(store, config), halt]);
    this.#reasons.set(halt.token, reason);
    persist(keyOf(config.ref));
    this.#recompute([wholeKeyOf(keyOf(config.ref))]);
    onNews({ type: 'halted', object: config.ref, workload: workload.ref, halt, reason });
  }

  #vitalsOf(record: WorkloadRecord): ReturnType<Vitals['of']> {
    return this.#vitals.of(record, this.#failures.of(record));
  }

  /** Whether its pods are ready; while a rollout makes progress they count as ready, since nothing is known against them. */
  #isHealthy(record: WorkloadRecord): boolean {
    const { isRolledOut, rolling } = record.workload;
    const isStarting = [...record.edges.values()].some(({ rolloutInProgress }) => rolloutInProgress);
    const isInRollout =
      rolling === 'replacing' || rolling === 'held' || (rolling === 'starting' && isStarting);
    return this.#vitalsOf(record).failure === undefined && (isRolledOut || isInRollout);
  }

  /** The workloads of which the next stage waits for evidence, and why there is none yet. */
  #unreadyOf(followers: Followers, members: ReadonlyMap<ObjectKey, Member>): ReadonlyMap<ObjectKey, string> {
    const unready = new Map<ObjectKey, string>();
    for (const [key, { record }] of followers) {
      const { state, givesEvidence } = members.get(key) ?? {};
      if (state !== 'rolling' || givesEvidence !== true) continue;
      const { failure, readyMs } = this.#vitalsOf(record);
      if (failure === undefined && readyMs === undefined) this.#failures.suspect(key);
      const isSoaking = readyMs !== undefined;
      unready.set(
        key,
        failure ?? (isSoaking ? 'it has to stay ready for the soak' : 'its pods are not ready yet'),
      );
    }
    return unready;
  }

  /** What is known of these changes is out of date. */
  #recompute(objects: readonly ObjectKey[]): void {
    for (const object of objects) this.#changes.set(object, undefined);
    if (objects.length > 0) this.#arm(LOOK_MS);
  }

  /** Sets the timer to at most `ms` from now. */
  #arm(ms: number): void {
    const at = monotonicMs() + ms;
    if (this.#isClosed || (this.#timer !== undefined && this.#timerAt <= at)) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#look(), ms);
  }

  /** Computes every change, and has those begin that may. */
  #look(): void {
    this.#timer = undefined;
    const { staging, isListed } = this.#options;
    if (!isListed()) return;
    const since = monotonicMs();
    for (const object of this.#changes.keys()) this.#changes.set(object, undefined);
    for (const change of this.changes()) this.#release(change);
    for (const object of this.#ended) this.#releaseAll(object);
    this.#ended.clear();
    if (this.#changes.size > 0) {
      this.#arm(Math.min(LONGEST_TIMER_MS, this.#vitals.nextMs(staging.soakMs, since)));
      return;
    }
    this.#vitals.clear();
    this.#told.clear();
  }

  /** Has those begin that may; where a halt begins or ends, every one learns it. */
  #release({ object, plan, halt }: StagedChange): void {
    const key = keyOf(object);
    const isNews = this.#told.get(key) !== halt?.token;
    this.#told.set(key, halt?.token);
    if (isNews) this.#releaseAll(key);
    else if (halt === undefined) for (const workload of plan.next) this.#options.begin(workload);
  }

  #releaseAll(object: ObjectKey): void {
    const { store, begin } = this.#options;
    for (const workload of followersOf(store, object).keys()) begin(workload);
  }
}
