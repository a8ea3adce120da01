/** The annotations of the namespace are not read yet: one of them may hold the workload. */

import { type Blocker, type Readers, untilChanged } from './blocker.ts';

/** See the file's comment. */
export function namespaceAnnotations({ store }: Readers): Blocker {
  return {
    name: 'namespace',
    check: () =>
      store.settings.readsNamespaces === true && !store.areNamespacesListed
        ? untilChanged('namespace', 'the annotations of its namespace are not read yet', 'RolloutHeld')
        : undefined,
  };
}
