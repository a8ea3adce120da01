/**
 * Spares needless rollouts after an absence. A workload all of whose pods started after the last write of an object has read
 * the content in force, although its edge looks out of date. This is checked once for each workload that was listed at the
 * start, before its first rollout, by the times that the API server puts into metadata.
 */

import type { ObjectKey } from '../model/object-ref.ts';
import type { PodsBirth, ReadBirths } from '../model/outcome.ts';
import { isAfter } from '../model/time.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { isOutdatedOn, observedBy, putEdge, wouldForget } from '../tracking/edge-policy.ts';
import { nextEdge } from '../tracking/edge-state.ts';
import { Effects } from '../tracking/effects.ts';

/** The collaborators of `Births`. */
export interface BirthsOptions {
  readonly store: Store;
  readonly readBirths: ReadBirths;
  readonly apply: (effects: Effects) => void;
}

/** See the file's comment. */
export class Births {
  readonly #options: BirthsOptions;
  /** One list per namespace for all its Deployments; never refreshed, for only the pods of the start matter. */
  readonly #lists = new Map<string, ReturnType<ReadBirths>>();
  /** The workloads that were checked. */
  readonly #seen = new WeakSet<WorkloadRecord>();

  constructor(options: BirthsOptions) {
    this.#options = options;
  }

  /** Makes those edges of the workload up to date whose content all its pods have read. Safe to call before each attempt. */
  async weigh(workload: ObjectKey): Promise<void> {
    const { store } = this.#options;
    const record = store.workloads.get(workload);
    if (record === undefined || !record.isFromStart || this.#seen.has(record)) return;
    this.#seen.add(record);
    if (this.#doubtful(record).length === 0) return;
    const { uid, ref, createdAt } = record.workload;
    // Only a Deployment keeps the time of its last rollout, in its ReplicaSets; of other kinds it is the workload's own
    // creation.
    if (ref.kind !== 'Deployment') {
      this.#settle(record, createdAt);
      return;
    }
    const reading = await this.#birthsIn(ref.namespace);
    // Where they cannot be listed, for whatever reason, there is one rollout more.
    const birth: PodsBirth | undefined = reading.kind === 'listed' ? reading.births.get(uid) : undefined;
    const { isRolledOut, revision } = record.workload;
    // The workload may have been replaced or changed during the list.
    const isPresent = store.workloads.get(workload) === record && isRolledOut;
    if (isPresent && birth?.revision === revision) this.#settle(record, birth?.createdAt);
  }

  #birthsIn(namespace: string): ReturnType<ReadBirths> {
    const births = this.#lists.get(namespace) ?? this.#options.readBirths(namespace);
    this.#lists.set(namespace, births);
    return births;
  }

  /** The edges that are out of date since the start and whose object was written after the state. */
  #doubtful(record: WorkloadRecord): readonly (readonly [ObjectKey, ConfigRecord])[] {
    const { store } = this.#options;
    if (store.settings.onlyTells) return [];
    return [...record.edges].flatMap(([key, edge]) => {
      const config = store.configs.get(key);
      if (config?.digest === undefined || !isOutdatedOn(store, record, key, edge)) return [];
      const isSame = config.changedAt === Number.NEGATIVE_INFINITY;
      // An object written before the state differs from its entry only by a removed key, of which metadata has no time.
      return isSame && isAfter(config.lastWrite, store.persisted.writtenAt) ? [[key, config] as const] : [];
    });
  }

  /** Makes each edge up to date whose object was written before `createdAt`, the time of the oldest possible pod. */
  #settle(record: WorkloadRecord, createdAt: number | undefined): void {
    const { store, apply } = this.#options;
    const effects = new Effects();
    for (const [key, config] of this.#doubtful(record)) {
      const edge = record.edges.get(key);
      if (edge === undefined || !isAfter(createdAt, config.lastWrite)) continue;
      const observed = observedBy(store, record, config);
      const next = putEdge(store, record, key, nextEdge(edge, { type: 'pods-younger', observed }));
      effects.note({ reason: 'created-after-change', workload: record.workload.ref, config: config.ref });
      effects.persist(key, wouldForget(store, record, config, next) ? 'now' : 'soon');
    }
    apply(effects);
  }
}
