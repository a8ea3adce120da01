/** The annotations of a workload that limit how often it is rolled. */

import { type Pace, parseRolloutLimit } from '../model/settings.ts';
import { parseDurationMs } from '../model/time.ts';
import type { Workload } from '../model/workload.ts';
import type { Checks } from './malformed.ts';
import { NATIVE_PREFIX } from './vocabulary.ts';

const INTERVAL: string = `${NATIVE_PREFIX}/min-rollout-interval`;
const LIMIT: string = `${NATIVE_PREFIX}/rollout-limit`;

/** The annotations that are read here; they count with any vocabularies in use. */
export const PACE_CHECKS: Checks = {
  [INTERVAL]: (value) =>
    parseDurationMs(value) === undefined ? 'is no duration; write such as 30s, 5m or 1h30m' : undefined,
  [LIMIT]: (value) =>
    parseRolloutLimit(value) === undefined ? 'is no limit; write such as 20/1h, or off' : undefined,
};

/** The pace of a workload: `usual` applies without an annotation, and if its value cannot be parsed. */
export function paceOf({ annotations }: Workload, usual: Pace): Pace {
  const limit = parseRolloutLimit(annotations[LIMIT] ?? '') ?? usual.limit;
  return {
    minIntervalMs: parseDurationMs(annotations[INTERVAL] ?? '') ?? usual.minIntervalMs,
    limit: limit === 'off' ? undefined : limit,
  };
}
