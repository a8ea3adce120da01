/**
 * What is known: the objects' digests, the workloads and what their pods ran, and what the state says. Data with
 * synchronous look-ups; the rules that change it are in the controllers beside this file.
 */

import type {
  ConfigAnnotations,
  KnownNames,
  StampVariables,
  Vocabularies,
} from '../annotations/vocabularies.ts';
import { ABSENT, type Digest, type KeyDigests } from '../model/digest.ts';

import {
  asSkipped,
  type Edge,
  isOutdated,
  isUncommitted,
  type RunningDigest,
  runningDigestAtStart,
  UNKNOWN,
} from '../model/edge.ts';
import { recordedOf } from '../model/kind-overrides.ts';
import { type ConfigRef, keyOf, type ObjectKey, type WorkloadRef, wholeOf } from '../model/object-ref.ts';
import { EMPTY_STATE, type PersistedState } from '../model/persisted-state.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import type { Verdict } from '../model/reasons.ts';
import { type RolloutPlan, sequenceIn } from '../model/rollout-plan.ts';
import { NO_STATE, type ShardedState, together } from '../model/sharded-state.ts';
import { entryKeyOf, overridesKeyOf, type StateEntry, type StateKey } from '../model/state-entry.ts';
import { monotonicMs } from '../model/time.ts';
import { type Workload, workloadOf } from '../model/workload.ts';
import { workloadKindOf } from '../model/workload-kind.ts';
import { DependentsIndex } from '../store/dependents-index.ts';
import { NamesIndex, namesOfEntries } from '../store/names-index.ts';
import { PartsIndex } from '../store/parts-index.ts';
import { Presence, type PresenceRules } from '../store/presence.ts';
import { ScopesIndex } from '../store/scopes-index.ts';
import type { ExternalRollout } from './external-rollout.ts';
import { newRecord, scopedRecordOf } from './scoped-record.ts';

/** What is known of one ConfigMap or Secret, or of some keys of one. */
export interface ConfigRecord {
  readonly ref: ConfigRef;
  /** The digest of the present content; undefined while the object is absent or not yet seen. */
  digest: Digest | undefined;
  /** The digest when it was last present. */
  lastDigest: Digest | undefined;
  /** Its annotations that policies ask for, as they came with that content. */
  annotations: ConfigAnnotations;
  /** The present content's digest under the older formula, while an old entry has to be compared. */
  legacyDigest: Digest | undefined;
  resourceVersion: string | undefined;
  /** When that version was written, on the Timeline; -Infinity while none was seen. */
  writtenAt: number;
  /** Its last write that left its time, see lastWriteOf. */
  lastWrite: number | undefined;
  /** After when it was deleted, on the Timeline; undefined while it is present or was never seen. */
  absentAfter: number | undefined;
  /** Whether a list came in its absence, so that it may have been there for a while unseen. */
  mayHaveReturned: boolean;
  /** When its content last changed or may have, on the Timeline; -Infinity: not since the first list. */
  changedAt: number;
  /** When what its first list showed was written, if the state has other content. */
  foundChangedAt?: number | undefined;
  /** The digests of the keys of a whole object as they were last, where they are told apart. */
  keyDigests?: KeyDigests | undefined;
  /** Of some keys: the object is there, and has to be looked at before anything can be said of them. */
  isUnread?: boolean;
  /** A reloader keeps its state in it: to workloads it is not there. */
  isState: boolean;
}

/** What is known of one workload that follows something. */
export interface WorkloadRecord {
  workload: Workload;
  variables: ReadonlyMap<ObjectKey, StampVariables>;
  /** Changed by Edges.put alone. */
  readonly edges: Map<ObjectKey, Edge>;
  /** Whether it was there when this process listed its kind first. */
  readonly isFromStart: boolean;
  /** Until when pods may have started, on the Timeline: Infinity while it is rolling. */
  rolledUntil: number;
  /** Up to when the workload's own history is known, on the Timeline. */
  knownAt: number;
  /** The rollout that its owner began, where its pods make one of ours needless. */
  externalRollout: ExternalRollout | undefined;
  /** How often our stamp was taken back before the workload had rolled. */
  takeBacks: number;
  /** The plan whose patch is on its way, or whose answer was lost. */
  inFlight: RolloutPlan | undefined;
}

/** The number that a patch under way has for the object, or one whose answer was lost; 0: there is none. */
export function sequenceInFlight({ inFlight }: WorkloadRecord, config: ObjectKey): number {
  return inFlight === undefined ? 0 : sequenceIn(inFlight, config);
}

/** The knowledge of one process. */
export class Edges {
  readonly configs: Map<ObjectKey, ConfigRecord> = new Map();
  readonly workloads: Map<ObjectKey, WorkloadRecord> = new Map();
  readonly dependents: DependentsIndex = new DependentsIndex();
  /** The names of the whole objects that have a record. */
  readonly names: NamesIndex = new NamesIndex();
  /** What has a record besides whole objects. */
  readonly scopes: ScopesIndex = new ScopesIndex();
  /** Workloads with patterns: what appears may be one of those that they mean. */
  readonly withPatterns: Set<ObjectKey> = new Set();
  readonly vocabularies: Vocabularies;
  readonly homeNamespace: string;
  readonly presence: Presence;
  /** The term whose numbers the stamps have; undefined: they go on by one. */
  term: number | undefined;
  /** The namespaces in which workloads may be rolled; undefined: every one. */
  selected: Set<string> | undefined;
  /** The ConfigMaps of this process's own state. */
  ownState: ReadonlySet<ObjectKey> = new Set();
  /** Whether objects are watched by their labels: one that no stream shows may be there all the same. */
  isSelective = false;
  /** Whether an owner's rollout may stand for one of ours: where times can be compared, and it is wanted. */
  absorbsExternalRollouts = false;
  /**
   * Whether somebody is told of what is owed, in place of a patch: `ran` is then what was told last, and who starts the
   * pods of a workload anew, as whoever was told may do, tells nothing.
   */
  onlyTells = false;
  /** When it had been written last as it was first read, see lastWriteOf. */
  stateWrittenAt: number | undefined;
  /** What the state is known to say. */
  state: ShardedState = NO_STATE;
  /** The shard in which each entry lies, or was last sent to or seen: a key does not move. */
  readonly places: Map<StateKey, number> = new Map();
  /** Numbers that a state write, or a stamp on a workload that has ceased to follow, may have used: others may be silent up to them. */
  readonly minSequences: Map<ObjectKey, number> = new Map();
  /** Until when it is remembered that an edge was owed as it ended, see debts.ts. */
  readonly debts: Map<string, number> = new Map();
  now: () => number = monotonicMs;
  /** Objects whose last dependent was seen to go while everything was synced: their entries are removed. */
  readonly abandoned: PartsIndex = new PartsIndex();

  /** `homeNamespace`: the namespace of the state ConfigMap, whose objects' keys have no prefix. */
  constructor(
    vocabularies: Vocabularies,
    homeNamespace: string,
    rules: PresenceRules = { onCreate: false, onDelete: false },
    term?: number,
  ) {
    this.vocabularies = vocabularies;
    this.homeNamespace = homeNamespace;
    this.presence = new Presence(rules);
    this.term = term;
  }

  /** A workload as it was read outside its stream. */
  viewOf(ref: WorkloadRef, raw: RawWorkload): Workload {
    return workloadOf(workloadKindOf(ref.kind), raw, this.vocabularies);
  }

  /**
   * The record of `ref`, made if there is none; `key` is its key, where there is one already. The object of which some keys
   * have a record has one too.
   */
  configRecordOf(ref: ConfigRef, key: ObjectKey = keyOf(ref)): ConfigRecord {
    let record = this.configs.get(key);
    if (record === undefined) {
      const isWhole = ref.keys === undefined;
      record = isWhole ? newRecord(ref) : scopedRecordOf(this.configRecordOf(wholeOf(ref)), ref);
      if (isWhole) this.names.add(ref);
      else this.scopes.add(ref);
      this.configs.set(key, record);
    }
    return record;
  }

  /** Forgets what nobody follows: some keys of an object at once, an object only when it is absent and so are all followed keys. */
  forgetConfig(key: ObjectKey): void {
    const record = this.configs.get(key);
    if (record === undefined || this.dependents.dependentsOf(key).size > 0) return;
    const { ref, digest, isState } = record;
    const isThere = digest !== undefined || isState;
    if (ref.keys === undefined && (isThere || this.scopes.of(key).length > 0)) return;
    this.configs.delete(key);
    if (ref.keys === undefined) {
      this.names.delete(ref);
      return;
    }
    this.scopes.delete(ref);
    this.forgetConfig(keyOf(wholeOf(ref)));
  }

  /** The key of the entry of `ref`. */
  entryKeyOf(ref: ConfigRef): StateKey {
    return entryKeyOf(ref, this.homeNamespace);
  }

  /** The key of the exceptions of `ref`. */
  overridesKeyOf(ref: WorkloadRef): StateKey {
    return overridesKeyOf(ref, this.homeNamespace);
  }

  /** Knows the workload from now on. */
  keep(key: ObjectKey, record: WorkloadRecord, hasPatterns: boolean): void {
    this.workloads.set(key, record);
    if (hasPatterns) this.withPatterns.add(key);
    else this.withPatterns.delete(key);
  }

  /** The persisted entry of `ref`. */
  entryOf(ref: ConfigRef): StateEntry | undefined {
    return this.state.entries.get(this.entryKeyOf(ref));
  }

  /** The state that is known, but for one shard, which says this. */
  withShard(shard: number, says: PersistedState): ShardedState {
    const before = this.state.shards;
    const length = Math.max(before.length, shard + 1);
    const shards = Array.from({ length }, (_, at) => (at === shard ? says : (before[at] ?? EMPTY_STATE)));
    return together(shards, this.homeNamespace);
  }

  /** One shard is known to say this from now on. */
  takeShard(shard: number, says: PersistedState): void {
    this.state = this.withShard(shard, says);
    for (const [key, home] of this.state.homes) this.places.set(key, home);
  }

  /** The shard in which the entry of `ref` lies, or would again; undefined before it is first written. */
  shardOf(ref: ConfigRef): number | undefined {
    const key = this.entryKeyOf(ref);
    return this.places.get(key) ?? this.state.homes.get(key);
  }

  /** The entry of `ref` is to lie where that of `former` does, which it takes the place of: one write does both. */
  placeBeside(ref: ConfigRef, former: ConfigRef): void {
    const shard = this.shardOf(former);
    if (shard !== undefined && this.shardOf(ref) === undefined) this.places.set(this.entryKeyOf(ref), shard);
  }

  /** The recorded exception of an edge: its own, else what is kept for all workloads of its kind. */
  overrideOf(workload: WorkloadRef, config: ConfigRef): RunningDigest | undefined {
    return recordedOf(this.state, workload, config, this.homeNamespace).runningDigest;
  }

  /** Whether nothing is recorded of the edge but what is kept for all workloads of its kind: its pods started unseen. */
  isByKind(workload: WorkloadRef, config: ConfigRef): boolean {
    return recordedOf(this.state, workload, config, this.homeNamespace).isOfKind;
  }

  /** The number up to which stamps of `ref` are silent, or may be once a write under way is answered. */
  minSequenceOf(ref: ConfigRef): number {
    return Math.max(this.entryOf(ref)?.sequence ?? 0, this.minSequences.get(keyOf(ref)) ?? 0);
  }

  /** No stamp to come of the object uses `number`, nor a lower one. */
  raiseMinSequence(config: ObjectKey, number: number): void {
    this.minSequences.set(config, Math.max(this.minSequences.get(config) ?? 0, number));
  }

  /** Whether `workload` owes something. */
  needsRollout(workload: ObjectKey): boolean {
    const record = this.workloads.get(workload);
    if (record === undefined) return false;
    for (const [config, edge] of record.edges) if (this.isOutdatedOn(record, config, edge)) return true;
    return false;
  }

  /** Whether `edge`, of `record` and `config`, is owed. */
  isOutdatedOn(record: WorkloadRecord, config: ObjectKey, edge: Edge): boolean {
    return isOutdated(edge, this.observed(record, this.configs.get(config)));
  }

  /** What is in force of an object for the workload; undefined: nothing, or nobody knows. */
  observed({ workload }: WorkloadRecord, config: ConfigRecord | undefined): Digest | undefined {
    if (config?.isUnread === true) return undefined;
    return config && this.presence.observed(workload, config.ref, config.digest);
  }

  /** What a commit of the object records: its content, or its absence where that is what pods started with. */
  committable(config: ConfigRecord): Digest | undefined {
    if (config.digest !== undefined) return config.digest;
    const hasEntry = this.entryOf(config.ref) !== undefined;
    const isAbsence = this.edgesOf(keyOf(config.ref)).some(
      ([record, edge]) =>
        this.observed(record, config) === ABSENT || (!hasEntry && edge.runningDigest === ABSENT),
    );
    return isAbsence ? ABSENT : undefined;
  }

  /**
   * Whether `config` is open: changed and not committed, or owed by somebody. Pods that somebody else starts while it is
   * may have read anything.
   */
  isOpen(config: ObjectKey): boolean {
    const record = this.configs.get(config);
    const entry = record && this.entryOf(record.ref);
    const digest = record && this.committable(record);
    if (digest !== undefined && entry !== undefined && entry.digest !== digest) return true;
    return this.edgesOf(config).some(([workload, edge]) => {
      const observed = this.observed(workload, record);
      return observed === undefined
        ? entry !== undefined && edge.runningDigest !== entry.digest
        : isOutdated(edge, observed);
    });
  }

  /** Whether workloads of `namespace` may be rolled. */
  isSelected(namespace: string): boolean {
    return this.selected?.has(namespace) !== false;
  }

  /** Whether a reloader keeps its state in the object, this one or another. */
  isState(ref: ConfigRef): boolean {
    const whole = keyOf(wholeOf(ref));
    return this.ownState.has(whole) || this.configs.get(whole)?.isState === true;
  }

  /** Whether nothing is begun for the object by a workload of `namespace`: that is not selected, and it never had an entry. */
  isUnbegun(ref: ConfigRef, namespace: string): boolean {
    return !this.isSelected(namespace) && this.shardOf(ref) === undefined;
  }

  /** Whether the policy of the workload asks for the object as it is now; an absent one is asked for as it was last. */
  asks(workload: WorkloadRecord, config: ConfigRecord): boolean {
    return this.judge(workload, config).asks;
  }

  /** The same with the reason. */
  judge({ workload }: WorkloadRecord, { ref, annotations }: ConfigRecord): Verdict {
    if (this.isState(ref)) return { asks: false, because: 'state' };
    if (this.isUnbegun(ref, workload.ref.namespace)) return { asks: false, because: 'unselected' };
    return this.vocabularies.judge(workload, ref, annotations);
  }

  /**
   * Every change of an edge goes through here. Of what its policy does not ask for the pods are taken to run whatever is
   * in force: so it owes nothing, and begins with that once it asks for more. Answers the edge as it is from now on.
   */
  put(record: WorkloadRecord, config: ObjectKey, edge: Edge): Edge {
    const next = this.#underPolicy(record, this.configs.get(config), edge);
    record.edges.set(config, next);
    return next;
  }

  #underPolicy(record: WorkloadRecord, config: ConfigRecord | undefined, edge: Edge): Edge {
    if (config === undefined || config.isUnread === true) return edge;
    const isAway = this.presence.beginsAbsent(record.workload, config.ref, config.digest);
    const begun = isAway && edge.runningDigest === undefined ? { ...edge, runningDigest: ABSENT } : edge;
    const observed = this.observed(record, config);
    if (observed === undefined) {
      // Pods that start now do so without it: for its return they are rolled, and others are not.
      const startsWithout = isAway && begun.runningDigest !== ABSENT && !record.workload.isRolledOut;
      return startsWithout ? { ...begun, mixedPods: true } : begun;
    }
    // That an object comes to be, or goes, no words ask for.
    const isStep = !this.presence.counts(begun.runningDigest, observed);
    const isAsked = this.asks(record, config) && !isStep;
    return isAsked ? begun : asSkipped(begun, observed, isStep ? undefined : config.writtenAt);
  }

  /** The names of a kind of object in `namespace` that are observed, followed, or in the state. */
  namesIn(namespace: string): KnownNames {
    return (kind) => {
      const recorded = namesOfEntries(this.state, this.homeNamespace).of(namespace, kind);
      const names = new Set([...this.names.of(namespace, kind), ...recorded]);
      return [...names].filter((name) => !this.isState({ kind, namespace, name }));
    };
  }

  /** The edges of all dependents of `config`. */
  edgesOf(config: ObjectKey): [WorkloadRecord, Edge][] {
    const edges: [WorkloadRecord, Edge][] = [];
    for (const key of this.dependents.dependentsOf(config)) {
      const record = this.workloads.get(key);
      const edge = record?.edges.get(config);
      if (record !== undefined && edge !== undefined) edges.push([record, edge]);
    }
    return edges;
  }

  /**
   * Whether a restart at this moment would believe something else of the edge than this process does: then the state must
   * be written at once. What is only dirty waits for the next write, what is being patched for the answer.
   */
  wouldForget(workload: WorkloadRecord, config: ConfigRecord, edge: Edge): boolean {
    const entry = this.entryOf(config.ref);
    // What is not asked for waits for the next write, unless a stamp would be believed that says something else.
    const isStampBelieved = entry !== undefined && isUncommitted(edge.stamp, entry);
    if (!this.asks(workload, config) && !isStampBelieved) return false;
    if (
      edge.runningDigest === undefined ||
      (workload.inFlight !== undefined && edge.runningDigest !== UNKNOWN)
    )
      return false;
    const override = this.overrideOf(workload.workload.ref, config.ref);
    const believed = runningDigestAtStart(entry, override, edge.stamp);
    return believed !== edge.runningDigest && !(edge.mixedPods && believed === UNKNOWN);
  }
}
