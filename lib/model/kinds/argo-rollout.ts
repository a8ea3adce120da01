/** Argo's Rollout: a custom resource that replaces its pods in steps, or by a switch between two sets of them. */

import type { Hold } from '../hold.ts';
import type { RawWorkload } from '../raw-objects.ts';
import { escaped, type Operation } from '../template-patch.ts';
import type { WorkloadKind } from '../workload-kind.ts';
import { PLAIN } from './pods.ts';

/** The row of Rollouts. */
export const ROLLOUT: WorkloadKind = {
  ...PLAIN,
  kind: 'Rollout',
  group: 'argoproj.io',
  version: 'v1alpha1',
  resource: 'rollouts',
  isOptional: true,
  refersToTemplate: true,
  // Early versions of the controller wrote a hash there: nothing is then known to be observed.
  isObserved: ({ metadata, status, referenced }) =>
    Number(status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) - (referenced?.generation ?? 0) &&
    // A referenced object that was created anew counts its generations anew, so a higher one may be of the former object.
    (referenced === undefined || Number(status?.workloadObservedGeneration) === referenced.generation),
  hold: holdOf,
  // In a canary the hashes become equal before the last old pod has ended, in blue-green before an undo loses the old pods.
  rolledOut: (raw) => {
    const { phase, stableRS, currentPodHash, replicas = 0, updatedReplicas = 0 } = raw.status ?? {};
    return (
      phase === 'Healthy' && stableRS === currentPodHash && replicas === updatedReplicas && !isRestarting(raw)
    );
  },
  revision: ({ status }) => status?.currentPodHash,
  isRestarted: ({ spec }, moment) => secondOf(spec?.restartAt) >= secondOf(moment),
};

/** The status names the second, whatever the form of the moment in the spec. */
function isRestarting({ spec, status }: RawWorkload): boolean {
  return spec?.restartAt !== undefined && secondOf(spec.restartAt) !== secondOf(status?.restartedAt);
}

function secondOf(moment: string | undefined): number {
  return Math.floor(Date.parse(moment ?? '') / 1000);
}

function holdOf(raw: RawWorkload): Hold | undefined {
  if (raw.status?.abort === true) return { type: 'aborted', revision: raw.status.stableRS };
  if (raw.spec?.paused === true) return { type: 'paused' };
  return awaitsPromotion(raw) ? { type: 'awaits-promotion' } : undefined;
}

/** Whether a pause has no end of its own; for other causes than a step, such as an analysis without a result, none has. */
function awaitsPromotion({ spec, status }: RawWorkload): boolean {
  const { canary, blueGreen } = spec?.strategy ?? {};
  return (status?.pauseConditions ?? []).some(({ reason }) => {
    if (reason === 'BlueGreenPause') return (blueGreen?.autoPromotionSeconds ?? 0) === 0;
    if (reason !== 'CanaryPauseStep') return true;
    return canary?.steps?.[status?.currentStepIndex ?? 0]?.pause?.duration === undefined;
  });
}

/**
 * The container of a stamp that a restart left in the metadata of the workload; no real container has this name. The controller replaces each
 * pod that is older than `spec.restartAt`, and leaves the template as it is. Such a stamp counts only while the restart is asked for.
 */
export const RESTARTS = '/';

/** The annotation of a workload with the moment of our last restart, RFC 3339: its stamps are of that one. */
export const RESTARTED_AT_ANNOTATION = 'reloader.k8s.collaborne.com/restarted-at';

/** Whether `value` chooses how a Rollout is rolled: by a restart of its pods, or by its template. */
export function isRolloutStrategy(value: string | undefined): value is 'restart' | 'rollout' {
  return value === 'restart' || value === 'rollout';
}

/**
 * The first full second after the one in which an answer was sent, by the `Date` of that answer: a pod of an earlier second may
 * have started before the answer. Undefined if the header is missing or cannot be parsed.
 */
export function momentAfter(date: string | undefined): string | undefined {
  const at = Date.parse(date ?? '');
  if (Number.isNaN(at)) return undefined;
  return `${new Date((Math.floor(at / 1000) + 1) * 1000).toISOString().slice(0, 19)}Z`;
}

/** The patch of a plan, which sets annotations, with the restart of every pod that is older than `moment`. */
export function restartPatch(operations: readonly Operation[], moment: string): readonly Operation[] {
  const path = `/metadata/annotations/${escaped(RESTARTED_AT_ANNOTATION)}`;
  return [
    ...operations,
    { op: 'add', path, value: moment },
    { op: 'add', path: '/spec/restartAt', value: moment },
  ];
}
