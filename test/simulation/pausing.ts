/** Deployments that ask for a pause. */

import { parseGoDurationMs } from '../../lib/model/time.ts';
import type { LooseObject } from './api.ts';
import type { Of } from './timeline.ts';

/** How long a pause is to be, as a Deployment says it. */
export const PERIOD = 'deployment.reloader.stakater.com/pause-period';
/** When a reloader began it; without this a pause is a person's. */
export const PAUSED_AT = 'deployment.reloader.stakater.com/paused-at';

/** The pause of a workload that a reloader began; undefined: it is in none. */
export function pauseOf(workload: LooseObject): Omit<Of<'pause'>, 'type' | 'workload' | 'at' | 'ms'> {
  const { annotations = {} } = workload.metadata;
  const since = workload.spec.paused === true ? annotations[PAUSED_AT] : undefined;
  return { since, periodMs: since === undefined ? undefined : periodMsOf(workload) };
}

/** How long a pause a Deployment asks for. */
export function periodMsOf({ metadata }: LooseObject): number | undefined {
  const text = metadata.annotations?.[PERIOD];
  return text === undefined ? undefined : parseGoDurationMs(text);
}
