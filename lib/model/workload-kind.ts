/** The table of workload kinds: what differs between them is data or one small function in a row. */

import type { Hold } from './hold.ts';
import type { RawPodTemplate, RawWorkload } from './raw-objects.ts';

/** The annotation of a suspended copy of a Job: which Job it takes the place of, as JSON. */
export const REPLACES_ANNOTATION = 'reloader.k8s.collaborne.com/replaces';

/** Why an object is not rolled, whatever its annotations ask for; each is an outcome of POLICIES. */
export type Declining = 'suspended' | 'finished';

/** One row: a kind of object that owns a pod template. */
export interface WorkloadKind {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  /** The plural, as in the API path. */
  readonly resource: string;
  /**
   * How it comes to run what is in force: by pods that replace the old ones, by a run that is started at once, or by
   * another object in its place.
   */
  readonly rollout: 'replace-pods' | 'run-now' | 'recreate';
  /** What people are told that was done to it. */
  readonly done: string;
  /** The pod template. */
  readonly template: (raw: RawWorkload) => RawPodTemplate | undefined;
  /** The spec in which nothing but a part of the pod template stands. */
  readonly specWith: (template: object) => object;
  /** Why it is not rolled as it is, whatever its annotations ask for. */
  readonly declines: (raw: RawWorkload) => Declining | undefined;
  /** Whether it follows nothing and is never written, whatever it asks for: its life is in the hands of others. */
  readonly isLeftAlone: (raw: RawWorkload) => boolean;
  /** Whether its controller has seen the present spec. */
  readonly isObserved: (raw: RawWorkload) => boolean;
  /** Whether it is paused; absent where that cannot be. */
  readonly isPaused?: (raw: RawWorkload) => boolean;
  /** What keeps it from replacing its pods by itself. */
  readonly hold: (raw: RawWorkload) => Hold | undefined;
  /**
   * Whether every pod runs the present template, is ready, and none of an older template is left. A pod that is not ready
   * may still have to start, and will read its configuration only then. What never says so (pods that crash) is not
   * rolled out, which errs towards one rollout more.
   */
  readonly rolledOut: (raw: RawWorkload) => boolean;
  /**
   * What the present template is called by who tells one from the next, whatever the API server's spelling of it: another
   * name, another template.
   */
  readonly revision: (raw: RawWorkload) => string | undefined;
  /** How many pods there are of the template that its controller has seen last, and of older ones. */
  readonly pods: (raw: RawWorkload) => { readonly updated: number; readonly old: number };
}

/** What the kinds of the group `apps` have in common. */
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
  // The API server itself counts the templates; no status tells them apart.
  revision: ({ metadata }) => metadata.annotations?.['deprecated.daemonset.template.generation'],
  pods: ({ status }) => podsOf(status?.currentNumberScheduled, status?.updatedNumberScheduled),
};

/** It has no pods of its own: what is started later reads what is in force then, so nothing is ever left to replace. */
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

/** Its pod template cannot be changed, so its pods are never of an older one. */
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
 * Whether the workload's controller has seen the present spec and carried it out. What is held never has, which errs
 * towards one rollout more.
 */
export function isRolledOut(kind: WorkloadKind, raw: RawWorkload): boolean {
  return kind.isObserved(raw) && kind.hold(raw) === undefined && kind.rolledOut(raw);
}

/** What keeps pods of an older template where they are; undefined if none can be left, or they are being replaced. */
export function holdOnPods(kind: WorkloadKind, raw: RawWorkload): Hold | undefined {
  return kind.isObserved(raw) && kind.pods(raw).old <= 0 ? undefined : kind.hold(raw);
}

/**
 * How far the present rollout has come, to be compared with an earlier answer: it grows with each pod that is started and
 * each that is replaced. -Infinity before the workload's controller has seen the present spec.
 */
export function progressOf(kind: WorkloadKind, raw: RawWorkload): number {
  if (!kind.isObserved(raw)) return Number.NEGATIVE_INFINITY;
  const { updated, old } = kind.pods(raw);
  return updated - old;
}

function podsOf(all = 0, updated = 0): { updated: number; old: number } {
  return { updated, old: all - updated };
}
