/**
 * Workloads that were created, or rolled by their owners, while no reloader ran and after the object had been written last:
 * all their pods have read what is in force, so nothing is left to roll. Looked at once for each workload that was there at the
 * start, before its first rollout.
 */

import type { ObjectKey } from '../model/object-ref.ts';
import type { PodsBirth } from '../model/outcome.ts';
import { isAfter } from '../model/time.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { isOutdatedOn, observedBy, putEdge, wouldForget } from '../tracking/edge-policy.ts';
import { nextEdge } from '../tracking/edge-state.ts';
import { Effects } from '../tracking/effects.ts';

/** The ReplicaSets of the Deployments of a namespace, by the Deployments' uids; none where they may not be listed. Never throws. */
export type ListBirths = (namespace: string) => Promise<ReadonlyMap<string, PodsBirth>>;

/** What it is made of. */
export interface BirthsOptions {
  readonly store: Store;
  readonly listBirths: ListBirths;
  readonly apply: (effects: Effects) => void;
}

/** See the file's comment. */
export class Births {
  readonly #options: BirthsOptions;
  readonly #lists = new Map<string, ReturnType<ListBirths>>();
  readonly #seen = new WeakSet<WorkloadRecord>();

  constructor(options: BirthsOptions) {
    this.#options = options;
  }

  /** Settles what the pods of the workload have read already. */
  async weigh(workload: ObjectKey): Promise<void> {
    const { store } = this.#options;
    const record = store.workloads.get(workload);
    if (record === undefined || !record.isFromStart || this.#seen.has(record)) return;
    this.#seen.add(record);
    if (this.#doubtful(record).length === 0) return;
    const { uid, ref, createdAt } = record.workload;
    if (ref.kind !== 'Deployment') {
      this.#settle(record, createdAt);
      return;
    }
    const birth = (await this.#birthsIn(ref.namespace)).get(uid);
    const { isRolledOut, revision } = record.workload;
    const isPresent = store.workloads.get(workload) === record && isRolledOut;
    if (isPresent && birth?.revision === revision) this.#settle(record, birth?.createdAt);
  }

  #birthsIn(namespace: string): ReturnType<ListBirths> {
    const births = this.#lists.get(namespace) ?? this.#options.listBirths(namespace);
    this.#lists.set(namespace, births);
    return births;
  }

  /** The edges that are outdated since the start, of objects that were written after the state was. */
  #doubtful(record: WorkloadRecord): readonly (readonly [ObjectKey, ConfigRecord])[] {
    const { store } = this.#options;
    if (store.settings.onlyTells) return [];
    return [...record.edges].flatMap(([key, edge]) => {
      const config = store.configs.get(key);
      if (config?.digest === undefined || !isOutdatedOn(store, record, key, edge)) return [];
      const isSame = config.changedAt === Number.NEGATIVE_INFINITY;
      // What was written before the entry, and is another now, has lost keys since at a time that is not known.
      return isSame && isAfter(config.lastWrite, store.persisted.writtenAt) ? [[key, config] as const] : [];
    });
  }

  /** No pod of the workload is older than `createdAt`. */
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
