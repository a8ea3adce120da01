/** How many rollouts of one workload are usual, as people write it. */

import { parseDurationMs } from './duration.ts';

/** More rollouts within that time are a sign of an object that changes for ever. */
export interface RolloutLimit {
  /** At least 1. */
  readonly rollouts: number;
  readonly withinMs: number;
}

/** How often a workload may be rolled. */
export interface Pace {
  /** The least time between two rollouts, in ms. */
  readonly minIntervalMs: number;
  /** Undefined: there is none. */
  readonly limit: RolloutLimit | undefined;
}

/** Of a workload that may be rolled whenever something changes. */
export const UNHURRIED: Pace = { minIntervalMs: 0, limit: undefined };

/** What `text` says: `20/1h`, or `off`. Undefined if it is neither. */
export function parseRolloutLimit(text: string): RolloutLimit | 'off' | undefined {
  if (text.trim() === 'off') return 'off';
  const [, rollouts = '', within = ''] = /^([1-9]\d{0,3})\s*\/\s*(\S+)$/.exec(text.trim()) ?? [];
  const withinMs = parseDurationMs(within);
  return rollouts === '' || !withinMs ? undefined : { rollouts: Number(rollouts), withinMs };
}
