/**
 * The observations of one term: objects, the workloads that follow them, and the edges between the two. Data with look-ups and
 * indexes; the rules that change it are in tracking.
 */

import type { KnownNames } from '../annotations/policy.ts';
import { type Digests, translated } from '../model/digest.ts';
import type { Edge } from '../model/edge.ts';
import {
  type ConfigRef,
  keyOf,
  nameIn,
  type ObjectKey,
  type WorkloadRef,
  wholeOf,
} from '../model/object-ref.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import { type Annotations, type Workload, workloadOf } from '../model/workload.ts';
import { workloadKindOf } from '../model/workload-kind.ts';
import { Index, parentOf } from './key-index.ts';
import { PersistedView } from './persisted-view.ts';
import { Presence } from './presence.ts';
import { type ConfigRecord, type Halted, newRecord, scopedRecordOf, type WorkloadRecord } from './records.ts';
import type { Settings } from './term-settings.ts';

/** See the file's comment. Not persisted: a start builds it from lists and from the state. */
export class Store {
  readonly settings: Settings;
  readonly persisted: PersistedView;
  readonly configs: Map<ObjectKey, ConfigRecord> = new Map();
  readonly workloads: Map<ObjectKey, WorkloadRecord> = new Map();
  /** By object, the workloads that follow it. */
  readonly dependents: Index<ObjectKey, ObjectKey> = new Index();
  /**
   * The objects that have a record: by the key of an object, the sets of its keys, each of which is followed like an object of its
   * own; by namespace and kind, the whole objects.
   */
  readonly parts: Index<string, ObjectKey> = new Index();
  /** Workloads with expressions: a new object may match one of them. */
  readonly withPatterns: Set<ObjectKey> = new Set();
  /** By Deployment, the Rollouts whose template it has: while there are any, it is no workload of its own. */
  readonly referring: Index<ObjectKey, ObjectKey> = new Index();
  /** The placeholder Jobs that exist: their Jobs are deleted and not created again yet. */
  readonly copies: Set<ObjectKey> = new Set();
  /** The Deployment of each such Rollout. */
  readonly referencedBy: Map<ObjectKey, ObjectKey> = new Map();
  readonly presence: Presence;
  /** The selected namespaces; used only if the settings have a namespace selector. */
  readonly selected: Set<string> = new Set();
  /** By namespace, its annotations that count for its workloads; only of those that have some. */
  readonly namespaceAnnotations: Map<string, Annotations> = new Map();
  /** Whether the annotations of all namespaces are known; used only if they count. */
  areNamespacesListed = false;
  /** By deleted workload, the objects for which it was out of date; the oldest first. */
  readonly outdatedWhenDeleted: Map<ObjectKey, ReadonlySet<ObjectKey>> = new Map();
  /** By object, what halted its present content, where the state may not have it yet. */
  readonly halts: Map<ObjectKey, Halted> = new Map();

  constructor(settings: Settings) {
    this.settings = settings;
    this.persisted = new PersistedView(settings.homeNamespace);
    this.presence = new Presence(settings.presence);
  }

  /** The projection of a workload that was read outside its stream. */
  viewOf(ref: WorkloadRef, raw: RawWorkload): Workload {
    return workloadOf(workloadKindOf(ref.kind), raw, this.settings.vocabularies);
  }

  /**
   * The record of `ref`, created if needed; for a set of keys also that of the whole object. `key`: the key of `ref`, to save
   * its computation.
   */
  configRecordOf(ref: ConfigRef, key: ObjectKey = keyOf(ref)): ConfigRecord {
    const known = this.configs.get(key);
    if (known !== undefined) return known;
    const record = ref.keys === undefined ? newRecord(ref) : this.#newScope(ref);
    this.parts.add(parentOf(key), key);
    this.configs.set(key, record);
    return record;
  }

  /** The record of a set of keys, which is seen for the first time with the content that its object has. */
  #newScope(ref: ConfigRef): ConfigRecord {
    const record = scopedRecordOf(this.configRecordOf(wholeOf(ref)), ref);
    const { lastDigest: digest, otherDigests } = record;
    if (this.isAnotherThanWritten(ref, { digest, otherDigests })) {
      record.isUndated = true;
      record.foundChangedAt ??= record.writtenAt;
    }
    return record;
  }

  /** The key of `whole`, and those of its followed sets of keys. */
  partsOf(whole: ObjectKey): readonly ObjectKey[] {
    return [whole, ...this.parts.of(whole)];
  }

  /** Whether a content, the first that is seen of an object, is another one than its entry names. */
  isAnotherThanWritten(ref: ConfigRef, content: Digests): boolean {
    const { digest } = content;
    const written = translated(this.persisted.entryOf(ref)?.digest, content);
    if (digest === undefined || written === undefined) return false;
    return written !== digest && this.presence.counts(written, digest);
  }

  /**
   * Forgets an object without followers: a set of keys at once, a whole object only when it and all followed keys are absent.
   */
  forgetConfig(key: ObjectKey): void {
    const record = this.configs.get(key);
    if (record === undefined || this.dependents.of(key).size > 0) return;
    const { ref, digest } = record;
    if (ref.keys === undefined && (digest !== undefined || this.parts.of(key).size > 0)) return;
    this.configs.delete(key);
    this.parts.delete(parentOf(key), key);
    if (ref.keys !== undefined) this.forgetConfig(parentOf(key));
  }

  /** Keeps which Deployment has the template of the Rollout `key`; undefined: none has. */
  refer(key: ObjectKey, deployment: ObjectKey | undefined): void {
    const before = this.referencedBy.get(key);
    if (before === deployment) return;
    if (before !== undefined) this.referring.delete(before, key);
    this.referencedBy.delete(key);
    if (deployment === undefined) return;
    this.referencedBy.set(key, deployment);
    this.referring.add(deployment, key);
  }

  /** Whether workloads of `namespace` may be rolled. */
  isSelected(namespace: string): boolean {
    return !this.settings.selectsNamespaces || this.selected.has(namespace);
  }

  /** Whether this process keeps its state, or the keys of its digests, in the object. */
  isOwn(ref: ConfigRef): boolean {
    const whole = keyOf(wholeOf(ref));
    return this.settings.ownState.has(whole) || this.settings.ownKeys === whole;
  }

  /** The names of a kind of object in `namespace` that are observed, followed, or in the state. */
  namesIn(namespace: string): KnownNames {
    return (kind) => {
      const place = [namespace, kind].join('/');
      const keys = new Set([...this.parts.of(place), ...this.persisted.names.of(place)]);
      for (const own of [...this.settings.ownState, this.settings.ownKeys]) keys.delete(own);
      return [...keys].map(nameIn);
    };
  }

  /** The edges of all dependents of `config`. */
  edgesOf(config: ObjectKey): [WorkloadRecord, Edge][] {
    const edges: [WorkloadRecord, Edge][] = [];
    for (const key of this.dependents.of(config)) {
      const record = this.workloads.get(key);
      const edge = record?.edges.get(config);
      if (record !== undefined && edge !== undefined) edges.push([record, edge]);
    }
    return edges;
  }
}
