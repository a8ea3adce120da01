/** Keeps the annotations of namespaces that count for their workloads. */

import { nameIn, type ObjectKey } from '../model/object-ref.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { NamespaceObject } from '../store/records.ts';
import type { Store } from '../store/store.ts';

/** See the file's comment. */
export class NamespaceAnnotations {
  readonly #store: Store;
  readonly #onChanged: (workloads: readonly ObjectKey[]) => void;

  /** `onChanged`: for these workloads other annotations count, or they are known now. */
  constructor(store: Store, onChanged: (workloads: readonly ObjectKey[]) => void) {
    this.#store = store;
    this.#onChanged = onChanged;
  }

  /** An event of a namespace. */
  observe(event: InformerEvent<NamespaceObject>): void {
    switch (event.type) {
      case 'present':
        this.#take(event.object);
        break;
      case 'absent':
        this.#take({ name: nameIn(event.key), annotations: {} });
        break;
      case 'synced':
        this.#store.areNamespacesListed = true;
        this.#onChanged([...this.#store.workloads.keys()]);
        break;
    }
  }

  /** Before the first list is complete nothing is looked at: its end looks at all. */
  #take({ name, annotations }: NamespaceObject): void {
    const { namespaceAnnotations, areNamespacesListed, workloads } = this.#store;
    const before = namespaceAnnotations.get(name) ?? {};
    if (Object.keys(annotations).length === 0) namespaceAnnotations.delete(name);
    else namespaceAnnotations.set(name, annotations);
    if (!areNamespacesListed || textOf(before) === textOf(annotations)) return;
    const own = [...workloads].filter(([, { workload }]) => workload.ref.namespace === name);
    this.#onChanged(own.map(([key]) => key));
  }
}

function textOf(annotations: NamespaceObject['annotations']): string {
  return JSON.stringify(Object.entries(annotations).sort());
}
