/** The table of workload kinds: what differs between them is data or one small function in a row. */

import type { Hold } from './hold.ts';
import type { RawWorkload } from './raw-objects.ts';

/** One row: a kind of object that owns a pod template. */
export interface WorkloadKind {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  /** The plural, as in the API path. */
  readonly resource: string;
  /** What keeps it from replacing its pods by itself. */
  readonly hold: (raw: RawWorkload) => Hold | undefined;
  /**
   * Whether every pod runs the present template, is ready, and none of an older template is left. A pod that is not ready
   * may still have to start, and will read its configuration only then. What never says so (pods that crash) is not
   * rolled out, which errs towards one rollout more.
   */
  readonly rolledOut: (raw: RawWorkload) => boolean;
  /** How many pods there are of older templates than the one that its controller has seen last. */
  readonly oldPods: (raw: RawWorkload) => number;
}

const DEPLOYMENT: WorkloadKind = {
  kind: 'Deployment',
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  hold: ({ spec }) => (spec?.paused === true ? { type: 'paused' } : undefined),
  rolledOut: ({ spec, status }) => {
    const replicas = spec?.replicas ?? 1;
    return (
      (status?.updatedReplicas ?? 0) === replicas &&
      (status?.readyReplicas ?? 0) === replicas &&
      (status?.replicas ?? 0) === replicas
    );
  },
  oldPods: ({ status }) => (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0),
};

const STATEFUL_SET: WorkloadKind = {
  kind: 'StatefulSet',
  group: 'apps',
  version: 'v1',
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
  oldPods: ({ status }) => (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0),
};

const DAEMON_SET: WorkloadKind = {
  kind: 'DaemonSet',
  group: 'apps',
  version: 'v1',
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
  oldPods: ({ status }) => (status?.currentNumberScheduled ?? 0) - (status?.updatedNumberScheduled ?? 0),
};

/** Every kind that can be rolled. */
export const WORKLOAD_KINDS: readonly WorkloadKind[] = [DEPLOYMENT, STATEFUL_SET, DAEMON_SET];

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
  return isObserved(raw) && kind.hold(raw) === undefined && kind.rolledOut(raw);
}

/** What keeps pods of an older template where they are; undefined if none can be left, or they are being replaced. */
export function holdOnPods(kind: WorkloadKind, raw: RawWorkload): Hold | undefined {
  return isObserved(raw) && kind.oldPods(raw) <= 0 ? undefined : kind.hold(raw);
}

function isObserved({ metadata, status }: RawWorkload): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}
