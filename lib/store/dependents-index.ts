/** The reverse index of the edges: from an object to the workloads that follow it. */

import type { ObjectKey } from '../model/object-ref.ts';

/** See the file's comment. It keeps no key without an entry, so it does not grow with deleted objects. */
export class DependentsIndex {
  readonly #dependents = new Map<ObjectKey, Set<ObjectKey>>();
  #edges = 0;

  /** The number of edges. */
  get size(): number {
    return this.#edges;
  }

  /** The objects with at least one follower. */
  configs(): Iterable<ObjectKey> {
    return this.#dependents.keys();
  }

  /** The workloads that follow `config`, in the order in which they were added. A live view: it changes with the index. */
  dependentsOf(config: ObjectKey): ReadonlySet<ObjectKey> {
    return this.#dependents.get(config) ?? NONE;
  }

  /** The workloads that follow any of `configs`. */
  dependentsOfAny(configs: Iterable<ObjectKey>): ReadonlySet<ObjectKey> {
    return new Set([...configs].flatMap((config) => [...this.dependentsOf(config)]));
  }

  /** Records that `workload` follows `config`; idempotent. */
  add(workload: ObjectKey, config: ObjectKey): void {
    const workloads = this.#dependents.get(config) ?? new Set();
    this.#dependents.set(config, workloads);
    if (!workloads.has(workload)) this.#edges += 1;
    workloads.add(workload);
  }

  /** Forgets that `workload` follows `config`. */
  delete(workload: ObjectKey, config: ObjectKey): void {
    const workloads = this.#dependents.get(config);
    if (workloads?.delete(workload) !== true) return;
    this.#edges -= 1;
    if (workloads.size === 0) this.#dependents.delete(config);
  }
}

const NONE: ReadonlySet<ObjectKey> = new Set();
