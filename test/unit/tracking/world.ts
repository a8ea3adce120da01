/**
 * A small world for the rules: live objects that tests edit, and a memory that is told of them through the real rules.
 * Contents are single hex digits (`a` to `f`), a stamp or an entry is written `b.2`. Each edit and each look takes one
 * step on one axis, which is also the resourceVersion, as on an API server whose versions compare.
 */

import assert from 'node:assert/strict';
import type { VocabularyOptions } from '../../../lib/annotations/vocabularies.ts';
import type { Edge } from '../../../lib/model/edge.ts';
import { type ConfigRef, keyOf, type ObjectKey, type WorkloadRef } from '../../../lib/model/object-ref.ts';
import { parseState, STATE_VERSION_ANNOTATION } from '../../../lib/model/persisted-state.ts';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import type { RolloutPlan } from '../../../lib/model/rollout-plan.ts';
import { formatEntry, type StateEntry } from '../../../lib/model/state-entry.ts';
import { type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { planRollout } from '../../../lib/rollout/plan-rollout.ts';
import type { WriteGate } from '../../../lib/state/compress.ts';
import { applyStateWrite, noteSent, StatePlan, type StateWrite } from '../../../lib/state/state-write.ts';
import type { PresenceRules } from '../../../lib/store/presence.ts';
import type { WorkloadRecord } from '../../../lib/store/records.ts';
import { Store } from '../../../lib/store/store.ts';
import { needsRollout, unmarkedObjects } from '../../../lib/tracking/edge-policy.ts';
import { Effects } from '../../../lib/tracking/effects.ts';
import { observeConfig, observeListed } from '../../../lib/tracking/observe-config.ts';
import { observeWorkload } from '../../../lib/tracking/observe-workload.ts';
import { acceptRollout } from '../../../lib/tracking/rollout-decision.ts';
import type { Json, JsonObject } from '../../sandbox/json.ts';
import { jsonPatch } from '../../sandbox/json-patch.ts';
import { StatusError } from '../../sandbox/status-error.ts';
import { settingsWith, type TestSettings } from '../../settings.ts';
import { vocabulary } from '../annotations/defaults.ts';
import { type Arrival, d, type Live, type Marks, NEW, patched, rawOf, type Sketch } from './sketch.ts';

/** Answers yes to everything: all is listed and nobody waits. */
export const OPEN_GATE: WriteGate = {
  isSynced: (_namespace, kind) => kind !== 'Rollout',
  isWaiting: () => false,
};

interface Content {
  readonly content: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly version: number;
}

/** See the file's comment. */
export class World {
  readonly settings: TestSettings;
  readonly store: Store;
  readonly namespace: string;
  readonly live: Map<string, Live> = new Map();
  readonly contents: Map<string, Content> = new Map();
  readonly #flags: Partial<VocabularyOptions>;
  readonly #rules: PresenceRules | undefined;
  now = 0;
  readonly #candidates = new Set<ObjectKey>();
  /** Where the next new entry goes. */
  nextShard = 0;

  /**
   * `state`: the data of a state ConfigMap in short form; `namespace`: that of all objects, the home one unless told;
   * `flags`: how the vocabularies differ from the default.
   */
  constructor(
    state: Readonly<Record<string, string>> = {},
    namespace = 'home',
    flags: Partial<VocabularyOptions> = {},
    rules?: PresenceRules,
  ) {
    this.#flags = flags;
    this.#rules = rules;
    this.settings = settingsWith({
      vocabularies: vocabulary(flags),
      ...(rules && { presence: rules }),
    });
    this.store = new Store(this.settings);
    this.namespace = namespace;
    this.state(state);
  }

  /** Takes a state ConfigMap as read. */
  state(data: Readonly<Record<string, string>>): void {
    const long = Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, value.replace(/(?<=^|")[a-f](?=\.|"|$)/g, d)]),
    );
    const parsed = parseState(long, { [STATE_VERSION_ANNOTATION]: '1' }, 'home', this.store.settings.knows);
    assert.ok(parsed.type === 'state' && parsed.unreadable.length === 0);
    this.store.persisted.takeShard(0, parsed.entries);
  }

  /** The state as known, in short form. */
  get written(): Record<string, string> {
    const short = (entry: StateEntry): string => formatEntry(entry).replace(/([a-f])\1{39}/, '$1');
    return Object.fromEntries(
      [...this.store.persisted.state.entries].map(([key, each]) => [key, short(each)]),
    );
  }

  /** The object gets `content`, and perhaps other annotations by the same write, and its stream tells. */
  config(name: string, content: string, { marks, ...arrival }: Arrival & Marks = {}): Effects {
    this.now += 1;
    const annotations = marks ?? this.contents.get(name)?.annotations ?? {};
    this.contents.set(name, { content, annotations, version: this.now });
    return this.tellConfig(name, arrival);
  }

  /** The object gets other annotations and the same content, and its stream tells. */
  mark(name: string, marks: Readonly<Record<string, string>>, arrival: Arrival = {}): Effects {
    const present = this.contents.get(name);
    assert.ok(present !== undefined, `no object ${name}`);
    return this.config(name, present.content, { marks, ...arrival });
  }

  /** The stream tells of the object as it is now. */
  tellConfig(name: string, arrival: Arrival = {}): Effects {
    const ref = this.configRef(name);
    const present = this.contents.get(name);
    if (present === undefined) {
      return observeConfig(this.store, {
        type: 'absent',
        key: keyOf(ref),
        span: this.#span(arrival),
      });
    }
    const { content, annotations = {}, version } = present;
    const isState = annotations[STATE_VERSION_ANNOTATION] === undefined ? {} : ({ isState: true } as const);
    const digests = { digest: d(content), keyDigests: '' };
    const object = { ref, uid: name, resourceVersion: `${version}`, ...digests, annotations, ...isState };
    return this.requested(
      observeConfig(this.store, { ...this.#news(arrival, version), key: keyOf(ref), object }),
    );
  }

  /** A Secret gets `content`, and its stream tells. */
  secret(name: string, content: string): Effects {
    this.now += 1;
    const ref = { kind: 'Secret', namespace: this.namespace, name } as const;
    const object = {
      ref,
      uid: `uid-${name}`,
      resourceVersion: String(this.now),
      digest: d(content),
      keyDigests: '',
      annotations: {},
    };
    return observeConfig(this.store, { ...this.#news({}, this.now), key: keyOf(ref), object });
  }

  /** The stream of ConfigMaps has listed: what it has not told is not there. */
  listed(): Effects {
    const stream = { kind: 'ConfigMap', namespace: undefined };
    return this.store.presence.markListed(stream) ? observeListed(this.store, stream) : new Effects();
  }

  /** The object is deleted, and its stream tells. */
  noConfig(name: string): Effects {
    this.now += 1;
    this.contents.delete(name);
    return this.tellConfig(name);
  }

  /** The workload is created or changed by its owner, and its stream tells. */
  workload(name: string, sketch: Sketch, arrival: Arrival = {}): Effects {
    this.edit(name, sketch);
    return this.tellWorkload(name, arrival);
  }

  /** The workload is created or changed, and nobody is told yet. */
  edit(name: string, sketch: Sketch): void {
    this.now += 1;
    const before = this.live.get(name) ?? NEW;
    const isSpec = [
      sketch.image,
      sketch.refers,
      sketch.template,
      sketch.stamps,
      sketch.replicas,
      sketch.paused,
    ].some((part) => part !== undefined);
    const generation = before.generation + (isSpec || before === NEW ? 1 : 0);
    this.live.set(name, { ...before, ...sketch, version: this.now, generation });
  }

  /** The stream tells of the workload as it is now. */
  tellWorkload(name: string, arrival: Arrival = {}): Effects {
    const key = this.workloadKey(name);
    const live = this.live.get(name);
    if (live === undefined) {
      return this.requested(observeWorkload(this.store, { type: 'absent', key, span: this.#span(arrival) }));
    }
    const object = this.view(name);
    return this.requested(observeWorkload(this.store, { ...this.#news(arrival, live.version), key, object }));
  }

  requested(effects: Effects): Effects {
    for (const config of effects.persisted) this.#candidates.add(config);
    return effects;
  }

  /** The workload is deleted, and its stream tells. */
  noWorkload(name: string): Effects {
    this.now += 1;
    this.live.delete(name);
    return this.tellWorkload(name);
  }

  /** The live workload as the API server would send it. */
  raw(name: string): RawWorkload {
    const live = this.live.get(name);
    assert.ok(live !== undefined, `no workload ${name}`);
    return rawOf({ name, namespace: this.namespace }, live);
  }

  /** The view of the live workload. */
  view(name: string): Workload {
    return workloadOf(workloadKindOf('Deployment'), this.raw(name), this.store.settings.vocabularies);
  }

  /** The state marks the workload, which is planned for, and the patch is sent. */
  send(name: string): RolloutPlan {
    this.markAhead(name);
    const plan = planRollout(this.store, this.workloadKey(name));
    assert.ok(plan !== undefined, `${name} owes nothing`);
    this.record(name).inFlight = plan;
    return plan;
  }

  /** The patch takes effect; nobody is told yet. */
  land(plan: RolloutPlan, isRolledOut = false): void {
    const { name } = plan.workload;
    const live = this.live.get(name);
    this.edit(name, {
      ...(live && patched(live, plan)),
      isRolledOut,
      manager: 'kubernetes-reloader',
    });
  }

  /** The patch's answer arrives: accepted. */
  answer(plan: RolloutPlan): Effects {
    const effects = new Effects();
    const workload = this.view(plan.workload.name);
    const at = Number(workload.resourceVersion);
    acceptRollout(this.store, effects, plan, workload, { from: at - 1, to: at });
    return effects;
  }

  /** One whole rollout: patched, answered, and (unless told otherwise) all pods new. */
  roll(name: string, isRolledOut = true): RolloutPlan {
    const plan = this.send(name);
    this.land(plan);
    this.answer(plan);
    if (isRolledOut) this.workload(name, { isRolledOut: true });
    return plan;
  }

  /** The state marks all that the workload is outdated on. */
  markAhead(name: string): void {
    const unmarked = (): ObjectKey[] =>
      unmarkedObjects(this.store, this.record(name)).map(({ ref }) => keyOf(ref));
    if (unmarked().length > 0) for (const write of this.#planned(unmarked())) this.#commit(write);
    assert.deepEqual(unmarked(), [], 'the state has no mark');
  }

  /** The first of `plans`. */
  plan(...what: Parameters<World['plans']>): StateWrite | undefined {
    return this.plans(...what)[0];
  }

  /** Plans the writes for the objects named (all that are known unless told), one for each shard that needs one. */
  plans(names?: readonly string[], gate: WriteGate = OPEN_GATE): readonly StateWrite[] {
    const configs = names?.map((name) => this.configKey(name)) ?? this.#known;
    return this.#planned(configs, gate).filter(({ due }) => due !== 'not');
  }

  get #known(): ReadonlySet<ObjectKey> {
    return new Set([...this.store.dependents.keys(), ...this.#candidates]);
  }

  #planned(configs: Iterable<ObjectKey>, gate: WriteGate = OPEN_GATE): readonly StateWrite[] {
    return new StatePlan(this.store, { configs, gate, place: () => this.nextShard }).writes;
  }

  #commit(write: StateWrite): void {
    noteSent(this.store, write);
    for (const config of applyStateWrite(this.store, write)) this.#candidates.add(config);
  }

  /** Writes the state until nothing differs, or nothing is due; answers the last write. */
  write({ isLast = false }: { readonly isLast?: boolean } = {}): StateWrite | undefined {
    let last: StateWrite | undefined;
    for (let round = 0; round < 10; round += 1) {
      const [write] = isLast ? this.#planned(this.#known) : this.plans();
      if (write === undefined) return last;
      this.#commit(write);
      last = write;
    }
    return assert.fail('the state is written again and again');
  }

  /** The process dies; another one, perhaps with other flags, reads the state that was written and lists everything. */
  restart(flags: Partial<VocabularyOptions> = this.#flags): World {
    const next = new World({}, this.namespace, flags, this.#rules);
    for (const [shard, own] of this.store.persisted.state.shards.entries())
      next.store.persisted.takeShard(shard, own);
    next.now = this.now;
    next.settings.newStampId = this.settings.newStampId;
    for (const [name, content] of this.contents) next.contents.set(name, content);
    for (const [name, live] of this.live) next.live.set(name, live);
    for (const name of next.contents.keys()) next.tellConfig(name, { initial: true });
    for (const name of next.live.keys()) next.tellWorkload(name, { initial: true });
    return next;
  }

  /** The edge between a workload and an object. */
  edge(workload: string, config = 'cfg'): Edge {
    const edge = this.record(workload).edges.get(this.configKey(config));
    assert.ok(edge !== undefined, `${workload} does not follow ${config}`);
    return edge;
  }

  /** What is known of a workload. */
  record(name: string): WorkloadRecord {
    const record = this.store.workloads.get(this.workloadKey(name));
    assert.ok(record !== undefined, `${name} is not known`);
    return record;
  }

  /** Whether the workload owes something. */
  needsRollout(name: string): boolean {
    return needsRollout(this.store, this.workloadKey(name));
  }

  configRef(name: string): ConfigRef {
    return { kind: 'ConfigMap', namespace: this.namespace, name };
  }

  configKey(name: string): ObjectKey {
    return keyOf(this.configRef(name));
  }

  workloadRef(name: string): WorkloadRef {
    return { kind: 'Deployment', namespace: this.namespace, name };
  }

  workloadKey(name: string): ObjectKey {
    return keyOf(this.workloadRef(name));
  }

  #news(arrival: Arrival, version: number) {
    const { initial = false, relisted = false } = arrival;
    const span = this.#span(arrival, version);
    const from = initial ? Number.NEGATIVE_INFINITY : span.from;
    const marks = { isInInitialList: initial, isRelisted: relisted };
    return { type: 'present', span: { ...span, from }, ...marks } as const;
  }

  #span({ since }: Arrival, to: number = this.now): { readonly from: number; readonly to: number } {
    return { from: since ?? to - 1, to };
  }
}

/** Whether the API server takes the plan's patch for this object. */
export function isTaken({ operations }: RolloutPlan, raw: RawWorkload): boolean {
  try {
    jsonPatch(raw as unknown as JsonObject, operations as Json);
    return true;
  } catch (error) {
    if (error instanceof StatusError) return false;
    throw error;
  }
}

/** A world whose state says that `cfg` is committed as `a`, where it is `a` and the workloads named have rolled. */
export function settled(...workloads: string[]): World {
  return settledWith({}, workloads);
}

/** The same with vocabularies that differ from the default. */
export function settledWith(flags: Partial<VocabularyOptions>, workloads: readonly string[]): World {
  const world = new World({ 'v1.ConfigMap_cfg': 'a.1' }, 'home', flags);
  world.config('cfg', 'a', { initial: true });
  for (const name of workloads) world.workload(name, { follows: ['cfg'] }, { initial: true });
  return world;
}
