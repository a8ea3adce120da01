/**
 * Restarts: the controller of a Rollout replaces each pod that is older than `spec.restartAt`, and leaves the template as it is.
 * The record of such a rollout is in the metadata of the object, and speaks only while the restart is asked for.
 */

import { escaped, type Operation } from '../template-patch.ts';

/** The container of a stamp that a restart left in the metadata of the workload; no real container has this name. */
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
