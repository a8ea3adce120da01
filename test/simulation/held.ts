/**
 * What is held is not rolled, and what needs an approval only with the token of what the rollout brings, which it uses up: the version
 * that a patch replaces says so. That nothing held is lost is judged as without holds.
 */

import { tokenOf } from '../../lib/annotations/gating.ts';
import { stampVariablesOf } from '../../lib/annotations/stamp-variables.ts';
import { parseStamp } from '../../lib/model/stamp.ts';
import { type Json, objectsOf, pick } from '../sandbox/json.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type LooseObject, NAMESPACE, refOf, resourceOf, split } from './api.ts';
import type { History, WorkloadName } from './history.ts';
import { factsOf, type Of, workloadAt } from './timeline.ts';
import type { Trace, Violation } from './trace.ts';

const PREFIX = 'reloader.k8s.collaborne.com';
/** On a workload: nothing is rolled. */
export const HOLD: string = `${PREFIX}/hold`;
/** On a workload: when it may be rolled. */
export const WINDOW: string = `${PREFIX}/reload-window`;
/** On a workload: `required` if a person has to allow each rollout. */
export const APPROVAL: string = `${PREFIX}/approval`;
/** On a workload: nothing is ever rolled. */
export const NOTIFY_ONLY: string = `${PREFIX}/notify-only`;
const APPROVED = `${PREFIX}/approved`;

/** The Events of the namespace. */
export const EVENTS_PATH: string = `/api/v1/namespaces/${NAMESPACE}/events`;

/** The workloads with these annotations, and what takes them away: `rollout undo` may have brought them back. */
export function heldIn(
  sandbox: Pick<Sandbox, 'get'>,
  { workloads, steps }: History,
): readonly { readonly workload: WorkloadName; readonly annotations: Readonly<Record<string, null>> }[] {
  const named = [...workloads, ...steps].flatMap((each) => ('workload' in each ? (each.workload ?? []) : []));
  return [...new Set(named)].flatMap((workload) => {
    const object = sandbox.get(resourceOf(workload), NAMESPACE, split(workload).name);
    const { annotations = {} } = (object as LooseObject | undefined)?.metadata ?? {};
    const keys = [HOLD, WINDOW, APPROVAL, NOTIFY_ONLY].filter((key) => annotations[key] !== undefined);
    const none = Object.fromEntries(keys.map((key) => [key, null]));
    return keys.length === 0 ? [] : [{ workload, annotations: none }];
  });
}

/** What the last Event that wants an approval of the workload tells people to annotate. `events`: their list. */
export function approvalAskedFor(
  events: unknown,
  workload: WorkloadName,
): Readonly<Record<string, string>> | undefined {
  const { kind, name } = split(workload);
  const asking = objectsOf(pick(events as Json, 'items')).filter(
    (event) =>
      event['reason'] === 'ApprovalRequired' &&
      pick(event, 'involvedObject', 'kind') === kind &&
      pick(event, 'involvedObject', 'name') === name,
  );
  const last = asking.toSorted((a, b) => Date.parse(timeOf(a)) - Date.parse(timeOf(b))).at(-1);
  const [, token] = /=([0-9a-f]+) --overwrite/.exec(String(last?.['message'])) ?? [];
  return token === undefined ? undefined : { [APPROVED]: token };
}

function timeOf(event: Readonly<Record<string, unknown>>): string {
  return String(event['lastTimestamp']);
}

/** See the file's comment. */
export function judgeHeld(trace: Trace): readonly Violation[] {
  return factsOf(trace, 'write')
    .filter(({ to, isResume }) => to.includes('/') && isResume !== true)
    .flatMap((write) => {
      const why = whyNot(trace, write);
      const { to, ms } = write;
      return why === undefined ? [] : [{ law: 'never', message: `${to} was rolled at ${ms} ms, and ${why}` }];
    });
}

/** Why the workload was not to be rolled by this write. */
function whyNot(trace: Trace, write: Of<'write'>): string | undefined {
  const [before, after] = [annotationsOf(write.before), annotationsOf(write.after)];
  if (before[HOLD] === 'true') return 'was held';
  if (before[NOTIFY_ONLY] === 'true') return 'is notify-only';
  if (after[APPROVED] !== undefined) return 'its approval was not used up';
  if (before[APPROVAL] !== 'required') return undefined;
  return before[APPROVED] === tokenOf(broughtBy(trace, write))
    ? undefined
    : `its approval was ${before[APPROVED]}`;
}

/** The objects for which the write stamps, by the variables of the template, and the digests. */
function broughtBy(trace: Trace, { to, at, before, after }: Of<'write'>): [string, string][] {
  const { follows = [] } = workloadAt(trace, to, at - 1) ?? {};
  const refs = follows.map(refOf);
  const [former, present] = [variablesOf(before), variablesOf(after)];
  return [...stampVariablesOf(refs)].flatMap(([key, { read }]): [string, string][] => {
    const variable = read.find((each) => present.has(each) && present.get(each) !== former.get(each));
    return variable === undefined ? [] : [[key, parseStamp(present.get(variable) ?? '')?.digest ?? '']];
  });
}

function variablesOf(workload: unknown): ReadonlyMap<string, string> {
  const containers = objectsOf(pick(workload as Json, 'spec', 'template', 'spec', 'containers'));
  return new Map(
    containers.flatMap(({ env }) => objectsOf(env).map(({ name, value }) => [String(name), String(value)])),
  );
}

function annotationsOf(workload: unknown): Readonly<Record<string, string>> {
  return (workload as Partial<LooseObject> | undefined)?.metadata?.annotations ?? {};
}
