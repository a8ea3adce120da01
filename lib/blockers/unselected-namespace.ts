/** The namespace selector does not match the namespace of the workload. */

import { type Blocker, type Readers, untilChanged } from './blocker.ts';

/** See the file's comment. */
export function namespaceSelection({ store }: Readers): Blocker {
  return {
    name: 'selection',
    check: ({ workload: { ref } }) =>
      store.isSelected(ref.namespace)
        ? undefined
        : untilChanged('selection', `namespace ${ref.namespace} is not selected`),
  };
}
