/** The words of the status page: durations, reasons, ends of watches. */

import type { WatchEnd } from '../model/health.ts';
import type { OutdatedBecause, WorkloadStatus } from '../model/status-report.ts';

/**
 * A duration in its two largest units, `3 min 12 s`; as a countdown `in 4 s`, and `now` at the end. Its source is also
 * run by browsers: it may use nothing outside itself.
 */
export function timeWords(seconds: number, isCountdown: boolean): string {
  if (isCountdown && seconds <= 0) return 'now';
  let rest = Math.max(0, isCountdown ? Math.ceil(seconds) : Math.floor(seconds));
  const parts = [];
  for (const [unit, size] of Object.entries({ d: 86_400, h: 3600, min: 60, s: 1 })) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) parts.push(`${amount}\u00a0${unit}`);
    else if (parts.length > 0) break;
  }
  const words = parts.slice(0, 2).join(' ') || '0\u00a0s';
  return isCountdown ? `in ${words}` : words;
}

/** Why the pods are out of date with an object, shown after its name. */
export const BECAUSE: Readonly<Record<OutdatedBecause, string>> = {
  content: 'the content changed',
  'changed-while-rolling': 'it changed while pods were starting',
  unknown: 'what the pods read is not known',
};

/** What a workload waits for, shown before the countdown. */
export const WAITS_FOR: Readonly<Record<NonNullable<WorkloadStatus['waitsFor']>, string>> = {
  quiet: 'Quiet period: rolls',
  queued: 'Being patched, or next',
  budget: 'Its turn in the budget of rollouts',
  backoff: 'Next try',
  evicting: 'Evicts its older pods, next look',
  'external-rollout': 'The rollout of an external writer',
  hold: 'The end of a hold',
  window: 'The opening of its reload window',
  stage: 'Its stage of a change',
  halt: 'A person: the change is halted',
  approval: 'An approval',
  'notify-only': 'A person, who rolls it',
  selection: 'Its namespace is not selected',
  change: 'A change of an object that it follows, or of its own template',
};

const IN_ORDER: readonly WorkloadStatus['waitsFor'][] = [
  'budget',
  'evicting',
  'hold',
  'window',
  'approval',
  'notify-only',
  'stage',
];

/** Whether something failed: what waits for its turn, or for a person, only says what for. */
export function hasFailed({ problem, waitsFor }: Pick<WorkloadStatus, 'problem' | 'waitsFor'>): boolean {
  return problem !== undefined && !IN_ORDER.includes(waitsFor);
}

/** Why a watch ended. */
export const ENDED: Readonly<Record<WatchEnd, string>> = {
  ended: 'the server ended it, as usual',
  expired: 'its version expired, as usual',
  silence: 'nothing was heard',
  malformed: 'it could not be read',
  error: 'an error',
};
