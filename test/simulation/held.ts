/** What is held is not rolled: the version that a patch replaces says so. That nothing held is lost is judged as without holds. */

import type { Sandbox } from '../sandbox/sandbox.ts';
import { type LooseObject, NAMESPACE, resourceOf, split } from './api.ts';
import type { History, WorkloadName } from './history.ts';
import { factsOf } from './timeline.ts';
import type { Trace, Violation } from './trace.ts';

const PREFIX = 'reloader.k8s.collaborne.com';
/** On a workload: nothing is rolled. */
export const HOLD: string = `${PREFIX}/hold`;
/** On a workload: when it may be rolled. */
export const WINDOW: string = `${PREFIX}/reload-window`;

/** The workloads with these annotations, and what takes them away: `rollout undo` may have brought them back. */
export function heldIn(
  sandbox: Pick<Sandbox, 'get'>,
  { workloads, steps }: History,
): readonly { readonly workload: WorkloadName; readonly annotations: Readonly<Record<string, null>> }[] {
  const named = [...workloads, ...steps].flatMap((each) => ('workload' in each ? (each.workload ?? []) : []));
  return [...new Set(named)].flatMap((workload) => {
    const object = sandbox.get(resourceOf(workload), NAMESPACE, split(workload).name);
    const { annotations = {} } = (object as LooseObject | undefined)?.metadata ?? {};
    const keys = [HOLD, WINDOW].filter((key) => annotations[key] !== undefined);
    const none = Object.fromEntries(keys.map((key) => [key, null]));
    return keys.length === 0 ? [] : [{ workload, annotations: none }];
  });
}

/** See the file's comment. */
export function judgeHeld(trace: Trace): readonly Violation[] {
  return factsOf(trace, 'write')
    .filter(({ to, isResume, before }) => {
      const { annotations = {} } = (before as Partial<LooseObject> | undefined)?.metadata ?? {};
      return to.includes('/') && isResume !== true && annotations[HOLD] === 'true';
    })
    .map(({ to, ms }) => ({ law: 'never', message: `${to} was rolled at ${ms} ms, and was held` }));
}
