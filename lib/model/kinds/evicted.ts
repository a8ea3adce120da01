/**
 * The kinds whose pods no template reaches: their pods are evicted, and they are never written. They are served only where the
 * settings name them.
 */

import type { RawWorkload } from '../raw-objects.ts';
import type { WorkloadKind } from '../workload-kind.ts';
import { PLAIN, podsOf } from './pods.ts';

/** The label of the Pods that are workloads of their own, and its value: only these are listed and watched. */
export const EVICT_LABEL = { name: 'reloader.k8s.collaborne.com/reload-strategy', value: 'evict' } as const;

/** The common part. No template starts other pods, so there is no revision and no older pod to count. */
const EVICTED = {
  ...PLAIN,
  version: 'v1',
  rollout: 'evict',
  patch: 'strategic',
  hold: () => undefined,
  rolledOut: ({ spec, status }: RawWorkload) => {
    const replicas = spec?.replicas ?? 1;
    return (status?.replicas ?? 0) === replicas && (status?.readyReplicas ?? 0) === replicas;
  },
  revision: () => undefined,
  pods: () => podsOf(),
} as const;

/** The row of ReplicaSets that no Deployment or Rollout has made. */
export const REPLICA_SET: WorkloadKind = {
  ...EVICTED,
  kind: 'ReplicaSet',
  group: 'apps',
  resource: 'replicasets',
};

/** The row of ReplicationControllers that no DeploymentConfig has made. */
export const REPLICATION_CONTROLLER: WorkloadKind = {
  ...EVICTED,
  kind: 'ReplicationController',
  group: '',
  resource: 'replicationcontrollers',
};

/** The row of Pods whose controller is of a kind that this program does not know: each Pod is a workload. */
export const POD: WorkloadKind = {
  ...EVICTED,
  kind: 'Pod',
  group: '',
  resource: 'pods',
  isPod: true,
  labelSelector: `${EVICT_LABEL.name}=${EVICT_LABEL.value}`,
  // A read by name finds a Pod that has lost the label. One that has ended runs nothing.
  isLeftAlone: ({ metadata, status }) =>
    metadata.labels?.[EVICT_LABEL.name] !== EVICT_LABEL.value ||
    status?.phase === 'Succeeded' ||
    status?.phase === 'Failed',
  isObserved: () => true,
  rolledOut: ({ status }) =>
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
};
