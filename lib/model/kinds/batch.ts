/** The kinds of the group `batch`: a CronJob is run, a Job recreated. */

import type { RawWorkload } from '../raw-objects.ts';
import type { WorkloadKind } from '../workload-kind.ts';
import { podsOf } from './pods.ts';

/** The annotation of a placeholder Job with the Job that it replaces, as JSON. */
export const REPLACES_ANNOTATION = 'reloader.k8s.collaborne.com/replaces';

/** A CronJob has no pods of its own: a later run reads the content in force, so no old pods are left to replace. */
export const CRON_JOB: WorkloadKind = {
  kind: 'CronJob',
  group: 'batch',
  version: 'v1',
  resource: 'cronjobs',
  rollout: 'run-now',
  done: 'run',
  templatePath: ['jobTemplate', 'spec', 'template'],
  declines: ({ spec }) => (spec?.suspend === true ? 'suspended' : undefined),
  isObserved: () => true,
  hold: () => undefined,
  rolledOut: () => true,
  revision: () => undefined,
  pods: () => podsOf(),
};

/** The pod template of a Job cannot be changed, so its pods are never of an older one. */
export const JOB: WorkloadKind = {
  kind: 'Job',
  group: 'batch',
  version: 'v1',
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
  isObserved: () => true,
  hold: () => undefined,
  rolledOut: (raw) => {
    const { active = 0, ready = 0, succeeded = 0 } = raw.status ?? {};
    const toCome = (raw.spec?.completions ?? 0) - succeeded - active;
    return isFinished(raw) || (active > 0 && ready === active && toCome <= 0);
  },
  revision: () => undefined,
  pods: () => podsOf(),
};

function isFinished({ status }: RawWorkload): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  );
}
