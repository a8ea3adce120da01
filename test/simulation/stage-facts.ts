/** What anybody can see of stages: on objects and on workloads. */

import type { LooseObject } from './api.ts';
import type { ConfigName, WorkloadName } from './history.ts';
import type { Of } from './timeline.ts';

const PREFIX = 'reloader.k8s.collaborne.com';
/** On an object: its changes roll nothing, or wait for nothing. */
export const WORDS: Readonly<Record<'hold' | 'urgent', string>> = {
  hold: `${PREFIX}/hold`,
  urgent: `${PREFIX}/urgent`,
};
/** On an object: the stages of its changes. */
export const STAGES: string = `${PREFIX}/stages`;
/** On an object: the token of a halt that a person lets go on. */
export const RESUME: string = `${PREFIX}/resume`;
/** On a workload: its place in the stages. */
export const ORDER: string = `${PREFIX}/rollout-order`;
/** On a workload: it comes first. */
export const CANARY: string = `${PREFIX}/canary`;

type FactOf<Type extends Of<'staged' | 'health'>['type']> = Omit<Of<Type>, 'at' | 'ms'>;

/** What the object asks for. */
export function stagesOf(config: ConfigName, { metadata }: LooseObject): FactOf<'staged'> {
  const { [STAGES]: stages, [RESUME]: resume, ...others } = metadata.annotations ?? {};
  const [isHeld, isUrgent] = [WORDS.hold, WORDS.urgent].map((key) => others[key] === 'true');
  return { type: 'staged', config, stages, resume, ...(isHeld && { isHeld }), ...(isUrgent && { isUrgent }) };
}

/** What the workload shows. */
export function healthOf(
  workload: WorkloadName,
  { spec, status = {}, metadata }: LooseObject,
): FactOf<'health'> {
  return {
    type: 'health',
    workload,
    isGivenUp: status.conditions !== undefined && status.observedGeneration === metadata.generation,
    hasPods: spec.replicas !== 0,
  };
}
