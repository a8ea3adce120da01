/** `status` of a workload, with the fields that the real controllers write; counts of 0 are left out where they do. */

import type { JsonObject } from './json.ts';
import type { PodFacts } from './rollout-steps.ts';

/** What a status tells. */
export interface StatusFacts {
  readonly name: string;
  readonly generation: number;
  readonly pods: readonly PodFacts[];
  /** The hash of the present template. */
  readonly present: string;
  /** StatefulSets: the hash of the template last rolled out completely. */
  readonly current: string | undefined;
  readonly nodes: number;
  readonly spec: JsonObject;
  /** Pods of the present template do not get ready. */
  readonly isGivenUp: boolean;
}

const GIVEN_UP = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' };

/** One function per kind. */
export const STATUS_OF: Readonly<Record<string, (facts: StatusFacts) => JsonObject>> = {
  Deployment: ({ generation, pods, present, spec, isGivenUp }) => {
    const ready = readyOf(pods);
    const wanted = typeof spec['replicas'] === 'number' ? spec['replicas'] : 1;
    return {
      observedGeneration: generation,
      ...unlessZero({
        replicas: pods.length,
        updatedReplicas: pods.filter((pod) => pod.templateHash === present).length,
        readyReplicas: ready,
        availableReplicas: ready,
        unavailableReplicas: Math.max(0, Math.max(pods.length, wanted) - ready),
      }),
      ...(isGivenUp ? { conditions: [GIVEN_UP] } : {}),
    };
  },
  StatefulSet: ({ name, generation, pods, present, current }) => {
    const ready = readyOf(pods);
    const ofCurrent = pods.filter((pod) => pod.templateHash === current).length;
    const updated = pods.filter((pod) => pod.templateHash === present).length;
    return {
      observedGeneration: generation,
      replicas: pods.length,
      availableReplicas: ready,
      collisionCount: 0,
      currentRevision: `${name}-${current ?? present}`,
      updateRevision: `${name}-${present}`,
      ...unlessZero({ readyReplicas: ready, currentReplicas: ofCurrent, updatedReplicas: updated }),
    };
  },
  DaemonSet: ({ generation, pods, present, nodes }) => {
    const ready = readyOf(pods);
    return {
      observedGeneration: generation,
      currentNumberScheduled: pods.length,
      desiredNumberScheduled: nodes,
      numberMisscheduled: 0,
      numberReady: ready,
      ...unlessZero({
        updatedNumberScheduled: pods.filter((pod) => pod.templateHash === present).length,
        numberAvailable: ready,
        numberUnavailable: nodes - ready,
      }),
    };
  },
};

function readyOf(pods: readonly PodFacts[]): number {
  return pods.filter((pod) => pod.isReady).length;
}

function unlessZero(counts: Readonly<Record<string, number>>): JsonObject {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}
