/**
 * The stages of changes that concern several workloads: gathers the facts that stage-plan.ts decides by, and carries its plans out. Stamps
 * show who has begun; halts, and who has proven a content, are in the state.
 */

import { rolloutOrderOf, stagesOf } from '../annotations/gating.ts';
import { haltedText, LATER_STAGE, NOT_LISTED, type StageNews } from '../annotations/stage-news.ts';
import { isOfContent } from '../model/digest.ts';
import { describe, keyOf, type ObjectKey, wholeKeyOf, workloadRefIn } from '../model/object-ref.ts';
import type { Staging } from '../model/settings.ts';
import { type Halt, NO_FOLLOWER } from '../model/state-entry.ts';
import { monotonicMs } from '../model/time.ts';
import type { Workload } from '../model/workload.ts';
import { type ConfigRecord, isInFlight, type WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { isOutdatedOn, isUrgentFor, outdatedObjects } from '../tracking/edge-policy.ts';
import * as notes from '../tracking/halts.ts';
import { type Blocker, type Readers, rolloutIdOf, untilChanged } from './blocker.ts';
import * as rules from './stage-plan.ts';

/** The collaborators of `Stages`. */
export interface StagesOptions extends Pick<Readers, 'isObserver'> {
  readonly store: Store;
  readonly staging: Staging;
  /** Whether every workload is known: before that nothing begins. */
  readonly isListed: () => boolean;
  /** Whether nothing but stages keeps the workload from being rolled. */
  readonly canBegin: (workload: ObjectKey) => boolean;
  /** An attempt has to follow, if a stage keeps the workload. */
  readonly begin: (workload: ObjectKey) => void;
  /** Finds pods that fail before the progress deadline. */
  readonly failures: FailureFinder;
  /** Writes the entry of the object. */
  readonly persist: (config: ObjectKey) => void;
  readonly onNews: (news: StageNews) => void;
  /** Random hexadecimal digits. */
  readonly newToken: () => string;
}

/** How far the change of one object has come; `digest`: of its content. */
export interface StagedChange {
  readonly object: ConfigRecord['ref'];
  readonly digest: ConfigRecord['digest'];
  readonly plan: rules.StagePlan;
  /** Those that are waited for, and why. */
  readonly unready: ReadonlyMap<ObjectKey, string>;
  readonly halt: Halt | undefined;
}

/** A workload, and the parts of the object that it lacks, or carries or gets. */
interface Follower {
  readonly record: WorkloadRecord;
  /** Whether it carries the stamp of what it lacks: it was rolled, and a process died before it recorded that. */
  isRepeated: boolean;
  readonly outdated: ConfigRecord[];
  readonly begun: ConfigRecord[];
}

/** Why pods of a workload fail; `suspect`: it is in a rollout and not ready. */
interface FailureFinder {
  readonly of: (record: WorkloadRecord) => string | undefined;
  readonly suspect: (workload: ObjectKey) => void;
}

/** A change with its records; `parts`: the whole object, and the sets of its keys. */
interface Facts extends rules.Change {
  readonly config: ConfigRecord;
  readonly parts: readonly ConfigRecord[];
  readonly followers: ReadonlyMap<ObjectKey, Follower>;
}

const LOOK_MS = 100;
const LONGEST_TIMER_MS = 600_000;

/** See the file's comment. */
export class Stages implements Blocker {
  readonly name = 'stage';
  readonly reasons: readonly string[] = ['stage', 'halt'];
  readonly wakes = true;
  readonly isPerContent = true;
  readonly #options: StagesOptions;
  readonly #seen = new WeakMap<WorkloadRecord, rules.Seen>();
  /** Those that stood still before their turn, until they are ready. */
  readonly #still = new WeakSet<WorkloadRecord>();
  /** By object, the changes in progress as of the last look, if there was one. */
  readonly #changes = new Map<ObjectKey, StagedChange | undefined>();
  /** By object, the token of the halt that its followers know. */
  readonly #told = new Map<ObjectKey, string | undefined>();
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #isClosed = false;

  constructor(options: StagesOptions) {
    this.#options = options;
  }

  /** The changes in progress. */
  changes(): readonly StagedChange[] {
    return [...this.#changes.values()].filter((change) => change !== undefined);
  }

  /** See Blocker. */
  check(record: WorkloadRecord): ReturnType<Blocker['check']> {
    const { store, isListed, isObserver } = this.#options;
    const workload = keyOf(record.workload.ref);
    const objects = this.#stagedObjects(record);
    for (const object of objects)
      if (this.#changes.get(object)?.digest !== store.configs.get(object)?.digest)
        this.#changes.set(object, undefined);
    if (objects.length > 0 && !isListed()) return untilChanged(this.name, NOT_LISTED, 'RolloutHeld');
    // The last plan will do, unless something else blocked the workload then.
    const isPlanned = (change: StagedChange | undefined): boolean =>
      change?.halt !== undefined || change?.plan.waiting.has(workload) === true;
    if (!objects.every((object) => isPlanned(this.#changes.get(object)))) this.#plan(workload);
    const changes = objects.flatMap((object) => this.#changes.get(object) ?? []);
    const halted = changes.find(({ halt }) => halt !== undefined);
    const why = halted?.halt && haltedText(halted.object, halted.halt);
    if (why) return { ...untilChanged('halt', why, 'RolloutHeld'), state: 'halted' };
    if (isUrgentFor(store, record)) return undefined;
    const later = changes.find(({ plan }) => !plan.next.has(workload) || (isObserver && plan.isUnprovable));
    if (later !== undefined && isObserver === true) return 'unknown';
    return later && untilChanged(this.name, `${LATER_STAGE} ${describe(later.object)}`, 'RolloutHeld');
  }

  /** See Blocker. */
  readonly end = (workload: ObjectKey): void => this.observed(workload);

  /** The workload, its objects, or what keeps it from being rolled may have changed. */
  observed(workload: ObjectKey): void {
    const record = this.#options.store.workloads.get(workload);
    if (record !== undefined) this.#look(record);
    this.proceed();
  }

  /** Everything is looked at again. */
  proceed(): void {
    if (this.#changes.size > 0) this.#arm(LOOK_MS);
  }

  /** Lets begin nothing more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
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

  #look(record: WorkloadRecord): rules.Seen {
    const { progress, isRolledOut, rolling, progressDeadlineMs } = record.workload;
    const rollout = `${rolling === 'held'} ${rolloutIdOf(record.workload)}`;
    // While a patch is in flight, what is seen is of the template before.
    const isReady = isRolledOut && record.inFlight === undefined;
    if (isReady) this.#still.delete(record);
    const { soakMs } = this.#options.staging;
    const now = monotonicMs();
    const seen = rules.nextSeen(this.#seen.get(record), { rollout, progress, isReady }, now, soakMs);
    this.#seen.set(record, seen);
    return rules.readyInTime(seen, now, progressDeadlineMs, soakMs);
  }

  /** Plans all changes in progress anew. `asking`: nothing else prevents it. */
  #plan(asking?: ObjectKey): void {
    const facts = new Map<ObjectKey, Facts>();
    for (const object of this.#changes.keys()) {
      const known = this.#factsOf(object, asking);
      if (known !== undefined) facts.set(object, known);
      this.#changes.set(object, undefined);
    }
    for (const [object, plan] of rules.planStages(facts, this.#options.staging.soakMs)) {
      const known = facts.get(object);
      if (known !== undefined && !plan.isOver) this.#changes.set(object, this.#carryOut(known, plan));
    }
  }

  #factsOf(object: ObjectKey, asking: ObjectKey | undefined): Facts | undefined {
    const { store, staging, canBegin } = this.#options;
    const config = store.configs.get(object);
    const stages = config && stagesOf(config.annotations, staging.stages);
    if (config === undefined || stages === undefined) return undefined;
    const { parts, followers } = followersOf(store, object);
    const noted = parts.flatMap((part) => notes.notesOf(store, part));
    const known = new Set(noted.map(({ token, workload }) => token + workload));
    const members = [...followers].map(([key, follower]) => {
      const state = key === asking || canBegin(key) ? 'waiting' : 'blocked';
      return this.#memberOf(key, follower, follower.outdated.length === 0 ? 'begun' : state, known);
    });
    const isHalted = parts.some(
      (part) => (notes.haltOf(store, part)?.workload ?? NO_FOLLOWER) !== NO_FOLLOWER,
    );
    const isLetGo = parts.some((part) => notes.resumedIn(store, part) > 0);
    return { config, parts, followers, members, stages, isHalted, isLetGo };
  }

  #memberOf(key: ObjectKey, own: Follower, state: rules.Member['state'], known: Set<string>): rules.Member {
    const { record, isRepeated } = own;
    const { workload } = record;
    const { readyAt, movedAt, isAlive } = this.#look(record);
    const isBegun = state === 'begun';
    const isReady = isBegun ? readyAt !== undefined : workload.isRolledOut;
    const member: rules.Member = {
      key,
      order: rolloutOrderOf(workload),
      replicas: workload.replicas ?? 1,
      state,
      pods: this.#podsOf(workload, isReady),
      sinceMs:
        isBegun || isAlive ? monotonicMs() - (readyAt ?? movedAt) : isRepeated ? 0 : Number.POSITIVE_INFINITY,
      deadlineMs: workload.rolling === 'held' ? Number.POSITIVE_INFINITY : workload.progressDeadlineMs,
      failure: isRepeated ? undefined : this.#failureOf(record),
      isMute: this.#isMute(key, own, isBegun, known),
      isProven: isBegun && known.has(notes.PROVEN + notes.idOf(key)),
    };
    if (!isBegun && member.pods === 'unready' && rules.standsStill(member)) this.#still.add(record);
    return member;
  }

  #isMute(key: ObjectKey, { record, begun }: Follower, isBegun: boolean, known: Set<string>): boolean {
    const { store } = this.#options;
    if (store.settings.vocabularies.strategyOf(record.workload) === 'evict') return true;
    if (!isBegun) return record.takeBacks > 0 || this.#still.has(record);
    if (known.has(notes.STOOD_STILL + notes.idOf(key))) return true;
    return begun.some((part) => notes.isForgiven(store, part, key));
  }

  #podsOf(workload: Workload, isReady: boolean): rules.Member['pods'] {
    const { pausing } = this.#options.store.settings.vocabularies;
    // A pause of ours ends by itself.
    if (workload.rolling !== 'held' || pausing.pauseOf(workload) !== undefined)
      return isReady ? 'ready' : 'unready';
    return workload.holdInSpec === undefined || workload.replicas === 0 ? 'none' : 'kept';
  }

  /** While a patch is in flight, what fails is of the template before. */
  #failureOf(record: WorkloadRecord): string | undefined {
    const { failure, hold, isRolledOut } = record.workload;
    if (isRolledOut || record.inFlight !== undefined) return undefined;
    const isUndone = hold?.type === 'aborted' || hold?.type === 'failed';
    return failure ?? (isUndone ? 'its rollout was undone' : this.#options.failures.of(record));
  }

  #carryOut(facts: Facts, plan: rules.StagePlan): StagedChange {
    const { config, parts, members } = facts;
    const unready = new Map<ObjectKey, string>();
    for (const [key, [verdict, member]] of plan.verdicts) {
      if (verdict !== 'rolling' && verdict !== 'failed') continue;
      unready.set(key, rules.reasonOf(member, verdict));
      if (verdict === 'rolling' && member.pods === 'unready') this.#options.failures.suspect(key);
    }
    // Whether pods stood still before, a command does not know.
    if (!this.#options.isObserver && members.some(({ state }) => state !== 'begun'))
      this.#record(facts, plan);
    const [halt] = parts.flatMap((part) => notes.haltOf(this.#options.store, part) ?? []);
    return { object: config.ref, digest: config.digest, plan, unready, halt };
  }

  /** Writes down who has proven the content, and what is halted. */
  #record({ followers, parts }: Facts, { verdicts, next, waiting, isUnprovable }: rules.StagePlan): void {
    for (const [key, [verdict, member]] of verdicts) {
      const { outdated = [], begun = [] } = followers.get(key) ?? {};
      if (verdict === 'proven') this.#acquit(begun, key);
      if (verdict === 'failed')
        this.#halt(begun, { workload: key, reason: rules.reasonOf(member, verdict) }, key);
      if (verdict === 'last' && member.pods === 'unready' && next.has(key))
        this.#note(outdated, { token: notes.STOOD_STILL, workload: notes.idOf(key) });
    }
    const [first = ''] = waiting;
    const part = followers.get(first)?.outdated.slice(0, 1) ?? [];
    if (isUnprovable) this.#halt(part, { workload: NO_FOLLOWER }, first);
    else this.#acquit(parts, NO_FOLLOWER);
  }

  #acquit(configs: readonly ConfigRecord[], workload: ObjectKey): void {
    const { store, persist, onNews } = this.#options;
    for (const { ref } of configs.filter((config) => notes.endHalt(store, config, workload))) {
      persist(keyOf(ref));
      if (workload !== NO_FOLLOWER) onNews({ type: 'ready-after-all', object: ref, workload });
    }
    if (workload !== NO_FOLLOWER)
      this.#note(configs, { token: notes.PROVEN, workload: notes.idOf(workload) });
  }

  /** `at`: the workload that is told. */
  #halt(configs: readonly ConfigRecord[], why: Omit<Halt, 'token'>, at: ObjectKey): void {
    const { store, newToken, onNews } = this.#options;
    for (const config of configs) {
      if (notes.haltOf(store, config) !== undefined) continue;
      const halt = { ...why, token: newToken() };
      this.#note([config], halt);
      this.#arm(LOOK_MS);
      onNews({ type: 'halted', object: config.ref, workload: workloadRefIn(at), halt });
    }
  }

  #note(configs: readonly ConfigRecord[], note: Halt): void {
    const { store, persist } = this.#options;
    for (const config of configs) if (notes.addNote(store, config, note)) persist(keyOf(config.ref));
  }

  #arm(ms: number): void {
    const at = monotonicMs() + ms;
    if (this.#isClosed || (this.#timer !== undefined && this.#timerAt <= at)) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#due(), ms);
  }

  /** Has those begin that may; where a halt begins or ends, every follower learns it. */
  #due(): void {
    this.#timer = undefined;
    if (!this.#options.isListed()) return;
    this.#plan();
    for (const [object, change] of this.#changes) this.#release(object, change);
    const members = this.changes().flatMap(({ plan }) => [...plan.verdicts.values()]);
    const nextMs = members.map(([, member]) => rules.msUntilNews(member, this.#options.staging.soakMs));
    if (members.length > 0) this.#arm(Math.min(LONGEST_TIMER_MS, ...nextMs));
  }

  #release(object: ObjectKey, change: StagedChange | undefined): void {
    const { store, begin } = this.#options;
    const isForAll = change === undefined || this.#told.get(object) !== change.halt?.token;
    this.#told.set(object, change?.halt?.token);
    if (change === undefined) for (const one of [this.#changes, this.#told]) one.delete(object);
    for (const workload of isForAll ? followersOf(store, object).followers.keys() : change.plan.next)
      begin(workload);
  }
}

function followersOf(store: Store, object: ObjectKey): Pick<Facts, 'parts' | 'followers'> {
  const parts = store.partsOf(object).flatMap((part) => store.configs.get(part) ?? []);
  const followers = new Map<ObjectKey, Follower>();
  for (const config of parts)
    for (const [record, edge] of store.edgesOf(keyOf(config.ref))) {
      const isSent = isSentWith(record, config);
      const isOutdated = !isSent && isOutdatedOn(store, record, keyOf(config.ref), edge);
      const isStamped = isOfContent(edge.stamp?.digest, config);
      const isRepeated = isOutdated && isStamped && edge.rolloutInProgress;
      if (isOutdated || isSent || isStamped)
        addFollower(followers, record, config, { isOutdated, isRepeated });
    }
  return { parts, followers };
}

function addFollower(
  followers: Map<ObjectKey, Follower>,
  record: WorkloadRecord,
  config: ConfigRecord,
  { isOutdated, isRepeated }: { readonly isOutdated: boolean; readonly isRepeated: boolean },
): void {
  const key = keyOf(record.workload.ref);
  const follower = followers.get(key) ?? { record, outdated: [], begun: [], isRepeated: false };
  follower.isRepeated ||= isRepeated;
  follower[isOutdated ? 'outdated' : 'begun'].push(config);
  followers.set(key, follower);
}

function isSentWith(record: WorkloadRecord, { ref, digest }: ConfigRecord): boolean {
  const key = keyOf(ref);
  return isInFlight(record, key) && record.inFlight?.versions.get(key)?.digest === digest;
}
