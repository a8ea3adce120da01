/**
 * OpenShift's DeploymentConfig, which an aggregated API server serves. A write of its template starts no pods: a trigger, or a
 * request, raises latestVersion, and only then a deployment of the present template begins. Until that is raised, the status
 * counts the pods of the version before as updated. So each patch of ours keeps the version that it found in an annotation: while
 * both are equal, no pod runs what the patch wrote.
 */

import type { Hold } from '../hold.ts';
import type { RawWorkload } from '../raw-objects.ts';
import type { WorkloadKind } from '../workload-kind.ts';
import { areAllUpdated, isObserved, PLAIN, podsOf } from './pods.ts';

/** The annotation of a DeploymentConfig that names the latestVersion at our last patch. */
export const STAMPED_AFTER_ANNOTATION = 'reloader.k8s.collaborne.com/stamped-after-version';

/** The reasons of the condition Progressing by which the pods of the version before came back. */
const UNDONE: readonly unknown[] = ['ProgressDeadlineExceeded', 'RolloutCancelled'];

const latestVersionOf = ({ status }: RawWorkload): string => String(status?.latestVersion ?? 0);

/** The version at our last patch; undefined: it has none of ours. */
const stampedAfter = ({ metadata }: RawWorkload): string | undefined =>
  metadata.annotations?.[STAMPED_AFTER_ANNOTATION];

/** Whether the latest version is the one before our last patch. */
const isBeforeStamp = (raw: RawWorkload): boolean => stampedAfter(raw) === latestVersionOf(raw);

/** Whether no change of the template starts a version by itself. Without a list of triggers the API server sets ConfigChange. */
const isManual = ({ spec }: RawWorkload): boolean =>
  spec?.triggers?.every(({ type }) => type !== 'ConfigChange') ?? false;

const isPaused = ({ spec }: RawWorkload): boolean => spec?.paused === true;

const progressOf = ({ status }: RawWorkload): { readonly status?: string; readonly reason?: string } =>
  status?.conditions?.find(({ type }) => type === 'Progressing') ?? {};

const isUndone = (raw: RawWorkload): boolean => {
  const { status, reason } = progressOf(raw);
  return isObserved(raw) && !isBeforeStamp(raw) && status === 'False' && UNDONE.includes(reason);
};

/** A manual one was started by a person once its version is above that of our patch. */
function holdOf(raw: RawWorkload): Hold | undefined {
  if (isPaused(raw)) return { type: 'paused' };
  if (isManual(raw) && (stampedAfter(raw) === undefined || isBeforeStamp(raw))) return { type: 'manual' };
  return isUndone(raw) ? { type: 'failed' } : undefined;
}

/** The row of DeploymentConfigs. */
export const DEPLOYMENT_CONFIG: WorkloadKind = {
  ...PLAIN,
  kind: 'DeploymentConfig',
  group: 'apps.openshift.io',
  version: 'v1',
  resource: 'deploymentconfigs',
  isOptional: true,
  revisionMark: STAMPED_AFTER_ANNOTATION,
  hold: holdOf,
  rolledOut: (raw) =>
    !isBeforeStamp(raw) &&
    // Its numbers are those of the latest version, whose template may be an older one.
    holdOf(raw) === undefined &&
    progressOf(raw).reason === 'NewReplicationControllerAvailable' &&
    areAllUpdated(raw, raw.spec?.replicas ?? 0),
  revision: latestVersionOf,
  pods: (raw) => podsOf(raw.status?.replicas, isBeforeStamp(raw) ? 0 : raw.status?.updatedReplicas),
};
