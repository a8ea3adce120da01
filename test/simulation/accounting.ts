/** What a history has in it: whether its processes elect a leader, and how exactly its rollouts can be accounted for. */

import { split } from './api.ts';
import type { History, Step } from './history.ts';
import { ROLLOUT_STRATEGY } from './manifests.ts';
import { PERIOD } from './pausing.ts';
import type { Trace } from './trace.ts';

/** Whether its processes elect a leader. */
export function electsIn({ settings, steps }: History): boolean {
  return settings.election ?? steps.some((step) => step.do === 'start' && step.slot !== 0);
}

/** How exactly the rollouts of such a history can be accounted for. */
export function accountingOf({ steps, workloads }: History): Trace['accounting'] {
  const kinds = new Set(steps.map((step) => step.do));
  const has = (...names: Step['do'][]) => names.some((name) => kinds.has(name));
  if (has('fault', 'disturb', 'delay', 'compact', 'forbid')) return 'each';
  const calm: readonly Step['do'][] = [
    'wait',
    'jump',
    'change',
    'revert',
    'touch',
    'mark',
    'ask',
    'delete',
    'recreate',
    'driver',
    'create-workload',
    'delete-workload',
    'follow',
    'select',
    'scale',
    'stop',
    'digests',
    'key-rights',
  ];
  const isCalm = steps.every((step) => calm.includes(step.do) || isAboutPauses(step));
  return isCalm && workloads.every(({ strategy }) => strategy === 'rolling') ? 'strict' : 'grouped';
}

/** What cannot be paused has a longer window instead. Whoever promotes, or chooses between rollouts and restarts, changes no content. */
function isAboutPauses(step: Step): boolean {
  if (step.do === 'pause') return true;
  if (step.do === 'argo') return step.act === 'promote';
  return (
    step.do === 'annotate' &&
    [PERIOD, ROLLOUT_STRATEGY].includes(Object.keys(step.annotations).join()) &&
    ['Deployment', 'Rollout'].includes(split(step.workload).kind)
  );
}
