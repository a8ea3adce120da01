/**
 * Follows which namespaces are selected. In one that is not, nothing is rolled and no entry of the state is begun; what the
 * state has an entry of is known and owed all the same, and rolled once the namespace is selected.
 */

import { describeAll, nameIn, type ObjectKey, type WorkloadRef } from '../model/object-ref.ts';
import { inTime } from '../model/time.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { Store } from '../store/store.ts';
import { needsRollout } from '../tracking/edge-policy.ts';
import { type DecisionLog, Effects } from '../tracking/effects.ts';
import { reviewState } from './state-write.ts';

/** What it is made of. */
export interface SelectedNamespacesOptions {
  readonly store: Store;
  readonly journal: DecisionLog;
  /** The workload may be rolled from now on; in how many ms it is, undefined if nothing was held back. */
  readonly release: (workload: ObjectKey) => number | undefined;
  /** The namespaces are selected from now on. */
  readonly onSelected: (namespaces: ReadonlySet<string>) => void;
  /** Carries out the consequences. */
  readonly apply: (effects: Effects) => void;
}

/** See the file's comment. */
export class SelectedNamespaces {
  readonly #options: SelectedNamespacesOptions;
  /** Selected by the list under way. */
  readonly #listed = new Set<string>();
  #hasListed = false;

  constructor(options: SelectedNamespacesOptions) {
    this.#options = options;
  }

  /** Whether it is known which namespaces are selected. */
  get hasListed(): boolean {
    return this.#hasListed;
  }

  /** News of a namespace that has the labels: it is there with them, or not any more. */
  observe(event: InformerEvent<string>): void {
    switch (event.type) {
      case 'present':
        this.#select(event.object);
        break;
      case 'absent':
        this.#deselect(nameIn(event.key));
        break;
      case 'synced':
        this.#hasListed = true;
        this.#take(this.#listed);
        this.#listed.clear();
        break;
    }
  }

  #select(namespace: string): void {
    const { store, journal } = this.#options;
    if (store.isSelected(namespace)) return;
    store.selected.add(namespace);
    if (!this.#hasListed) {
      this.#listed.add(namespace);
      return;
    }
    journal.say('selected-namespace', `namespace ${namespace} is selected from now on`, namespace);
    this.#take(new Set([namespace]));
  }

  #deselect(namespace: string): void {
    const { store, journal } = this.#options;
    if (!store.selected.delete(namespace)) return;
    const message = `namespace ${namespace} is not selected any more: nothing is rolled there`;
    journal.say('unselected-namespace', message, namespace);
  }

  /** What was held back in these namespaces is rolled, and what follows without an entry begins with what is in force. */
  #take(namespaces: ReadonlySet<string>): void {
    const { store, release, onSelected, apply } = this.#options;
    const effects = new Effects();
    const due: WorkloadRef[] = [];
    let soonest = Number.POSITIVE_INFINITY;
    for (const [key, { workload, edges: own }] of store.workloads) {
      if (!namespaces.has(workload.ref.namespace)) continue;
      for (const config of own.keys()) reviewState(store, effects, config);
      const ms = release(key);
      if (ms === undefined || !needsRollout(store, key)) continue;
      due.push(workload.ref);
      soonest = Math.min(soonest, ms);
    }
    apply(effects);
    onSelected(namespaces);
    if (due.length > 0) this.#tell(due, soonest);
  }

  #tell(refs: readonly WorkloadRef[], ms: number): void {
    const [namespace, ...others] = new Set(refs.map((ref) => ref.namespace));
    const place = others.length === 0 ? namespace : undefined;
    const message = `what was held back is rolled, its namespace being selected: ${describeAll(refs)} ${inTime(ms)}`;
    this.#options.journal.say('selected-namespace', message, place);
  }
}
