/** The table of workload kinds: each difference between them is data or a small function in a row. */

import type { Hold } from './hold.ts';
import type { RawPodTemplate, RawWorkload } from './raw-objects.ts';

/** The annotation of a placeholder Job with the Job that it replaces, as JSON. */
export const REPLACES_ANNOTATION = 'reloader.k8s.collaborne.com/replaces';

/** Why a workload is not rolled, whatever its annotations ask for; each is an outcome of POLICIES. */
export type Declining = 'suspended' | 'finished';

/** One row: a kind of object that owns a pod template. */
export interface WorkloadKind {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  /** The plural, as in the API path. */
  readonly resource: string;
  /**
   * How it comes to run the content in force: by pods that replace the old ones, by a run that is started at once, or by
   * another object in its place.
   */
  readonly rollout: 'replace-pods' | 'run-now' | 'recreate';
  /** The verb of log lines and Events about its rollout. */
  readonly done: string;
  /** The pod template. */
  readonly template: (raw: RawWorkload) => RawPodTemplate | undefined;
  /** A spec that consists only of the given part of the pod template. */
  readonly specWith: (template: object) => object;
  /** Why it is not rolled as it is, whatever its annotations ask for. */
  readonly declines: (raw: RawWorkload) => Declining | undefined;
  /** Whether it follows no object and is never written, whatever its annotations: another controller manages it. */
  readonly isLeftAlone: (raw: RawWorkload) => boolean;
  /** Whether its controller has seen the present spec. */
  readonly isObserved: (raw: RawWorkload) => boolean;
  /** Whether it is paused; absent if the kind cannot be paused. */
  readonly isPaused?: (raw: RawWorkload) => boolean;
  /** Why it does not replace its pods by itself. */
  readonly hold: (raw: RawWorkload) => Hold | undefined;
  /**
   * Whether every pod runs the present template, is ready, and none of an older template is left. A pod that is not ready
   * may still have to start, and will read its configuration only then. A workload that never gets there (pods that crash) is
   * not rolled out, which errs towards one rollout more.
   */
  readonly rolledOut: (raw: RawWorkload) => boolean;
  /**
   * The identity of the present template, given by its controller. It differs for different templates, and does not depend on how
   * the API server serializes them.
   */
  readonly revision: (raw: RawWorkload) => string | undefined;
  /** The number of pods of the template that its controller has observed last, and of older ones. */
  readonly pods: (raw: RawWorkload) => { readonly updated: number; readonly old: number };
}

/** The common part of the kinds of the group `apps`. */
const APPS = {
  group: 'apps',
  version: 'v1',
  rollout: 'replace-pods',
  done: 'rolled',
  template: ({ spec }: RawWorkload) => spec?.template,
  specWith: (template: object) => ({ template }),
  declines: () => undefined,
  isLeftAlone: () => false,
  isObserved: ({ metadata, status }: RawWorkload) =>
    (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0),
} as const;

const isDeploymentPaused = ({ spec }: RawWorkload): boolean => spec?.paused === true;

const DEPLOYMENT: WorkloadKind = {
  ...APPS,
  kind: 'Deployment',
  resource: 'deployments',
  isPaused: isDeploymentPaused,
  hold: (raw) => (isDeploymentPaused(raw) ? { type: 'paused' } : undefined),
  rolledOut: ({ spec, status }) => {
    const replicas = spec?.replicas ?? 1;
    return (
      (status?.updatedReplicas ?? 0) === replicas &&
      (status?.readyReplicas ?? 0) === replicas &&
      (status?.replicas ?? 0) === replicas
    );
  },
  revision: ({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision'],
  pods: ({ status }) => podsOf(status?.replicas, status?.updatedReplicas),
};

const STATEFUL_SET: WorkloadKind = {
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

const DAEMON_SET: WorkloadKind = {
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

/** A CronJob has no pods of its own: a later run reads the content in force, so no old pods are left to replace. */
const CRON_JOB: WorkloadKind = {
  kind: 'CronJob',
  group: 'batch',
  version: 'v1',
  resource: 'cronjobs',
  rollout: 'run-now',
  done: 'run',
  template: ({ spec }) => spec?.jobTemplate?.spec?.template,
  specWith: (template) => ({ jobTemplate: { spec: { template } } }),
  declines: ({ spec }) => (spec?.suspend === true ? 'suspended' : undefined),
  isLeftAlone: () => false,
  isObserved: () => true,
  hold: () => undefined,
  rolledOut: () => true,
  revision: () => undefined,
  pods: () => podsOf(),
};

/** The pod template of a Job cannot be changed, so its pods are never of an older one. */
const JOB: WorkloadKind = {
  kind: 'Job',
  group: 'batch',
  version: 'v1',
  resource: 'jobs',
  rollout: 'recreate',
  done: 'recreated',
  template: ({ spec }) => spec?.template,
  specWith: (template) => ({ template }),
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

/** Every kind that can be rolled. */
export const WORKLOAD_KINDS: readonly WorkloadKind[] = [DEPLOYMENT, STATEFUL_SET, DAEMON_SET, CRON_JOB, JOB];

/** The row of `kind`; every WorkloadRef in the program names one. */
export function workloadKindOf(kind: string): WorkloadKind {
  const row = WORKLOAD_KINDS.find((candidate) => candidate.kind === kind);
  if (row === undefined) throw new Error(`no such workload kind: ${kind}`);
  return row;
}

/**
 * Whether the workload's controller has observed the present spec and completed it. A workload with a hold never counts, which
 * errs towards one rollout more.
 */
export function isRolledOut(kind: WorkloadKind, raw: RawWorkload): boolean {
  return kind.isObserved(raw) && kind.hold(raw) === undefined && kind.rolledOut(raw);
}

/** Why pods of an older template stay; undefined if none can be left, or they are being replaced. */
export function holdOnPods(kind: WorkloadKind, raw: RawWorkload): Hold | undefined {
  return kind.isObserved(raw) && kind.pods(raw).old <= 0 ? undefined : kind.hold(raw);
}

/**
 * The progress of the present rollout, to be compared with an earlier value: it grows with each pod that is started and
 * each that is replaced. -Infinity before the workload's controller has observed the present spec.
 */
export function progressOf(kind: WorkloadKind, raw: RawWorkload): number {
  if (!kind.isObserved(raw)) return Number.NEGATIVE_INFINITY;
  const { updated, old } = kind.pods(raw);
  return updated - old;
}

function podsOf(all = 0, updated = 0): { updated: number; old: number } {
  return { updated, old: all - updated };
}
