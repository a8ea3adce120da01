/**
 * Keeps the set of namespaces that the namespace selector matches. In any other namespace nothing is rolled and no baseline is
 * written. Edges that the state has an entry of become out of date there too, and their workloads are rolled once the
 * namespace is selected.
 */

import { nameIn, type ObjectKey } from '../model/object-ref.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { NamespaceObject } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { type DecisionLog, Effects } from '../tracking/effects.ts';

/** The collaborators of a `SelectedNamespaces`. */
export interface SelectedNamespacesOptions {
  readonly store: Store;
  readonly journal: DecisionLog;
  /** Lets the workload be rolled from now on. */
  readonly release: (workload: ObjectKey) => void;
  /** Called after these namespaces became selected. */
  readonly onSelected: (namespaces: ReadonlySet<string>) => void;
  /** Carries out the effects. */
  readonly apply: (effects: Effects) => void;
}

/** See the file's comment. */
export class SelectedNamespaces {
  readonly #options: SelectedNamespacesOptions;
  /** The namespaces of the first list so far; they are taken together when it is complete. */
  readonly #listed = new Set<string>();
  #hasListed = false;

  constructor(options: SelectedNamespacesOptions) {
    this.#options = options;
  }

  /** Whether the first list is complete; before it an unselected namespace may only be one not listed yet. */
  get hasListed(): boolean {
    return this.#hasListed;
  }

  /** An event of the stream of namespaces with the labels; `absent` also means that the labels were removed. */
  observe(event: InformerEvent<NamespaceObject>): void {
    switch (event.type) {
      case 'present':
        this.#select(event.object.name);
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

  /** Rolls the workloads that were held back in these namespaces, and has the baselines of all their other edges written. */
  #take(namespaces: ReadonlySet<string>): void {
    const { store, release, onSelected, apply } = this.#options;
    const effects = new Effects();
    for (const [key, { workload, edges: own }] of store.workloads) {
      if (!namespaces.has(workload.ref.namespace)) continue;
      for (const config of own.keys()) effects.persist(config);
      release(key);
    }
    apply(effects);
    onSelected(namespaces);
  }
}
