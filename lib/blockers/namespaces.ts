/** The namespace of the workload is not selected, or its annotations, of which one may hold the workload, are not read yet. */

import { type Blocker, type Readers, untilChanged } from './blocker.ts';

/** The namespace selector does not match. */
export function namespaceSelection({ store }: Readers): Blocker {
  return {
    name: 'selection',
    check: ({ workload: { ref } }) =>
      store.isSelected(ref.namespace)
        ? undefined
        : untilChanged('selection', `namespace ${ref.namespace} is not selected`),
  };
}

/** Its annotations are not read. */
export function namespaceAnnotations({ store }: Readers): Blocker {
  return {
    name: 'namespace',
    check: () =>
      store.settings.readsNamespaces === true && !store.areNamespacesListed
        ? untilChanged('namespace', 'the annotations of its namespace are not read yet', 'RolloutHeld')
        : undefined,
  };
}
