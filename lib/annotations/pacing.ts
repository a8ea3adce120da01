/** How often a workload may be rolled, where its own annotations say so. */

import type { Finding } from '../model/finding.ts';
import { type Pace, parseRolloutLimit } from '../model/settings.ts';
import { parseDurationMs } from '../model/time.ts';
import type { Workload } from '../model/workload.ts';
import { malformedNotice, quoted } from './malformed.ts';
import { NATIVE_PREFIX } from './vocabulary.ts';

const INTERVAL: string = `${NATIVE_PREFIX}/min-rollout-interval`;
const LIMIT: string = `${NATIVE_PREFIX}/rollout-limit`;

/** The annotations of a workload that are read here, whatever the vocabularies in use. */
export const PACE_ANNOTATIONS: readonly string[] = [INTERVAL, LIMIT];

/** What holds for a workload that says nothing of `usual` itself, or nothing that can be read. */
export function paceOf({ annotations }: Workload, usual: Pace): Pace {
  const limit = parseRolloutLimit(annotations[LIMIT] ?? '') ?? usual.limit;
  return {
    minIntervalMs: parseDurationMs(annotations[INTERVAL] ?? '') ?? usual.minIntervalMs,
    limit: limit === 'off' ? undefined : limit,
  };
}

/** What of them cannot be read. */
export function pacingMistakes({ annotations }: Workload): readonly Finding[] {
  const [interval, limit] = [annotations[INTERVAL], annotations[LIMIT]];
  return [
    ...(interval !== undefined && parseDurationMs(interval) === undefined
      ? [malformedNotice(INTERVAL, quoted(interval), 'is no duration; write such as 30s, 5m or 1h30m')]
      : []),
    ...(limit !== undefined && parseRolloutLimit(limit) === undefined
      ? [malformedNotice(LIMIT, quoted(limit), 'is no limit; write such as 20/1h, or off')]
      : []),
  ];
}
