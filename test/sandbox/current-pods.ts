/** Whether pods run the current content: the question behind every rollout. */

import type { WorkloadRef } from '../../lib/model/object-ref.ts';
import { contentOf } from './pod.ts';
import type { Sandbox } from './sandbox.ts';

/** Whether a workload has pods, all of them run, and each has read what its objects hold now. */
export function isCurrent(sandbox: Sandbox, ref: WorkloadRef): boolean {
  const pods = sandbox.podsOf(ref);
  return (
    pods.length > 0 &&
    pods.every(
      ({ phase, reads }) =>
        phase === 'Running' && [...reads].every(([key, read]) => read === presentContent(sandbox, key)),
    )
  );
}

function presentContent(sandbox: Sandbox, key: string): string | undefined {
  const [namespace, kind, name = ''] = key.split('/');
  const object = sandbox.get(kind === 'Secret' ? 'secrets' : 'configmaps', namespace, name);
  return object && contentOf(object);
}
