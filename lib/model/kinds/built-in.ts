/** The kinds of every cluster: those of the group `apps` replace the pods of an older template by themselves, a CronJob is run, a Job recreated. */

import type { RawWorkload } from '../raw-objects.ts';
import type { WorkloadKind } from '../workload-kind.ts';
import { areAllUpdated, PLAIN, podsOf } from './pods.ts';

/** The annotation of a placeholder Job with the Job that it replaces, as JSON. */
export const REPLACES_ANNOTATION = 'reloader.k8s.collaborne.com/replaces';

/** The common part of the kinds of the group `batch`, whose template is never rolled out to pods. */
const BATCH = {
  group: 'batch',
  version: 'v1',
  isObserved: () => true,
  hold: () => undefined,
  revision: () => undefined,
  pods: () => podsOf(),
} as const;

/** A CronJob has no pods of its own: a later run reads the current content, so no old pods are left to replace. */
export const CRON_JOB: WorkloadKind = {
  ...BATCH,
  kind: 'CronJob',
  resource: 'cronjobs',
  rollout: 'run-now',
  done: 'run',
  templatePath: ['jobTemplate', 'spec', 'template'],
  declines: ({ spec }) => (spec?.suspend === true ? 'suspended' : undefined),
  rolledOut: () => true,
};

/** The pod template of a Job cannot be changed, so its pods are never of an older one. */
export const JOB: WorkloadKind = {
  ...BATCH,
  kind: 'Job',
  resource: 'jobs',
  rollout: 'recreate',
  done: 'recreated',
  templatePath: ['template'],
  declines: (raw) => {
    if (raw.spec?.suspend === true) return 'suspended';
    return isFinished(raw) ? 'finished' : undefined;
  },
  isLeftAlone: ({ metadata: { finalizers = [], ownerReferences = [], annotations } }) =>
    finalizers.length > 0 ||
    ownerReferences.some(({ kind }) => kind === 'CronJob') ||
    annotations?.[REPLACES_ANNOTATION] !== undefined,
  rolledOut: (raw) => {
    const { active = 0, ready = 0, succeeded = 0 } = raw.status ?? {};
    const toCome = (raw.spec?.completions ?? 0) - succeeded - active;
    return isFinished(raw) || (active > 0 && ready === active && toCome <= 0);
  },
};

function isFinished({ status }: RawWorkload): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  );
}

/** The common part of the kinds of the group `apps`. */
const APPS = {
  ...PLAIN,
  group: 'apps',
  version: 'v1',
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
    const isOne = status?.updateRevision === status?.currentRevision;
    const updated = status?.updatedReplicas ?? (isOne ? status?.currentReplicas : 0) ?? 0;
    return (
      (status?.replicas ?? 0) === replicas &&
      (status?.readyReplicas ?? 0) === replicas &&
      // With OnDelete its controller leaves the current revision as it is.
      (isOne || spec?.updateStrategy?.type === 'OnDelete') &&
      (replicas === 0 || updated === replicas)
    );
  },
  revision: ({ status }) => status?.updateRevision,
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
