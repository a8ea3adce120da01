/** The table of workload kinds: what differs between them is data or one small function in a row. */

import type { RawWorkload } from './raw-objects.ts';

/** One row: a kind of object that owns a pod template. */
export interface WorkloadKind {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  /** The plural, as in the API path. */
  readonly resource: string;
  /**
   * Whether every pod runs the present template, is ready, and none of an older template is left. A pod that is not ready
   * may still have to start, and will read its configuration only then. What never says so (paused, OnDelete, a
   * partition, pods that crash) is not rolled out, which errs towards one rollout more.
   */
  readonly rolledOut: (raw: RawWorkload) => boolean;
}

const DEPLOYMENT: WorkloadKind = {
  kind: 'Deployment',
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  rolledOut: ({ spec, status }) => {
    const replicas = spec?.replicas ?? 1;
    return (
      spec?.paused !== true &&
      (status?.updatedReplicas ?? 0) === replicas &&
      (status?.readyReplicas ?? 0) === replicas &&
      (status?.replicas ?? 0) === replicas
    );
  },
};

const STATEFUL_SET: WorkloadKind = {
  kind: 'StatefulSet',
  group: 'apps',
  version: 'v1',
  resource: 'statefulsets',
  rolledOut: ({ spec, status }) => {
    const replicas = spec?.replicas ?? 1;
    const strategy = spec?.updateStrategy;
    return (
      strategy?.type !== 'OnDelete' &&
      (strategy?.rollingUpdate?.partition ?? 0) === 0 &&
      (status?.replicas ?? 0) === replicas &&
      (status?.readyReplicas ?? 0) === replicas &&
      status?.updateRevision === status?.currentRevision &&
      (replicas === 0 || (status?.updatedReplicas ?? status?.currentReplicas ?? 0) === replicas)
    );
  },
};

const DAEMON_SET: WorkloadKind = {
  kind: 'DaemonSet',
  group: 'apps',
  version: 'v1',
  resource: 'daemonsets',
  rolledOut: ({ spec, status }) => {
    const desired = status?.desiredNumberScheduled ?? 0;
    return (
      spec?.updateStrategy?.type !== 'OnDelete' &&
      (status?.updatedNumberScheduled ?? 0) === desired &&
      (status?.numberReady ?? 0) === desired &&
      (status?.currentNumberScheduled ?? 0) === desired
    );
  },
};

/** Every kind that can be rolled. */
export const WORKLOAD_KINDS: readonly WorkloadKind[] = [DEPLOYMENT, STATEFUL_SET, DAEMON_SET];

/** The row of `kind`; every WorkloadRef in the program names one. */
export function workloadKindOf(kind: string): WorkloadKind {
  const row = WORKLOAD_KINDS.find((candidate) => candidate.kind === kind);
  if (row === undefined) throw new Error(`no such workload kind: ${kind}`);
  return row;
}

/** Whether the workload's controller has seen the present spec and carried it out. */
export function isRolledOut(kind: WorkloadKind, raw: RawWorkload): boolean {
  return (raw.status?.observedGeneration ?? 0) >= (raw.metadata.generation ?? 0) && kind.rolledOut(raw);
}
