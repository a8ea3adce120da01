/** Reports for the tests of the status page, built by what is different. */

import type {
  ChangeStatus,
  FollowedStatus,
  StatusReport,
  WorkloadStatus,
} from '../../../lib/model/status-report.ts';

const NAMED = { asks: true, because: 'named' } as const;

/** An object whose content the pods run. */
export function current(object: string, digest = 'aaaa…'): FollowedStatus {
  return {
    object,
    observed: digest,
    committed: digest,
    runningDigest: digest,
    isOutdated: false,
    why: undefined,
    policy: NAMED,
  };
}

/** An object whose content changed. */
export function outdated(object: string, parts: Partial<FollowedStatus> = {}): FollowedStatus {
  return {
    object,
    observed: 'bbbb…',
    committed: 'aaaa…',
    runningDigest: 'aaaa…',
    isOutdated: true,
    why: 'content',
    policy: NAMED,
    ...parts,
  };
}

/** A workload of the namespace `default` that is up to date. */
export function workload(name: string, parts: Partial<WorkloadStatus> = {}): WorkloadStatus {
  return {
    namespace: 'default',
    workload: `Deployment/${name}`,
    state: 'healthy',
    follows: [current(`ConfigMap/${name}`)],
    isOutdated: false,
    findings: [],
    ...parts,
  };
}

/** The moment of all reports. */
export const NOW: Date = new Date('2026-11-21T09:30:05.250Z');

/** Why a workload waits, for so many seconds from NOW. */
export function wait(
  reason: string,
  message: string,
  seconds?: number,
): NonNullable<WorkloadStatus['waiting']> {
  const until =
    seconds === undefined ? {} : { until: new Date(NOW.getTime() + seconds * 1000).toISOString() };
  return { reason, message, ...until };
}

/** A workload that is out of date with its ConfigMap. */
export function outdatedWorkload(
  name: string,
  seconds: number,
  parts: Partial<WorkloadStatus> = {},
): WorkloadStatus {
  return workload(name, {
    follows: [outdated(`ConfigMap/${name}`)],
    state: 'waiting',
    isOutdated: true,
    outdatedForSeconds: seconds,
    waiting: wait('quiet', 'it is rolled soon', 4),
    ...parts,
  });
}

/** The change of a ConfigMap in stages, of which the first one is ready and the second one is not. */
export function change(name: string, parts: Partial<ChangeStatus> = {}): ChangeStatus {
  return {
    namespace: 'default',
    object: `ConfigMap/${name}`,
    stage: 2,
    stages: 4,
    total: 200,
    begun: 20,
    ready: 17,
    waiting: 180,
    unready: [{ workload: 'Deployment/slow', why: 'its pods are not ready yet' }],
    ...parts,
  };
}

/** A report of a reloader that is ready and follows nothing. */
export function report(parts: Partial<StatusReport> = {}): StatusReport {
  return {
    isReady: true,
    waitingFor: [],
    workloads: [],
    changes: [],
    decisions: [],
    watches: [],
    optionalKinds: [],
    ...parts,
  };
}
