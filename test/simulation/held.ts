/** What holds a workload back by its annotations, and what a person does who approves a rollout. */

import { tokenOf } from '../../lib/annotations/gating.ts';
import { stampVariablesOf } from '../../lib/annotations/stamp-variables.ts';
import { keyOf } from '../../lib/model/object-ref.ts';
import { parseStamp } from '../../lib/model/stamp.ts';
import { type Json, objectsOf, pick } from '../sandbox/json.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type LooseObject, NAMESPACE, refOf, resourceOf, split } from './api.ts';
import { EPOCH_MS } from './clock.ts';
import type { History, WorkloadName } from './history.ts';
import { stampsOf } from './stamped-contents.ts';
import { about, factsOf, hasUrgent, isTroubledAt, type Of, workloadAt } from './timeline.ts';
import type { Trace } from './trace.ts';

const PREFIX = 'reloader.k8s.collaborne.com';
/** On a workload: nothing is rolled. */
export const HOLD: string = `${PREFIX}/hold`;
/** On a workload: when it may be rolled. */
export const WINDOW: string = `${PREFIX}/reload-window`;
/** On a workload: `required` if a person has to allow each rollout. */
export const APPROVAL: string = `${PREFIX}/approval`;
/** On a workload: nothing is ever rolled. */
export const NOTIFY_ONLY: string = `${PREFIX}/notify-only`;
/** On a workload: the token of the rollout that a person allows. */
export const APPROVED: string = `${PREFIX}/approved`;

/** From a decision to its patch. */
const GRACE_MS = 5000;
/** Until the event of an annotation has arrived, where requests or streams have gone wrong. */
const LATE_MS = 60_000;
/** Until a write is noted. */
const SLACK_MS = 100;

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
  const [, token] = /=([0-9a-f]+) lets/.exec(String(last?.['message'])) ?? [];
  return token === undefined ? undefined : { [APPROVED]: token };
}

function timeOf(event: Readonly<Record<string, unknown>>): string {
  return String(event['lastTimestamp']);
}

/** What the annotations of the workload say against a rollout by this write. */
export function heldBy(trace: Trace, write: Of<'write'>): readonly string[] {
  const [before, after] = [annotationsOf(write.before), annotationsOf(write.after)];
  const isWrong = before[APPROVAL] === 'required' && before[APPROVED] !== tokenOf(broughtBy(trace, write));
  const isLate = isTroubledAt(trace, write.at);
  const isNew = about(trace, 'workload', write.to).some(
    ({ ms }) => ms <= write.ms + SLACK_MS && write.ms - ms < (isLate ? LATE_MS : GRACE_MS),
  );
  const isClosed =
    !isNew &&
    !hasUrgent(trace) &&
    [0, GRACE_MS].every((ms) => isClosedAt(before[WINDOW], EPOCH_MS + write.ms - ms));
  const objects = factsOf(trace, 'staged').filter(({ at }) => at < write.at);
  const brought = isLate ? [] : broughtBy(trace, write).map(([key]) => key);
  const held = new Map(objects.map((fact) => [keyOf(refOf(fact.config)), fact]));
  const isOfHeld = brought.some((key) => {
    const { isHeld, ms } = held.get(key) ?? { ms: 0 };
    return isHeld === true && write.ms - ms >= GRACE_MS;
  });
  return [
    ...(isOfHeld ? ['for an object that was held'] : []),
    ...(before[HOLD] === 'true' ? ['and was held'] : []),
    ...(before[NOTIFY_ONLY] === 'true' ? ['and is notify-only'] : []),
    ...(after[APPROVED] === undefined ? [] : ['and its approval was not used up']),
    ...(isWrong ? [`and its approval was ${before[APPROVED]}`] : []),
    ...(isClosed && factsOf(trace, 'jumped').length === 0 ? ['and its window was closed'] : []),
  ];
}

/** Whether a window of the form `<minute> <hour> * * * 1m` is closed. */
function isClosedAt(window: string | undefined, ms: number): boolean {
  const [minute = '*', hour = '*'] = window?.split(' ') ?? [];
  const isMet = (field: string, value: number): boolean => {
    const every = /^\*\/(\d+)$/.exec(field)?.[1];
    return field === '*' || (every === undefined ? Number(field) === value : value % Number(every) === 0);
  };
  const now = new Date(ms);
  return !isMet(minute, now.getUTCMinutes()) || !isMet(hour, now.getUTCHours());
}

/** The objects for which the write stamps, by the variables of the template, and the digests. */
function broughtBy(trace: Trace, { to, at, before, after }: Of<'write'>): [string, string][] {
  const { follows = [] } = workloadAt(trace, to, at - 1) ?? {};
  const [former, present] = [stampsOf(before), stampsOf(after)];
  return [...stampVariablesOf(follows.map(refOf))].flatMap(([key, { read }]): [string, string][] => {
    const variable = read.find((each) => present.has(each) && present.get(each) !== former.get(each));
    return variable === undefined ? [] : [[key, parseStamp(present.get(variable) ?? '')?.digest ?? '']];
  });
}

function annotationsOf(workload: unknown): Readonly<Record<string, string>> {
  return (workload as Partial<LooseObject> | undefined)?.metadata?.annotations ?? {};
}
