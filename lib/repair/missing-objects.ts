/**
 * Objects that workloads name and no stream shows. Each counts as missing after a grace period, since it may be about to be
 * created, and once its kind is listed. Those of a namespace are published together, so that one finding names all.
 */

import { configRefIn, isMountedKind, namespaceIn, type ObjectKey } from '../model/object-ref.ts';
import { RetryQueue, type RetryQueueOptions } from '../queue/retry-queue.ts';
import type { Store } from '../store/store.ts';

/** The collaborators, and the grace period. */
export interface MissingObjectsOptions extends Pick<RetryQueueOptions, 'random' | 'log'> {
  readonly store: Store;
  /** Whether all objects of a kind and all workloads of a namespace have been listed. */
  readonly isSynced: (namespace: string, kind: string) => boolean;
  /** Called when these objects became missing, or were found. */
  readonly onNews: (configs: ReadonlySet<ObjectKey>) => void;
  readonly graceMs: number;
}

/** See the file's comment. */
export class MissingObjects {
  readonly #options: MissingObjectsOptions;
  /** By namespace. */
  readonly #missing = new Map<string, Set<ObjectKey>>();
  /** Objects in their grace period, by namespace. */
  readonly #suspects = new Map<string, Set<ObjectKey>>();
  /** Objects that wait for a list. */
  readonly #unlisted = new Set<ObjectKey>();
  readonly #queue: RetryQueue;

  constructor(options: MissingObjectsOptions) {
    this.#options = options;
    const reconcile = async (namespace: string): Promise<'done'> => this.#publish(namespace);
    this.#queue = new RetryQueue({ ...options, reconcile, concurrency: 1, isShared: true });
  }

  /** Whether `config` is missing; false during its grace period. */
  has(config: ObjectKey): boolean {
    return this.#missingIn(namespaceIn(config)).has(config) && this.#isMissed(config);
  }

  /** A workload names `config`, which no stream shows. */
  suspect(config: ObjectKey): void {
    if (isMountedKind(configRefIn(config).kind)) return;
    const namespace = namespaceIn(config);
    const suspects = this.#suspects.get(namespace) ?? new Set();
    if (suspects.size === 0) this.#queue.addAfter(namespace, this.#options.graceMs);
    this.#suspects.set(namespace, suspects.add(config));
  }

  /** `config` exists. */
  clear(config: ObjectKey): void {
    if (this.#missingIn(namespaceIn(config)).delete(config)) this.#options.onNews(new Set([config]));
  }

  /** A stream has listed. */
  relist(): void {
    for (const config of this.#unlisted) this.suspect(config);
    this.#unlisted.clear();
  }

  /** Publishes nothing more. */
  close(): Promise<void> {
    return this.#queue.close();
  }

  #publish(namespace: string): 'done' {
    const missing = this.#missingIn(namespace);
    for (const config of missing) if (!this.#isMissed(config)) missing.delete(config);
    const suspects = [...(this.#suspects.get(namespace) ?? [])].filter((config) => this.#isMissed(config));
    const isListed = (config: ObjectKey): boolean =>
      this.#options.isSynced(namespace, configRefIn(config).kind);
    for (const config of suspects) (isListed(config) ? missing : this.#unlisted).add(config);
    if (missing.size > 0) this.#missing.set(namespace, missing);
    else this.#missing.delete(namespace);
    this.#suspects.delete(namespace);
    this.#options.onNews(new Set(suspects.filter(isListed)));
    return 'done';
  }

  #missingIn(namespace: string): Set<ObjectKey> {
    return this.#missing.get(namespace) ?? new Set();
  }

  #isMissed(config: ObjectKey): boolean {
    const { configs, dependents } = this.#options.store;
    return configs.get(config)?.digest === undefined && dependents.of(config).size > 0;
  }
}
