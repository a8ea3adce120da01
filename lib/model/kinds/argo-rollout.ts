/** Argo's Rollout: a custom resource that replaces its pods in steps, or by a switch between two sets of them. */

import type { Hold } from '../hold.ts';
import type { RawWorkload } from '../raw-objects.ts';
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
  keepsOldPods: true,
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
