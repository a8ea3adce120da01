/** The kinds of the group `apps` that replace the pods of an older template by themselves. */

import type { RawWorkload } from '../raw-objects.ts';
import type { WorkloadKind } from '../workload-kind.ts';
import { areAllUpdated, PLAIN, podsOf } from './pods.ts';

/** The common part of the kinds of the group `apps`. */
const APPS = {
  ...PLAIN,
  group: 'apps',
  version: 'v1',
  rollout: 'replace-pods',
} as const;

const isDeploymentPaused = ({ spec }: RawWorkload): boolean => spec?.paused === true;

/** The row of Deployments. */
export const DEPLOYMENT: WorkloadKind = {
  ...APPS,
  kind: 'Deployment',
  resource: 'deployments',
  isPaused: isDeploymentPaused,
  hold: (raw) => (isDeploymentPaused(raw) ? { type: 'paused' } : undefined),
  rolledOut: (raw) => areAllUpdated(raw, raw.spec?.replicas ?? 1),
  hasCompleted: ({ status }) =>
    status?.conditions?.some(({ reason }) => reason === 'NewReplicaSetAvailable') ?? false,
  failure: ({ status }) =>
    status?.conditions?.find(({ type, status: is }) => type === 'Progressing' && is === 'False')?.reason,
  revision: ({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision'],
  pods: ({ status }) => podsOf(status?.replicas, status?.updatedReplicas),
};

/** The row of StatefulSets. */
export const STATEFUL_SET: WorkloadKind = {
  ...APPS,
  kind: 'StatefulSet',
  resource: 'statefulsets',
  hold: ({ spec }) => {
    const { type, rollingUpdate } = spec?.updateStrategy ?? {};
    const partition = rollingUpdate?.partition ?? 0;
    if (type === 'OnDelete') return { type: 'on-delete' };
    return partition === 0 ? undefined : { type: 'partition', partition };
  },
  rolledOut: ({ spec, status }) => {
    const replicas = spec?.replicas ?? 1;
    return (
      (status?.replicas ?? 0) === replicas &&
      (status?.readyReplicas ?? 0) === replicas &&
      status?.updateRevision === status?.currentRevision &&
      (replicas === 0 || (status?.updatedReplicas ?? status?.currentReplicas ?? 0) === replicas)
    );
  },
  revision: ({ status }) => status?.updateRevision,
  pods: ({ status }) => podsOf(status?.replicas, status?.updatedReplicas),
};

/** The row of DaemonSets. */
export const DAEMON_SET: WorkloadKind = {
  ...APPS,
  kind: 'DaemonSet',
  resource: 'daemonsets',
  hold: ({ spec }) => (spec?.updateStrategy?.type === 'OnDelete' ? { type: 'on-delete' } : undefined),
  rolledOut: ({ status }) => {
    const desired = status?.desiredNumberScheduled ?? 0;
    return (
      (status?.updatedNumberScheduled ?? 0) === desired &&
      (status?.numberReady ?? 0) === desired &&
      (status?.currentNumberScheduled ?? 0) === desired
    );
  },
  // The API server counts the templates in this annotation; no status field identifies them.
  revision: ({ metadata }) => metadata.annotations?.['deprecated.daemonset.template.generation'],
  pods: ({ status }) => podsOf(status?.currentNumberScheduled, status?.updatedNumberScheduled),
};
