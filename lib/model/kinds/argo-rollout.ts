/** Argo's Rollout: a custom resource that replaces its pods in steps, or by a switch between two sets of them. */

import type { RawWorkload } from '../raw-objects.ts';
import type { WorkloadKind } from '../workload-kind.ts';
import { podsOf } from './pods.ts';

const isRestarting = ({ spec, status }: RawWorkload): boolean =>
  spec?.restartAt !== undefined && spec.restartAt !== status?.restartedAt;

/** The row of Rollouts. */
export const ROLLOUT: WorkloadKind = {
  kind: 'Rollout',
  group: 'argoproj.io',
  version: 'v1alpha1',
  resource: 'rollouts',
  rollout: 'replace-pods',
  patch: 'json',
  isOptional: true,
  done: 'rolled',
  templatePath: ['template'],
  declines: () => undefined,
  isLeftAlone: () => false,
  isObserved: ({ metadata, status }) => Number(status?.observedGeneration ?? 0) >= (metadata.generation ?? 0),
  hold: ({ spec }) => (spec?.paused === true ? { type: 'paused' } : undefined),
  rolledOut: (raw) => {
    const { phase, stableRS, currentPodHash, replicas = 0, updatedReplicas = 0 } = raw.status ?? {};
    return (
      phase === 'Healthy' && stableRS === currentPodHash && replicas === updatedReplicas && !isRestarting(raw)
    );
  },
  revision: ({ status }) => status?.currentPodHash,
  pods: ({ status }) => podsOf(status?.replicas, status?.updatedReplicas),
};
